"""A seat with a key signs its commands automatically; forged, dropped or swapped signatures are reported."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from event_store import AlteredError, ConflictError, StoreError
from tests.remote.loopback_server import LoopbackServer, log_lines, loopback_server
from tests.remote.test_trust import Liar
from tests.service.test_key_changes import NEW_PUBLIC_KEYS, PRIVATE_KEY_BY_PUBLIC
from tests.service.test_signed_commands import PRIVATE_KEYS_BY_PLAYER, PUBLIC_KEYS
from zimcore.documents.copies import CopyAnswer
from zimcore.game import GameError
from zimcore.remote.connection import Connection
from zimcore.remote.invitations import join, parse_invitation
from zimcore.remote.service import RemoteService
from zimcore.service import GameService, Viewer
from zimcore.service.lines.copies import entry_document
from zimcore.service.records.names import OWN_LINE_MARK


def sign(by: str, key: str, message: bytes) -> bytes:
    """Signs with the key that is asked for; eve has only her own."""
    return (PRIVATE_KEYS_BY_PLAYER["eve"] if by == "eve" else PRIVATE_KEY_BY_PUBLIC[key]).sign(message)


def sit(nim_server: LoopbackServer, seat: str, key: str = "", name: str = "") -> RemoteService:
    """The client of a player who sits down with a key."""
    from zimcore.remote.invitations import join, parse_invitation

    name = name or f"{seat}-player"
    invitation = parse_invitation(nim_server.link(seat), nim_server.url)
    join(Connection(nim_server.url), nim_server.folders(name), invitation, name, key or PUBLIC_KEYS[seat], seat)
    return person(nim_server, name)


def person(nim_server: LoopbackServer, name: str) -> RemoteService:
    client = nim_server.person(name)
    client.signer = sign
    return client


def play(service: RemoteService, text: str, **options: object) -> None:
    service.play_or_raise("k", text, by="x", **options)  # type: ignore[arg-type]


@pytest.fixture
def ann(nim_server: LoopbackServer) -> RemoteService:
    """The client of ann, who has a key; ben has none. Each has played one move."""
    ann, ben = sit(nim_server, "ann"), nim_server.sit("ben")
    play(ann, "take 1")
    play(ben, "take 1")
    return ann


def test_a_player_with_a_key_signs_each_command(nim_server: LoopbackServer, ann: RemoteService) -> None:
    play(ann, "take 2", command_id="c1")
    audit = ann.verify("k")
    assert audit.fault is None
    assert [(each.by, each.seat, each.key) for each in audit.signers] == [("ann-player", "ann", PUBLIC_KEYS["ann"])]
    assert nim_server.service.verify("k").signers == audit.signers
    nim_server.stop()
    assert ann.verify("k").signers == audit.signers, "the signers are known offline"
    nim_server.start()
    from zimcore.remote.invitations import read_seats

    assert {each.seat: each.key for each in read_seats(ann, "k").seats} == {"ann": PUBLIC_KEYS["ann"], "ben": ""}


def test_a_signed_command_with_an_id_is_played_once(nim_server: LoopbackServer, ann: RemoteService) -> None:
    for _ in range(2):
        play(ann, "take 2", command_id="c1")
    assert log_lines(nim_server.service)[1:] == ["1 take 1", "2 take 1", "3 take 2"]


def test_no_other_player_plays_the_seat_even_at_the_host_s_machine(
    nim_server: LoopbackServer, ann: RemoteService
) -> None:
    ann.signer = lambda by, key, message: PRIVATE_KEYS_BY_PLAYER["eve"].sign(message)
    with pytest.raises(GameError, match="ann's commands are signed"):
        play(ann, "take 1")
    with pytest.raises(GameError, match="ann's commands are signed"):
        nim_server.service.play("k", "take 1", by="hanna")
    for signature in (b"", bytes(64), PRIVATE_KEYS_BY_PLAYER["eve"].sign(b"")):
        with pytest.raises(GameError, match="ann's commands are signed"):
            ann.connection.write(
                "POST", "/v1/games/k/lines/main/moves", ann.remote_lines.token("k"), "k1", make_move(signature), "*"
            )
    assert nim_server.service.position("k").commit.number == 2


def make_move(signature: bytes) -> msgspec.Struct:
    from zimcore.documents.seats import Move

    return Move("take 1", "ann", signature.hex())


def test_a_signature_is_good_for_one_command_one_head_and_one_id(
    nim_server: LoopbackServer, ann: RemoteService
) -> None:
    sent_bodies: list[msgspec.Struct] = []
    original_write = ann.connection.write

    def record_write(  # type: ignore[no-untyped-def]
        method: str, path: str, token: str, key: str, body: msgspec.Struct | None = None, head: str | None = None
    ):
        assert body
        sent_bodies.append(body)
        return original_write(method, path, token, key, body, head)

    ann.connection.write = record_write  # type: ignore[method-assign]
    play(ann, "take 2", command_id="c1")
    nim_server.person("ben-player").play_or_raise("k", "take 1", by="x")
    (body,) = sent_bodies
    token = ann.remote_lines.token("k")
    for key, changes in {"c1": {"move": "take 1"}, "c2": {}, "c3": {"move": "take 1"}}.items():
        with pytest.raises((GameError, ConflictError)):
            original_write(
                "POST", "/v1/games/k/lines/main/moves", token, key, msgspec.structs.replace(body, **changes), "*"
            )
    assert nim_server.service.position("k").commit.number == 4
    play(ann, "take 1")
    token = nim_server.person("ben-player").remote_lines.token("k")
    body = msgspec.structs.replace(make_move(bytes(64)), seat="")
    with pytest.raises(GameError, match="ben's commands are not signed"):
        original_write("POST", "/v1/games/k/lines/main/moves", token, "c4", body, "*")


def test_a_client_that_is_behind_signs_for_the_current_head(nim_server: LoopbackServer, ann: RemoteService) -> None:
    late_client = nim_server.person("ann-player", fresh_seconds=1000.0)
    late_client.signer = sign
    late_client.position("k")
    play(ann, "take 1")
    nim_server.person("ben-player").play_or_raise("k", "take 1", by="x")
    play(late_client, "take 1")
    assert nim_server.service.verify("k").fault is None
    with pytest.raises(ConflictError):
        play(late_client, "take 1", expected=nim_server.service.position("k@1").commit.digest)


def test_a_private_line_needs_no_signatures(nim_server: LoopbackServer, ann: RemoteService) -> None:
    ann.fork("k", "try", by="x")
    for text in ("take 1", "take 2"):
        ann.play_or_raise(f"k/ann{OWN_LINE_MARK}try", text, by="x")
    assert ann.verify(f"k/ann{OWN_LINE_MARK}try").unproven
    assert not ann.verify("k").unproven


def test_a_seat_changes_its_key_over_the_network(nim_server: LoopbackServer, ann: RemoteService) -> None:
    ann.bind("k", "ann", NEW_PUBLIC_KEYS[0], by="x")
    play(ann, "take 1")
    audit = person(nim_server, "ben-player").verify("k")
    assert (audit.fault, [each.key for each in audit.signers]) == (None, [PUBLIC_KEYS["ann"], NEW_PUBLIC_KEYS[0]])
    ben = person(nim_server, "ben-player")
    with pytest.raises(GameError, match="this is not your seat"):
        ben.bind("k", "ann", PUBLIC_KEYS["ben"], by="ben")
    with pytest.raises(GameError, match="this is for a host"):
        ben.bind("k", "ann", PUBLIC_KEYS["ben"], by="ben", lost=True)
    ben.bind("k", "ben", PUBLIC_KEYS["ben"], by="ben")
    play(ben, "take 1")
    nim_server.host().bind("k", "ann", NEW_PUBLIC_KEYS[1], by="hanna", lost=True)
    play(ann, "take 1")
    (remark,) = person(nim_server, "ben-player").verify("k").unproven
    assert remark.startswith("ann was bound anew")


def test_joining_a_seat_with_a_key_needs_a_key(nim_server: LoopbackServer, ann: RemoteService) -> None:
    from zimcore.remote.invitations import leave

    leave(ann, "k")
    with pytest.raises(GameError, match="ann's commands are signed: bring a key of your own"):
        nim_server.redeem_link("zoe", nim_server.link("ann"))
    zoe = sit(nim_server, "ann", NEW_PUBLIC_KEYS[2], "zoe")
    play(zoe, "take 1")
    audit = zoe.verify("k")
    assert audit.fault is None
    assert len(audit.unproven) == 1


def test_commands_are_signed_in_a_game_with_hidden_cards(tmp_path: Path) -> None:
    with loopback_server(tmp_path) as server:
        server.begin_game("africana", {"seed": "7", "players": "2"}, "a")
        seats = server.service.position("a").seats
        people = {}
        from zimcore.remote.invitations import join, parse_invitation

        for number, seat in enumerate(seats):
            invitation = parse_invitation(server.link(seat, "a"), server.url)
            join(Connection(server.url), server.folders(seat), invitation, seat, NEW_PUBLIC_KEYS[number], "ann")
            people[seat] = person(server, seat)
        for _ in range(10):
            seat = server.service.position("a").to_move[0]
            text = next(iter(people[seat].position("a").legal(seat).texts()))
            people[seat].play_or_raise("a", text, by=seat)
        audit = server.service.verify("a")
        assert audit.fault is None
        assert {each.key for each in audit.signers} == {NEW_PUBLIC_KEYS[0], NEW_PUBLIC_KEYS[1]}


# A server that lies.


def forged_store(nim_server: LoopbackServer, forgery: str) -> GameService:
    """A copy of the store with a move that the owner of the server made for ann."""
    import os

    from event_store import EventStore
    from tests.remote.loopback_server import GAMES_BY_KIND
    from zimcore.service.records import deciding, signed_commands

    shutil.copytree(
        nim_server.folder, nim_server.folder / "forged", ignore=shutil.ignore_patterns("*-player", "forged", "hanna")
    )
    service = GameService(EventStore.open(f"sqlite:///{nim_server.folder}/forged/games.zim"), games=GAMES_BY_KIND)
    loaded_line = service._repository.line("k")
    line = loaded_line.line
    pending_commit = deciding.decide_commit(
        loaded_line.game,
        loaded_line.states.state_at(line.head),
        *deciding.read_command(loaded_line.game, loaded_line.states.state_at(line.head), "take 3"),
    )
    assert isinstance(pending_commit, deciding.PendingCommit)
    proof = b""
    if forgery == "another":
        topic, content = service.store.codec.encode(pending_commit.events[0])
        proof = bytes.fromhex(PUBLIC_KEYS["eve"]) + PRIVATE_KEYS_BY_PLAYER["eve"].sign(
            signed_commands.command_message(line.path[0], line.head, topic, content, "c9")
        )
    if forgery == "replayed":
        proof = next(entry.seal.proof for entry in line.commits.values() if entry.seal.proof)
    if forgery == "made up":
        proof = bytes.fromhex(PUBLIC_KEYS["ann"]) + os.urandom(64)
    service.store.append(
        line.stream,
        line.revision,
        pending_commit.events,
        by="ann-player",
        at=service.clock(),
        parent=line.head,
        state=pending_commit.digest,
        id="c9",
        proof=proof,
    )
    return service


def serve_copy(service: GameService, copy_answer: CopyAnswer) -> CopyAnswer:
    """The copy as a server of another store would send it."""
    loaded_line = service._repository.line("k")
    entries = tuple(entry_document(loaded_line, entry, None) for entry in service.store.read(loaded_line.line.stream))
    return msgspec.structs.replace(copy_answer, entries=entries, revision=service.revision("k"), before="")


@pytest.mark.parametrize("forgery", ["", "another", "replayed", "made up"])
def test_a_move_that_the_server_makes_up_is_named(nim_server: LoopbackServer, ann: RemoteService, forgery: str) -> None:
    del ann
    service = forged_store(nim_server, forgery)
    shutil.rmtree(nim_server.folders("ben-player").cache)
    ben = nim_server.person("ben-player")
    ben.connection = ben.remote_lines.connection = Liar(nim_server.url, lambda answer: serve_copy(service, answer))
    fault = ben.verify("k").fault
    assert fault
    assert fault.kind == "forged"
    assert "ann's command" in fault.what


Lie = Callable[[CopyAnswer], CopyAnswer]


def lie_about_keys(**changes: object) -> Lie:
    """A lie that changes the keys of ann."""

    def lie(copy_answer: CopyAnswer) -> CopyAnswer:
        return msgspec.structs.replace(
            copy_answer, bound=tuple(msgspec.structs.replace(bound_seat, **changes) for bound_seat in copy_answer.bound)
        )

    return lie


KEY_LIES: dict[str, Lie] = {
    "dropped": lambda copy_answer: msgspec.structs.replace(copy_answer, bound=()),
    "swapped": lie_about_keys(key=PUBLIC_KEYS["eve"]),
    "later": lambda copy_answer: lie_about_keys(since={copy_answer.stream: copy_answer.revision})(copy_answer),
    "in future": lambda copy_answer: lie_about_keys(since={copy_answer.stream: copy_answer.revision + 50})(copy_answer),
    "of another seat": lie_about_keys(seat="ben"),
}


@pytest.mark.parametrize("lie", KEY_LIES)
@pytest.mark.parametrize("name", ["ann-player", "ben-player"])
@pytest.mark.parametrize("is_cached", [True, False])
def test_a_key_that_the_server_takes_away_or_changes_is_named(
    nim_server: LoopbackServer, ann: RemoteService, lie: str, name: str, is_cached: bool
) -> None:
    del ann
    nim_server.person(name).position("k")
    if not is_cached:
        shutil.rmtree(nim_server.folders(name).cache)
    client = nim_server.person(name)
    client.connection = client.remote_lines.connection = Liar(nim_server.url, KEY_LIES[lie])
    with pytest.raises(
        StoreError, match=r"has taken the key of ann in k away|has keys that count from a later commit on"
    ):
        client.position("k")


def test_a_player_with_a_key_notices_that_a_server_drops_it(nim_server: LoopbackServer) -> None:
    ann = sit(nim_server, "ann")
    ann.connection = ann.remote_lines.connection = Liar(nim_server.url, KEY_LIES["dropped"])
    with pytest.raises(AlteredError, match="has taken the key of ann"):
        ann.position("k", Viewer("ann"))


def test_invalid_keys_are_not_accepted(nim_server: LoopbackServer, ann: RemoteService) -> None:
    def add_invalid_key(copy_answer: CopyAnswer) -> CopyAnswer:
        changed_seat = msgspec.structs.replace(copy_answer.bound[0], key=NEW_PUBLIC_KEYS[0], signed="zz")
        return msgspec.structs.replace(copy_answer, bound=(*copy_answer.bound, changed_seat))

    ann.connection = ann.remote_lines.connection = Liar(nim_server.url, add_invalid_key)
    with pytest.raises(StoreError, match="has invalid keys"):
        ann.position("k")


def test_a_server_can_t_claim_that_the_match_is_unsigned(nim_server: LoopbackServer, ann: RemoteService) -> None:
    def claim_own_line(copy_answer: CopyAnswer) -> CopyAnswer:
        return msgspec.structs.replace(
            copy_answer, lines=tuple(msgspec.structs.replace(line, own=True) for line in copy_answer.lines)
        )

    ann.connection = ann.remote_lines.connection = Liar(nim_server.url, claim_own_line)
    audit = ann.verify("k")
    assert (audit.unproven, len(audit.signers)) == ((), 1)


def test_a_change_that_the_server_makes_up_is_named(nim_server: LoopbackServer, ann: RemoteService) -> None:
    def add_forged_key(copy_answer: CopyAnswer) -> CopyAnswer:
        changed_seat = msgspec.structs.replace(
            copy_answer.bound[0], key=PUBLIC_KEYS["eve"], signed="00" * 64, proof="00" * 64
        )
        return msgspec.structs.replace(copy_answer, bound=(*copy_answer.bound, changed_seat))

    ann.connection = ann.remote_lines.connection = Liar(nim_server.url, add_forged_key)
    fault = ann.verify("k").fault
    assert fault
    assert fault.kind == "forged"


def test_a_server_takes_no_weak_key(nim_server: LoopbackServer) -> None:
    weak_key = "01" + "00" * 31
    link = parse_invitation(nim_server.link("ben"), nim_server.url)
    with pytest.raises(GameError, match="weak key"):
        join(Connection(nim_server.url), nim_server.folders("ben-player"), link, "ben-player", weak_key)
    with pytest.raises(GameError, match="weak key"):
        nim_server.host().bind("k", "ben", weak_key, by="hanna", lost=True)
    nim_server.redeem_link("ben-player", nim_server.link("ben"))
