"""With write access to the store, but without a seat's key, you can't move for that seat."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from event_store import Entry
from tests.service.nim_service import NIM_ONLY, service_on
from zimcore.game import GameError, Played, Refused
from zimcore.service import ConflictError, GameService, Position, TakenError, UnknownError, Viewer
from zimcore.service.proofs import audit, certificates
from zimcore.service.records import deciding, ed25519, signed_commands
from zimcore.service.records.bindings import SeatBound

PRIVATE_KEYS_BY_PLAYER = {
    player: ed25519.key_from_bytes(bytes([number + 48]) * 64) for number, player in enumerate(("ann", "ben", "eve"))
}
PUBLIC_KEYS = {player: ed25519.public_key(key) for player, key in PRIVATE_KEYS_BY_PLAYER.items()}


def sign_with_own_key(by: str, key: str, message: bytes) -> bytes:
    """Signs with the key of `by`, whichever key is asked for."""
    del key
    return PRIVATE_KEYS_BY_PLAYER[by].sign(message)


@pytest.fixture
def service(store_url: str) -> Iterator[GameService]:
    service = service_on(store_url)
    service.signer = sign_with_own_key
    with service.store:
        yield service


@pytest.fixture
def service_with_bound_seat(service: GameService) -> GameService:
    """Ann's seat is bound to her key, ben's is not; two moves each, of which ben's last is undone."""
    service.new("nim", {"seed": "7", "stones": "30"}, name="nim", by="ann", keys={"ann": PUBLIC_KEYS["ann"]})
    for by in ("ann", "ben", "ann", "ben"):
        play_as(service, by, "take 1")
    service.undo("nim", by="ben")
    return service


def play_as(service: GameService, by: str, text: str, place: str = "nim", **options: Any) -> Position:
    answer = service.play(place, text, by=by, **options)
    assert not isinstance(answer, Refused)
    return answer


def head_entry(service: GameService) -> Entry:
    line = service._repository.line("nim").line
    return line.commits[line.head]


def fault_found(service: GameService, place: str = "nim") -> tuple[str, str] | None:
    """The kind and the text of the fault that `verify` finds."""
    fault = service.verify(place).fault
    return (fault.kind, fault.what) if fault else None


def test_a_bound_seat_signs_its_moves(service_with_bound_seat: GameService) -> None:
    audit = service_with_bound_seat.verify("nim")
    assert audit.fault is None
    assert [(each.by, each.seat, each.key) for each in audit.signers] == [("ann", "ann", PUBLIC_KEYS["ann"])]
    commits = list(service_with_bound_seat._repository.line("nim").line.commits.values())
    assert [bool(entry.seal.proof) for entry in commits] == [False, True, False, True, False]
    assert len(commits[1].seal.proof) == 96


def test_a_bound_seat_is_played_only_with_its_key(service_with_bound_seat: GameService) -> None:
    play_as(service_with_bound_seat, "ben", "take 1")
    for by in ("ben", "eve"):
        with pytest.raises(
            GameError, match=f"ann's commands are signed: this was not, with the key {PUBLIC_KEYS['ann'][:16]}"
        ):
            service_with_bound_seat.play("nim", "take 1", by=by)
    service_with_bound_seat.signer = None
    with pytest.raises(GameError, match=r"ann's commands are signed: with the key \w+, which is not on this machine"):
        service_with_bound_seat.play("nim", "take 1", by="ann")
    assert service_with_bound_seat.position("nim").commit.number == 4


def test_a_retried_signed_command_is_played_once(service_with_bound_seat: GameService) -> None:
    play_as(service_with_bound_seat, "ben", "take 1")
    first_position = play_as(service_with_bound_seat, "ann", "take 2", command_id="c1")
    assert play_as(service_with_bound_seat, "ann", "take 2", command_id="c1").commit == first_position.commit
    assert (
        head_entry(service_with_bound_seat).seal.id,
        bool(head_entry(service_with_bound_seat).seal.request),
        bool(head_entry(service_with_bound_seat).seal.proof),
    ) == ("c1", True, True)
    assert service_with_bound_seat.verify("nim").fault is None


def test_a_seat_may_be_bound_later(service: GameService) -> None:
    service.new("nim", {"stones": "30"}, name="nim", by="ann")
    play_as(service, "eve", "take 1")
    service.fork("nim", "what-if", by="ann")
    play_as(service, "ann", "take 1")
    service.bind("nim", "ann", PUBLIC_KEYS["ann"], by="ann")
    assert fault_found(service) is None, "moves before the binding need no signature"
    play_as(service, "ann", "take 1")
    play_as(service, "ben", "take 1", "nim/what-if")
    for place in ("nim", "nim/what-if"):
        if service.position(place).actor == "ben":
            play_as(service, "ben", "take 1", place)
        with pytest.raises(GameError, match="ann's commands are signed"):
            service.play(place, "take 1", by="ben")
        assert fault_found(service, place) is None
    assert ("seat", "ann", PUBLIC_KEYS["ann"][:16]) in [
        (operation.what, operation.source, operation.target) for operation in service.operations("nim")
    ]


@pytest.mark.parametrize(
    ("seat", "key", "message"),
    [
        ("ann", PUBLIC_KEYS["eve"], "ann has a key already"),
        ("zoe", PUBLIC_KEYS["eve"], "no player has the seat 'zoe' here"),
        ("ben", "00", "not a key: '00'"),
        ("ben", PUBLIC_KEYS["eve"].upper(), "not a key"),
    ],
)
def test_an_invalid_binding_is_refused(service_with_bound_seat: GameService, seat: str, key: str, message: str) -> None:
    with pytest.raises(GameError, match=message):
        service_with_bound_seat.bind("nim", seat, key, by="eve")


def test_only_a_viewer_who_may_play_a_seat_binds_it(service_with_bound_seat: GameService) -> None:
    with pytest.raises(GameError, match="ben can't be played here"):
        service_with_bound_seat.bind("nim", "ben", PUBLIC_KEYS["ann"], by="ann", viewer=Viewer("ann"))


def test_a_binding_can_t_be_taken_back(service_with_bound_seat: GameService) -> None:
    service_with_bound_seat.bind("nim", "ben", PUBLIC_KEYS["ben"], by="ben")
    for operation in [each for each in service_with_bound_seat.operations("nim") if each.what == "seat"]:
        with pytest.raises(GameError, match=r"this can't be taken back: (ann|ben) keeps its key"):
            service_with_bound_seat.take_back("nim", operation.id, by="eve")


def test_a_retried_binding_is_stored_once(service_with_bound_seat: GameService) -> None:
    for _ in range(2):
        service_with_bound_seat.bind("nim", "ben", PUBLIC_KEYS["ben"], by="ben", command_id="c1")
    with pytest.raises(TakenError):
        service_with_bound_seat.bind("nim", "ben", PUBLIC_KEYS["eve"], by="ben", command_id="c1")


def test_a_signed_move_is_not_played_again_elsewhere(service_with_bound_seat: GameService) -> None:
    service_with_bound_seat.fork("nim@1", "what-if", by="ben")
    with pytest.raises(GameError, match="@3 ann: take 1: ann's commands are signed, each where it stands"):
        service_with_bound_seat.pick("nim/what-if", "nim/main@2..3", by="ann")
    with pytest.raises(GameError, match="ann's commands are signed"):
        service_with_bound_seat.amend("nim@2", "take 2", by="ben")
    assert [info.name for info in service_with_bound_seat.lines("nim")] == ["main", "what-if"]


# An owner of the store can append anything in the right form and with a valid seal.


def append_forged_move(service: GameService, proof: bytes = b"", *, signer: str = "") -> None:
    """Appends a move of ben and then a forged move of ann: with this proof, or signed by `signer`."""
    play_as(service, "ben", "take 1")
    loaded_line = service._repository.line("nim")
    line, state = loaded_line.line, loaded_line.states.state_at(loaded_line.line.head)
    decision = deciding.decide_commit(
        loaded_line.game, state, *deciding.read_command(loaded_line.game, state, "ann: take 3")
    )
    assert not isinstance(decision, Refused)
    if signer:
        topic, content = service.store.codec.encode(decision.events[0])
        signature = PRIVATE_KEYS_BY_PLAYER[signer].sign(
            signed_commands.command_message(line.path[0], line.head, topic, content, "c9")
        )
        proof = bytes.fromhex(PUBLIC_KEYS[signer]) + signature
    fields: dict[str, Any] = {"by": "ann", "at": service.clock(), "id": "c9", "parent": line.head, "proof": proof}
    service.store.append(line.stream, line.revision, decision.events, state=decision.digest, **fields)


def signature_of_another_move(service: GameService) -> bytes:
    """A valid signature of ann, but of another command."""
    return next(entry.seal.proof for entry in service._repository.line("nim").line.commits.values() if entry.seal.proof)


def test_a_move_without_a_signature_is_found(service_with_bound_seat: GameService) -> None:
    append_forged_move(service_with_bound_seat)
    assert fault_found(service_with_bound_seat) == (
        "forged",
        f"ann's command is not signed, with the key {PUBLIC_KEYS['ann'][:16]}",
    )
    assert [audit.fault.kind for audit in service_with_bound_seat.verify_all() if audit.fault] == ["forged"]


def test_a_signature_from_elsewhere_is_found(service_with_bound_seat: GameService) -> None:
    append_forged_move(service_with_bound_seat, proof=signature_of_another_move(service_with_bound_seat))
    assert fault_found(service_with_bound_seat) == (
        "forged",
        f"ann's command was not signed with the key {PUBLIC_KEYS['ann'][:16]}",
    )


@pytest.mark.parametrize("proof", [b"x", bytes(96), bytes(97), b"\xff" * 96])
def test_an_invalid_signature_is_found(service_with_bound_seat: GameService, proof: bytes) -> None:
    append_forged_move(service_with_bound_seat, proof=proof)
    assert (fault_found(service_with_bound_seat) or ("",))[0] == "forged"


def test_a_signature_with_another_key_is_found(service_with_bound_seat: GameService) -> None:
    append_forged_move(service_with_bound_seat, signer="eve")
    expected_text = (
        f"ann's command is signed with the key {PUBLIC_KEYS['eve'][:16]}, not with {PUBLIC_KEYS['ann'][:16]}"
    )
    assert fault_found(service_with_bound_seat) == ("forged", expected_text)


@pytest.mark.parametrize("forgery", [{}, {"signer": "eve"}], ids=["unsigned", "by eve"])
def test_a_seat_that_signed_once_must_sign_without_its_binding_too(
    service_with_bound_seat: GameService, forgery: dict[str, str]
) -> None:
    """The line is verified without its names: the moves that ann signed show that she signs."""
    append_forged_move(service_with_bound_seat, **forgery)  # type: ignore[arg-type]
    stream = service_with_bound_seat._repository.line("nim").line.stream
    fault = audit.verify_line(
        service_with_bound_seat.store.read, service_with_bound_seat._repository.game("nim"), "nim/main", stream
    ).fault
    assert fault
    assert fault.kind == "forged"


def test_an_unbound_seat_does_not_sign(service: GameService) -> None:
    service.signer = None
    service.new("nim", {}, name="nim", by="ann")
    play_as(service, "ann", "take 1")
    assert head_entry(service).seal.proof == b""


def test_a_new_game_binds_no_missing_seat(service: GameService) -> None:
    with pytest.raises(UnknownError, match="no player has the seat 'zoe' here"):
        service.new("nim", {}, name="nim", by="ann", keys={"zoe": PUBLIC_KEYS["ann"]})
    assert service.games() == []


def test_a_retried_new_game_must_have_the_same_keys(service: GameService) -> None:
    first_position = service.new("nim", {}, by="ann", keys={"ann": PUBLIC_KEYS["ann"]}, command_id="c1")
    assert (
        service.new("nim", {}, by="ann", keys={"ann": PUBLIC_KEYS["ann"]}, command_id="c1").match
        == first_position.match
    )
    with pytest.raises(TakenError):
        service.new("nim", {}, by="ann", command_id="c1")
    assert isinstance(first_position.commit.events[0], Played)


def test_a_certificate_has_the_keys_and_is_verified_without_a_store(service_with_bound_seat: GameService) -> None:
    certificate = certificates.read_certificate(certificates.to_bytes(service_with_bound_seat.certificate("nim")))
    assert [(each.seat, each.key, each.after) for each in certificate.header.keys] == [("ann", PUBLIC_KEYS["ann"], 0)]
    audit = certificates.verify_certificate(certificate, NIM_ONLY)
    assert (audit.fault, [each.by for each in audit.signers]) == (None, ["ann"])
    append_forged_move(service_with_bound_seat)
    fault = certificates.verify_certificate(service_with_bound_seat.certificate("nim"), NIM_ONLY).fault
    assert fault
    assert (fault.kind, fault.where[:10]) == ("forged", "nim/main@5")


def test_a_certificate_may_have_unsigned_moves_from_before_the_binding(service: GameService) -> None:
    service.new("nim", {"stones": "30"}, name="nim", by="ann")
    play_as(service, "ann", "take 1")
    service.bind("nim", "ann", PUBLIC_KEYS["ann"], by="ann")
    play_as(service, "ben", "take 1")
    play_as(service, "ann", "take 1")
    certificate = service.certificate("nim")
    assert [each.after for each in certificate.header.keys] == [1]
    assert certificates.verify_certificate(certificate, NIM_ONLY).fault is None
    service.adopt(certificate, "nim/again", by="ben")
    assert fault_found(service, "nim/again") is None, "its past is known by its digests"
    play_as(service, "ben", "take 1", "nim/again")
    with pytest.raises(GameError, match="ann's commands are signed"):
        service.play("nim/again", "take 1", by="ben")


def test_an_imported_game_keeps_its_keys(service_with_bound_seat: GameService) -> None:
    other_service = service_on("memory:", id_prefix="other")
    other_service.adopt(service_with_bound_seat.certificate("nim"), by="eve")
    assert other_service.verify("nim").fault is None
    play_as(other_service, "ben", "take 1")
    with pytest.raises(GameError, match="ann's commands are signed"):
        other_service.play("nim", "take 1", by="ann")


def test_a_second_binding_of_a_seat_is_damage(service: GameService) -> None:
    """The owner of the store can write a second binding, with digests that are right: it contradicts the first."""
    service.new("nim", {"seed": "7"}, name="nim", by="ann", keys={"ann": PUBLIC_KEYS["ann"]})
    names = service._repository.names("nim")
    service._writer.append_entry(names.stream, names.revision, [SeatBound("ann", PUBLIC_KEYS["eve"], {})], "eve")
    assert [audit.fault.kind for audit in service.verify_all() if audit.fault] == ["damaged"]


def test_a_certificate_with_two_keys_for_a_seat_is_refused(service_with_bound_seat: GameService) -> None:
    certificate = service_with_bound_seat.certificate("nim")
    (key,) = certificate.header.keys
    header_with_two_keys = msgspec.structs.replace(
        certificate.header, keys=(key, msgspec.structs.replace(key, key=PUBLIC_KEYS["eve"]))
    )
    forged_certificate = certificates.Certificate(certificates.seal_header(header_with_two_keys), certificate.links)
    fault = certificates.verify_certificate(forged_certificate, NIM_ONLY).fault
    assert fault
    assert fault.kind == "altered"


def test_an_import_can_t_add_unsigned_moves_of_a_bound_seat(service_with_bound_seat: GameService) -> None:
    """A certificate says itself which seats are bound: here it says none, as in a store of the forger's own."""
    certificate = service_with_bound_seat.certificate("nim@start")
    header_without_keys = msgspec.structs.replace(certificate.header, keys=())
    other_service = service_on("memory:", id_prefix="eve")
    other_service.adopt(
        certificates.Certificate(certificates.seal_header(header_without_keys), certificate.links), by="eve"
    )
    play_as(other_service, "eve", "take 2")
    with pytest.raises(GameError, match="ann's commands in nim are signed"):
        service_with_bound_seat.adopt(other_service.certificate("nim"), by="ben")


def act_before_next_write(service: GameService, method: str, act: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls `act` once, just before the next write of a service."""
    original_write, pending_acts = getattr(service.store, method), [act]

    def act_and_write(*args: Any, **kwargs: Any) -> Any:
        if pending_acts:
            pending_acts.pop()()
        return original_write(*args, **kwargs)

    monkeypatch.setattr(service.store, method, act_and_write)


def test_a_move_stored_just_before_its_seat_is_bound_needs_no_signature(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann_service, other_service = (
        service_on(f"sqlite:///{tmp_path}/games.db", id_prefix=id_prefix) for id_prefix in ("one", "other")
    )
    ann_service.new("nim", {"stones": "30"}, name="nim", by="ann")
    other_service.position("nim")
    act_before_next_write(ann_service, "adopt", lambda: play_as(other_service, "ann", "take 1"), monkeypatch)
    ann_service.bind("nim", "ann", PUBLIC_KEYS["ann"], by="ann")
    assert (ann_service.position("nim").commit.number, fault_found(ann_service)) == (1, None)
    with ann_service.store, other_service.store:
        play_as(other_service, "ben", "take 1")
        with pytest.raises(GameError, match="ann's commands are signed"):
            other_service.play("nim", "take 1", by="ann")


def test_an_unsigned_move_written_after_the_binding_is_a_conflict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ann_service, other_service = (
        service_on(f"sqlite:///{tmp_path}/games.db", id_prefix=id_prefix) for id_prefix in ("one", "other")
    )
    ann_service.new("nim", {"stones": "30"}, name="nim", by="ann")
    ann_service.fork("nim", "what-if", by="ann")
    for place in ("nim/main", "nim/what-if"):
        other_service.position(place)
    act_before_next_write(
        other_service, "append", lambda: ann_service.bind("nim", "ann", PUBLIC_KEYS["ann"], by="ann"), monkeypatch
    )
    with ann_service.store, other_service.store:
        with pytest.raises(ConflictError):
            other_service.play("nim/what-if", "take 1", by="ann")
        assert [audit.fault for audit in ann_service.verify_all()] == [None, None]


def test_a_line_begun_during_a_binding_has_no_unsigned_move(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ann_service, other_service = (
        service_on(f"sqlite:///{tmp_path}/games.db", id_prefix=id_prefix) for id_prefix in ("one", "other")
    )
    ann_service.new("nim", {"stones": "30"}, name="nim", by="ann")
    play_as(ann_service, "ann", "take 1")
    act_before_next_write(
        other_service, "append_all", lambda: ann_service.bind("nim", "ann", PUBLIC_KEYS["ann"], by="ann"), monkeypatch
    )
    with ann_service.store, other_service.store:
        with pytest.raises(GameError, match="ann's commands are signed"):
            other_service.amend("nim@1", "take 2", by="ann")
        assert [info.name for info in ann_service.lines("nim")] == ["main"]
