"""With write access to the store, but without a seat's key, you can't move for that seat."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from event_store import Entry
from tests.service.table import NIM, service_on
from zimcore.game import GameError, Played, Refused
from zimcore.service import (
    ConflictError,
    GameService,
    Position,
    TakenError,
    UnknownError,
    Viewer,
    audit,
    certificates,
    deciding,
    ed25519,
    signed_commands,
)
from zimcore.service.bindings import SeatBound

KEYS = {by: ed25519.key_from_bytes(bytes([n + 48]) * 64) for n, by in enumerate(("ann", "ben", "eve"))}
PUBLIC = {by: ed25519.public_key(key) for by, key in KEYS.items()}


def signer(by: str, key: str, message: bytes) -> bytes:
    """Everybody signs with a key of their own, whichever is wanted."""
    del key
    return KEYS[by].sign(message)


@pytest.fixture(params=["memory:", "sqlite", "postgresql"])
def service(request: pytest.FixtureRequest, url: str) -> Iterator[GameService]:
    server: str = request.getfixturevalue("postgres_store") if request.param == "postgresql" else ""
    service = service_on({"memory:": "memory:", "sqlite": url}.get(request.param, server))
    service.signer = signer
    with service.store:
        yield service


@pytest.fixture
def match_with_key(service: GameService) -> GameService:
    """Ann's seat is bound to her key, ben's is not; two moves each, of which ben's last is undone."""
    service.new("nim", {"seed": "7", "stones": "30"}, name="nim", by="ann", keys={"ann": PUBLIC["ann"]})
    for by in ("ann", "ben", "ann", "ben"):
        play(service, by, "take 1")
    service.undo("nim", by="ben")
    return service


def play(service: GameService, by: str, text: str, place: str = "nim", **how: Any) -> Position:
    answer = service.play(place, text, by=by, **how)
    assert not isinstance(answer, Refused)
    return answer


def last(service: GameService, line: str = "") -> Entry:
    loaded_line = service._lines.line("nim", line).line
    return loaded_line.commits[loaded_line.head]


def fault(service: GameService, place: str = "nim") -> tuple[str, str] | None:
    """The kind of what `verify` finds, and what."""
    problem = service.verify(place).fault
    return (problem.kind, problem.what) if problem else None


def test_a_seat_that_is_bound_signs_what_it_plays(match_with_key: GameService) -> None:
    audit = match_with_key.verify("nim")
    assert audit.fault is None
    assert [(each.by, each.seat, each.key) for each in audit.signers] == [("ann", "ann", PUBLIC["ann"])]
    commits = list(match_with_key._lines.line("nim").line.commits.values())
    assert [bool(entry.seal.proof) for entry in commits] == [False, True, False, True, False]
    assert len(commits[1].seal.proof) == 96


def test_no_other_player_plays_it(match_with_key: GameService) -> None:
    play(match_with_key, "ben", "take 1")
    for by in ("ben", "eve"):
        with pytest.raises(
            GameError, match=f"ann's commands are signed: this was not, with the key {PUBLIC['ann'][:16]}"
        ):
            match_with_key.play("nim", "take 1", by=by)
    match_with_key.signer = None
    with pytest.raises(GameError, match=r"ann's commands are signed: with the key \w+, which is not on this machine"):
        match_with_key.play("nim", "take 1", by="ann")
    assert match_with_key.position("nim").commit.number == 4


def test_a_signed_command_that_was_tried_again_is_played_once(match_with_key: GameService) -> None:
    play(match_with_key, "ben", "take 1")
    first = play(match_with_key, "ann", "take 2", command_id="c1")
    assert play(match_with_key, "ann", "take 2", command_id="c1").commit == first.commit
    assert (
        last(match_with_key).seal.id,
        bool(last(match_with_key).seal.request),
        bool(last(match_with_key).seal.proof),
    ) == ("c1", True, True)
    assert match_with_key.verify("nim").fault is None


def test_a_seat_may_be_bound_later(service: GameService) -> None:
    service.new("nim", {"stones": "30"}, name="nim", by="ann")
    play(service, "eve", "take 1")
    service.fork("nim", "what-if", by="ann")
    play(service, "ann", "take 1")
    service.bind("nim", "ann", PUBLIC["ann"], by="ann")
    assert fault(service) is None, "what was there before needs no signature"
    play(service, "ann", "take 1")
    play(service, "ben", "take 1", "nim/what-if")
    for place in ("nim", "nim/what-if"):
        if service.position(place).actor == "ben":
            play(service, "ben", "take 1", place)
        with pytest.raises(GameError, match="ann's commands are signed"):
            service.play(place, "take 1", by="ben")
        assert fault(service, place) is None
    assert ("seat", "ann", PUBLIC["ann"][:16]) in [(op.what, op.source, op.target) for op in service.operations("nim")]


@pytest.mark.parametrize(
    ("seat", "key", "what"),
    [
        ("ann", PUBLIC["eve"], "ann has a key already"),
        ("zoe", PUBLIC["eve"], "no player has the seat 'zoe' here"),
        ("ben", "00", "not a key: '00'"),
        ("ben", PUBLIC["eve"].upper(), "not a key"),
    ],
)
def test_what_can_t_be_bound(match_with_key: GameService, seat: str, key: str, what: str) -> None:
    with pytest.raises(GameError, match=what):
        match_with_key.bind("nim", seat, key, by="eve")


def test_a_seat_is_bound_by_who_may_play_it(match_with_key: GameService) -> None:
    with pytest.raises(GameError, match="ben can't be played here"):
        match_with_key.bind("nim", "ben", PUBLIC["ann"], by="ann", viewer=Viewer("ann"))


def test_a_binding_is_for_good(match_with_key: GameService) -> None:
    match_with_key.bind("nim", "ben", PUBLIC["ben"], by="ben")
    for operation in [each for each in match_with_key.operations("nim") if each.what == "seat"]:
        with pytest.raises(GameError, match=r"this can't be taken back: (ann|ben) keeps its key"):
            match_with_key.take_back("nim", operation.id, by="eve")


def test_a_binding_that_was_tried_again_is_bound_once(match_with_key: GameService) -> None:
    for _ in range(2):
        match_with_key.bind("nim", "ben", PUBLIC["ben"], by="ben", command_id="c1")
    with pytest.raises(TakenError):
        match_with_key.bind("nim", "ben", PUBLIC["eve"], by="ben", command_id="c1")


def test_what_was_signed_is_not_played_again_elsewhere(match_with_key: GameService) -> None:
    match_with_key.fork("nim@1", "what-if", by="ben")
    with pytest.raises(GameError, match="@3 ann: take 1: ann's commands are signed, each where it stands"):
        match_with_key.pick("nim/what-if", "nim/main@2..3", by="ann")
    with pytest.raises(GameError, match="ann's commands are signed"):
        match_with_key.amend("nim@2", "take 2", by="ben")
    assert [info.name for info in match_with_key.lines("nim")] == ["main", "what-if"]


# Whoever holds the store appends what they like, in the right form and rightly sealed.


def forge(service: GameService, proof: bytes = b"", *, key: str = "") -> None:
    """A forged move of ann's after a move of ben's: with some proof, or signed with another key."""
    play(service, "ben", "take 1")
    loaded_line = service._lines.line("nim")
    line, state = loaded_line.line, loaded_line.states.state_at(loaded_line.line.head)
    decided = deciding.decide_commit(
        loaded_line.game, state, *deciding.command_of(loaded_line.game, state, "ann: take 3")
    )
    assert not isinstance(decided, Refused)
    if key:
        topic, played = service.store.codec.encode(decided.events[0])
        signed = KEYS[key].sign(signed_commands.message(line.path[0], line.head, topic, played, "c9"))
        proof = bytes.fromhex(PUBLIC[key]) + signed
    how: dict[str, Any] = {"by": "ann", "at": service.clock(), "id": "c9", "parent": line.head, "proof": proof}
    service.store.append(line.stream, line.revision, decided.events, state=decided.digest, **how)


def signed_elsewhere(service: GameService) -> bytes:
    """A signature that ann has made: of another command."""
    return next(entry.seal.proof for entry in service._lines.line("nim").line.commits.values() if entry.seal.proof)


def test_a_move_without_a_signature_is_found(match_with_key: GameService) -> None:
    forge(match_with_key)
    assert fault(match_with_key) == ("forged", f"ann's command is not signed, with the key {PUBLIC['ann'][:16]}")
    assert [audit.fault.kind for audit in match_with_key.verify_all() if audit.fault] == ["forged"]


def test_a_signature_from_elsewhere_is_found(match_with_key: GameService) -> None:
    forge(match_with_key, proof=signed_elsewhere(match_with_key))
    assert fault(match_with_key) == ("forged", f"ann's command was not signed with the key {PUBLIC['ann'][:16]}")


@pytest.mark.parametrize("proof", [b"x", bytes(96), bytes(97), b"\xff" * 96])
def test_a_signature_that_is_none_is_found(match_with_key: GameService, proof: bytes) -> None:
    forge(match_with_key, proof=proof)
    assert (fault(match_with_key) or ("",))[0] == "forged"


def test_a_signature_with_another_key_is_found(match_with_key: GameService) -> None:
    forge(match_with_key, key="eve")
    why = f"ann's command is signed with the key {PUBLIC['eve'][:16]}, not with {PUBLIC['ann'][:16]}"
    assert fault(match_with_key) == ("forged", why)


@pytest.mark.parametrize("how", [{}, {"key": "eve"}], ids=["unsigned", "by eve"])
def test_who_has_signed_once_signs_always_whatever_the_names_say(
    match_with_key: GameService, how: dict[str, str]
) -> None:
    """The binding was taken out of the names; the moves that ann has signed say that she signs."""
    forge(match_with_key, **how)  # type: ignore[arg-type]
    stream = match_with_key._lines.line("nim").line.stream
    problem = audit.verify_line(match_with_key.store.read, match_with_key._lines.game("nim"), "nim/main", stream).fault
    assert problem
    assert problem.kind == "forged"


def test_nothing_is_signed_where_no_seat_is_bound(service: GameService) -> None:
    service.signer = None
    service.new("nim", {}, name="nim", by="ann")
    play(service, "ann", "take 1")
    assert last(service).seal.proof == b""


def test_a_seat_that_is_not_there_is_not_bound_at_the_beginning(service: GameService) -> None:
    with pytest.raises(UnknownError, match="no player has the seat 'zoe' here"):
        service.new("nim", {}, name="nim", by="ann", keys={"zoe": PUBLIC["ann"]})
    assert service.games() == []


def test_games_with_keys_are_looked_up_by_them_too(service: GameService) -> None:
    first = service.new("nim", {}, by="ann", keys={"ann": PUBLIC["ann"]}, command_id="c1")
    assert service.new("nim", {}, by="ann", keys={"ann": PUBLIC["ann"]}, command_id="c1").match == first.match
    with pytest.raises(TakenError):
        service.new("nim", {}, by="ann", command_id="c1")
    assert isinstance(first.commit.events[0], Played)


def test_a_certificate_has_the_keys_and_is_verified_without_a_store(match_with_key: GameService) -> None:
    certificate = certificates.read_certificate(certificates.write(match_with_key.certificate("nim")))
    assert [(each.seat, each.key, each.after) for each in certificate.head.keys] == [("ann", PUBLIC["ann"], 0)]
    verification = certificates.verify(certificate, NIM)
    assert (verification.fault, [each.by for each in verification.signers]) == (None, ["ann"])
    forge(match_with_key)
    forged = certificates.verify(match_with_key.certificate("nim"), NIM).fault
    assert forged
    assert (forged.kind, forged.where[:10]) == ("forged", "nim/main@5")


def test_what_was_there_before_a_seat_was_bound_may_be_unsigned_in_a_certificate(service: GameService) -> None:
    service.new("nim", {"stones": "30"}, name="nim", by="ann")
    play(service, "ann", "take 1")
    service.bind("nim", "ann", PUBLIC["ann"], by="ann")
    play(service, "ben", "take 1")
    play(service, "ann", "take 1")
    certificate = service.certificate("nim")
    assert [each.after for each in certificate.head.keys] == [1]
    assert certificates.verify(certificate, NIM).fault is None
    service.adopt(certificate, "nim/again", by="ben")
    assert fault(service, "nim/again") is None, "its past is known by its digests"
    play(service, "ben", "take 1", "nim/again")
    with pytest.raises(GameError, match="ann's commands are signed"):
        service.play("nim/again", "take 1", by="ben")


def test_a_game_that_was_imported_has_its_keys(match_with_key: GameService) -> None:
    second_service = service_on("memory:", who="other")
    second_service.adopt(match_with_key.certificate("nim"), by="eve")
    assert second_service.verify("nim").fault is None
    play(second_service, "ben", "take 1")
    with pytest.raises(GameError, match="ann's commands are signed"):
        second_service.play("nim", "take 1", by="ann")


def test_a_seat_is_bound_once_and_for_all(service: GameService) -> None:
    """The owner of the store can write a second binding, with digests that are right: it contradicts the first."""
    service.new("nim", {"seed": "7"}, name="nim", by="ann", keys={"ann": PUBLIC["ann"]})
    names = service._lines.names("nim")
    service._writer.entry(names.stream, names.revision, [SeatBound("ann", PUBLIC["eve"], {})], "eve")
    assert [audit.fault.kind for audit in service.verify_all() if audit.fault] == ["damaged"]


def test_a_certificate_with_two_keys_for_a_seat_is_refused(match_with_key: GameService) -> None:
    certificate = match_with_key.certificate("nim")
    (key,) = certificate.head.keys
    twice = msgspec.structs.replace(certificate.head, keys=(key, msgspec.structs.replace(key, key=PUBLIC["eve"])))
    forged = certificates.Certificate(certificates.seal_header(twice), certificate.links)
    fault = certificates.verify(forged, NIM).fault
    assert fault
    assert fault.kind == "altered"


def test_unsigned_moves_of_a_bound_seat_do_not_come_in_by_a_file(match_with_key: GameService) -> None:
    """A certificate says itself which seats are bound: here it says none, as in a store of the forger's own."""
    certificate = match_with_key.certificate("nim@start")
    unbound = msgspec.structs.replace(certificate.head, keys=())
    remote_service = service_on("memory:", who="eve")
    remote_service.adopt(certificates.Certificate(certificates.seal_header(unbound), certificate.links), by="eve")
    play(remote_service, "eve", "take 2")
    with pytest.raises(GameError, match="ann's commands in nim are signed"):
        match_with_key.adopt(remote_service.certificate("nim"), by="ben")


def meanwhile(service: GameService, method: str, act: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lets something happen just before a service writes, once."""
    write, left = getattr(service.store, method), [act]

    def writes(*args: Any, **how: Any) -> Any:
        if left:
            left.pop()()
        return write(*args, **how)

    monkeypatch.setattr(service.store, method, writes)


def test_a_move_that_lands_while_its_seat_is_bound_was_there_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = (service_on(f"sqlite:///{tmp_path}/games.db", who=who) for who in ("one", "other"))
    first.new("nim", {"stones": "30"}, name="nim", by="ann")
    second.position("nim")
    meanwhile(first, "adopt", lambda: play(second, "ann", "take 1"), monkeypatch)
    first.bind("nim", "ann", PUBLIC["ann"], by="ann")
    assert (first.position("nim").commit.number, fault(first)) == (1, None)
    with first.store, second.store:
        play(second, "ben", "take 1")
        with pytest.raises(GameError, match="ann's commands are signed"):
            second.play("nim", "take 1", by="ann")


def test_a_move_that_is_written_after_its_seat_was_bound_meets_a_conflict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = (service_on(f"sqlite:///{tmp_path}/games.db", who=who) for who in ("one", "other"))
    first.new("nim", {"stones": "30"}, name="nim", by="ann")
    first.fork("nim", "what-if", by="ann")
    for place in ("nim/main", "nim/what-if"):
        second.position(place)
    meanwhile(second, "append", lambda: first.bind("nim", "ann", PUBLIC["ann"], by="ann"), monkeypatch)
    with first.store, second.store:
        with pytest.raises(ConflictError):
            second.play("nim/what-if", "take 1", by="ann")
        assert [audit.fault for audit in first.verify_all()] == [None, None]


def test_a_line_that_begins_while_a_seat_is_bound_has_no_move_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = (service_on(f"sqlite:///{tmp_path}/games.db", who=who) for who in ("one", "other"))
    first.new("nim", {"stones": "30"}, name="nim", by="ann")
    play(first, "ann", "take 1")
    meanwhile(second, "append_all", lambda: first.bind("nim", "ann", PUBLIC["ann"], by="ann"), monkeypatch)
    with first.store, second.store:
        with pytest.raises(GameError, match="ann's commands are signed"):
            second.amend("nim@1", "take 2", by="ann")
        assert [info.name for info in first.lines("nim")] == ["main"]
