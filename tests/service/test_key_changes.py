"""A seat changes its key: old signatures stay valid, and the change needs the old key."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest

from event_store import ConflictError
from event_store.export import export_lines
from tests.service.nim_service import NIM_ONLY, service_on
from tests.service.test_signed_commands import (
    PRIVATE_KEYS_BY_PLAYER,
    PUBLIC_KEYS,
    append_forged_move,
    fault_found,
    play_as,
)
from zimcore.game import GameError
from zimcore.service import GameService, TakenError, UnknownError
from zimcore.service.proofs import certificates
from zimcore.service.records import bindings, ed25519
from zimcore.service.records.bindings import KeyChanged, SeatBound
from zimcore.service.records.names import OWN_LINE_MARK

NEW_PRIVATE_KEYS = {key_number: ed25519.key_from_bytes(bytes([key_number + 97]) * 64) for key_number in range(5)}
PRIVATE_KEY_BY_PUBLIC = {
    ed25519.public_key(key): key for key in (*PRIVATE_KEYS_BY_PLAYER.values(), *NEW_PRIVATE_KEYS.values())
}
NEW_PUBLIC_KEYS = {key_number: ed25519.public_key(key) for key_number, key in NEW_PRIVATE_KEYS.items()}


def sign(by: str, key: str, message: bytes) -> bytes:
    """Signs with any key but eve's; eve signs only with her own."""
    return (PRIVATE_KEYS_BY_PLAYER["eve"] if by == "eve" else PRIVATE_KEY_BY_PUBLIC[key]).sign(message)


@pytest.fixture(params=["memory:", "sqlite"])
def service(request: pytest.FixtureRequest, url: str) -> Iterator[GameService]:
    service = service_on({"memory:": "memory:", "sqlite": url}[request.param])
    service.signer = sign
    with service.store:
        yield service


@pytest.fixture
def match_with_two_keys(service: GameService) -> GameService:
    """Ann has played two moves with her first key and two with another; ben has a key from then on."""
    service.new("nim", {"seed": "7", "stones": "30"}, name="nim", by="ann", keys={"ann": PUBLIC_KEYS["ann"]})
    for by in ("ann", "ben", "ann", "ben"):
        play_as(service, by, "take 1")
    service.fork("nim@2", "other", by="ben")
    change_key(service)
    service.bind("nim", "ben", PUBLIC_KEYS["ben"], by="ben")
    for by in ("ann", "ben", "ann", "ben"):
        play_as(service, by, "take 1", "nim/main")
    return service


def change_key(service: GameService, key: str = NEW_PUBLIC_KEYS[0], **options: Any) -> None:
    service.bind("nim/main", "ann", key, **{"by": "ann", **options})


def append_names(service: GameService, *events: msgspec.Struct) -> None:
    """The owner of the store adds an entry of their own to the names, with a correct seal."""
    names = service._repository.names("nim")
    service._writer.append_entry(names.stream, names.revision, events, "eve")


def fault_kinds(service: GameService) -> set[str]:
    return {audit.fault.kind for audit in service.verify_all() if audit.fault}


def test_moves_are_verified_with_the_key_of_their_time(
    match_with_two_keys: GameService,
) -> None:
    audit = match_with_two_keys.verify("nim/main")
    assert (audit.fault, audit.unproven) == (None, ())
    assert [(each.by, each.key, each.former) for each in audit.signers] == [
        ("ann", PUBLIC_KEYS["ann"], ""),
        ("ann", NEW_PUBLIC_KEYS[0], PUBLIC_KEYS["ann"]),
        ("ben", PUBLIC_KEYS["ben"], ""),
    ]
    line = match_with_two_keys._repository.line("nim", "main").line
    keys = [entry.seal.proof[:32].hex() for entry in line.commits.values()]
    assert keys == ["", PUBLIC_KEYS["ann"], "", PUBLIC_KEYS["ann"], "", *[NEW_PUBLIC_KEYS[0], PUBLIC_KEYS["ben"]] * 2]
    assert fault_kinds(match_with_two_keys) == set()


def test_other_lines_use_the_new_key_too(match_with_two_keys: GameService) -> None:
    play_as(match_with_two_keys, "ann", "take 2", "nim/other")
    assert match_with_two_keys._repository.line("nim", "other").line.commits
    assert {each.key for each in match_with_two_keys.verify("nim/other").signers} == {
        PUBLIC_KEYS["ann"],
        NEW_PUBLIC_KEYS[0],
    }
    assert fault_found(match_with_two_keys, "nim/other") is None


def test_a_key_may_change_repeatedly_and_return(match_with_two_keys: GameService) -> None:
    for key in (NEW_PUBLIC_KEYS[1], PUBLIC_KEYS["ann"], NEW_PUBLIC_KEYS[0], NEW_PUBLIC_KEYS[1]):
        change_key(match_with_two_keys, key)
        play_as(match_with_two_keys, "ann", "take 1", "nim/main")
        play_as(match_with_two_keys, "ben", "take 1", "nim/main")
    assert fault_found(match_with_two_keys, "nim/main") is None
    certificate = certificates.read_certificate(certificates.to_bytes(match_with_two_keys.certificate("nim/main")))
    assert [each.key for each in certificate.header.changed] == [
        NEW_PUBLIC_KEYS[0],
        NEW_PUBLIC_KEYS[1],
        PUBLIC_KEYS["ann"],
        NEW_PUBLIC_KEYS[0],
        NEW_PUBLIC_KEYS[1],
    ]
    assert certificates.verify_certificate(certificate, NIM_ONLY).fault is None


@pytest.mark.parametrize(
    ("by", "key", "message"),
    [
        ("eve", PUBLIC_KEYS["eve"], "ann has a key already: .* must sign the new one, and has not"),
        ("ann", PUBLIC_KEYS["ann"], "ann has that key already"),
        ("ann", "00", "not a key"),
    ],
)
def test_a_key_change_by_another_player_is_refused(service: GameService, by: str, key: str, message: str) -> None:
    service.new("nim", {}, name="nim", by="ann", keys={"ann": PUBLIC_KEYS["ann"]})
    with pytest.raises(GameError, match=message):
        service.bind("nim", "ann", key, by=by)
    assert service.names("nim").all_bindings["ann"] == (SeatBound("ann", PUBLIC_KEYS["ann"], {}),)


def test_a_key_that_can_t_sign_is_not_bound(service: GameService) -> None:
    service.new("nim", {}, name="nim", by="ann", keys={"ann": PUBLIC_KEYS["ann"]})

    def sign_as_ann(by: str, key: str, message: bytes) -> bytes:
        del by, key
        return PRIVATE_KEYS_BY_PLAYER["ann"].sign(message)

    with pytest.raises(GameError, match="has not signed: the new key must sign too"):
        service.bind("nim", "ann", NEW_PUBLIC_KEYS[0], by="ann", signer=sign_as_ann)
    service.signer = None
    with pytest.raises(GameError, match="is not on this machine"):
        service.bind("nim", "ann", NEW_PUBLIC_KEYS[0], by="ann")


def test_a_retried_key_change_is_stored_once(match_with_two_keys: GameService) -> None:
    for _ in range(2):
        change_key(match_with_two_keys, NEW_PUBLIC_KEYS[1], command_id="c1")
    assert len(match_with_two_keys.names("nim").all_bindings["ann"]) == 3
    with pytest.raises(TakenError):
        change_key(match_with_two_keys, NEW_PUBLIC_KEYS[1], command_id="c1", lost=True)


def test_the_old_key_signs_no_more_moves(match_with_two_keys: GameService) -> None:
    def sign_with_old_key(by: str, key: str, message: bytes) -> bytes:
        del key
        return PRIVATE_KEYS_BY_PLAYER[by].sign(message)

    match_with_two_keys.signer = sign_with_old_key
    with pytest.raises(GameError, match="ann's commands are signed: this was not"):
        match_with_two_keys.play("nim/main", "take 1", by="ann")
    append_forged_move(play_as_ann(match_with_two_keys), signer="ann")
    assert fault_found(match_with_two_keys, "nim/main") == (
        "forged",
        f"ann's command is signed with the key {PUBLIC_KEYS['ann'][:16]}, not with {NEW_PUBLIC_KEYS[0][:16]}",
    )


def play_as_ann(service: GameService) -> GameService:
    """Plays a move of ann, so that it is ben's turn when the forgery begins."""
    service.signer = sign
    play_as(service, "ann", "take 1", "nim/main")
    return service


def signed_key_change(
    number: int, key: str, *, game_digest: bytes, seat: str = "ann", former_key_count: int = 1, by: str = "ann"
) -> KeyChanged:
    """A key change signed by `by`, for a seat with so many former keys, the last of them `NEW_PUBLIC_KEYS[number]`."""
    old_binding = SeatBound(seat, PUBLIC_KEYS["ann"] if number < 0 else NEW_PUBLIC_KEYS[number], {})
    message = bindings.key_change_message(game_digest, seat, [old_binding] * former_key_count, key)
    return KeyChanged(seat, key, {}, PRIVATE_KEYS_BY_PLAYER[by].sign(message), PRIVATE_KEY_BY_PUBLIC[key].sign(message))


def first_commit(service: GameService) -> bytes:
    return service._repository.line("nim").line.path[0]


FORGED_CHANGES: dict[str, Callable[[GameService], msgspec.Struct]] = {
    "by a stranger": lambda service: signed_key_change(
        0, PUBLIC_KEYS["eve"], game_digest=first_commit(service), former_key_count=2, by="eve"
    ),
    "by the key before": lambda service: signed_key_change(
        0, NEW_PUBLIC_KEYS[1], game_digest=first_commit(service), former_key_count=2, by="ann"
    ),
    "of another game": lambda service: msgspec.structs.replace(
        service.names("nim").all_bindings["ann"][1], key=NEW_PUBLIC_KEYS[1]
    ),
    "for another seat": lambda service: msgspec.structs.replace(
        service.names("nim").all_bindings["ann"][1], seat="ben"
    ),
    "half signed": lambda service: KeyChanged("ann", NEW_PUBLIC_KEYS[1], {}, b"", bytes(64)),
    "no signatures": lambda service: KeyChanged("ann", NEW_PUBLIC_KEYS[1], {}, b"x", b"y"),
    "no key": lambda service: KeyChanged("ann", "nonsense", {}, bytes(64), bytes(64)),
}


@pytest.mark.parametrize("forgery", FORGED_CHANGES)
def test_a_forged_key_change_is_found(match_with_two_keys: GameService, forgery: str) -> None:
    append_names(match_with_two_keys, FORGED_CHANGES[forgery](match_with_two_keys))
    assert fault_kinds(match_with_two_keys) == {"forged"}
    assert (fault_found(match_with_two_keys, "nim/main") or ("",))[0] == "forged"
    other_service, lines = service_on("memory:", id_prefix="there"), list(export_lines(match_with_two_keys.store))
    with pytest.raises(GameError, match="it is not imported"):
        other_service.import_(lines, by="eve")
    assert other_service.games() == []
    with pytest.raises(GameError, match="it is not imported"):
        other_service.adopt(match_with_two_keys.certificate("nim/main"), by="eve")


def test_a_repeated_key_change_is_found(match_with_two_keys: GameService) -> None:
    """The signed change to the second key is stored again as the change to a fourth one."""
    (_, key_change) = match_with_two_keys.names("nim").all_bindings["ann"]
    change_key(match_with_two_keys, PUBLIC_KEYS["ann"])
    append_names(match_with_two_keys, key_change)
    assert fault_kinds(match_with_two_keys) == {"forged"}


def test_a_key_change_of_another_game_is_found(match_with_two_keys: GameService) -> None:
    other_service = service_on("memory:", id_prefix="other")
    other_service.signer = sign
    other_service.new("nim", {"seed": "8", "stones": "30"}, name="nim", by="ann", keys={"ann": PUBLIC_KEYS["ann"]})
    append_names(other_service, *match_with_two_keys.names("nim").all_bindings["ann"][1:])
    assert fault_kinds(other_service) == {"forged"}


@pytest.mark.parametrize(
    "event", [KeyChanged("zoe", NEW_PUBLIC_KEYS[1], {}), KeyChanged("ann", NEW_PUBLIC_KEYS[0], {})]
)
def test_an_impossible_key_change_is_damage(match_with_two_keys: GameService, event: KeyChanged) -> None:
    append_names(match_with_two_keys, event)
    assert "damaged" in fault_kinds(match_with_two_keys)


def test_a_rebound_seat_plays_on_and_stays_reported(match_with_two_keys: GameService) -> None:
    match_with_two_keys.bind("nim/main", "ann", NEW_PUBLIC_KEYS[1], by="hanna", lost=True)
    play_as(match_with_two_keys, "ann", "take 1", "nim/main")
    audit = match_with_two_keys.verify("nim/main")
    assert audit.fault is None
    (warning,) = audit.unproven
    assert warning.startswith(
        f"ann was bound anew: the key {NEW_PUBLIC_KEYS[0][:16]} has not signed for {NEW_PUBLIC_KEYS[1][:16]}"
    )
    assert {each.key: each.former for each in audit.signers}[NEW_PUBLIC_KEYS[1]] == ""
    certificate = match_with_two_keys.certificate("nim/main")
    assert certificates.verify_certificate(certificate, NIM_ONLY).unproven == (warning,)
    other_service = service_on("memory:", id_prefix="there")
    other_service.adopt(certificate, by="ben")
    assert other_service.verify("nim").unproven == (warning,)
    other_service = service_on("memory:", id_prefix="elsewhere")
    other_service.import_(list(export_lines(match_with_two_keys.store)), by="ben")
    assert other_service.verify("nim/main").unproven == (warning,)


def test_an_import_changes_keys_only_by_signatures(match_with_two_keys: GameService) -> None:
    importing_service = service_on("memory:", id_prefix="here")
    importing_service.signer = sign
    importing_service.import_(list(export_lines(match_with_two_keys.store)), by="ann")
    change_key(match_with_two_keys, NEW_PUBLIC_KEYS[1])
    play_as(match_with_two_keys, "ann", "take 1", "nim/main")
    importing_service.import_(list(export_lines(match_with_two_keys.store)), by="ann")
    assert [each.key for each in importing_service.names("nim").all_bindings["ann"]] == [
        PUBLIC_KEYS["ann"],
        NEW_PUBLIC_KEYS[0],
        NEW_PUBLIC_KEYS[1],
    ]
    assert fault_found(importing_service, "nim/main") is None
    match_with_two_keys.bind("nim/main", "ben", PUBLIC_KEYS["eve"], by="eve", lost=True)
    play_as(match_with_two_keys, "eve", "take 1", "nim/main")
    with pytest.raises(ConflictError, match="ben of nim are bound to keys here, and in this file they are not"):
        importing_service.import_(list(export_lines(match_with_two_keys.store)), by="ann")


def test_an_adopted_game_has_all_its_keys(match_with_two_keys: GameService) -> None:
    other_service = service_on("memory:", id_prefix="there")
    other_service.signer = sign
    other_service.adopt(match_with_two_keys.certificate("nim/main"), by="ben")
    play_as(other_service, "ann", "take 1")
    assert fault_found(other_service) is None
    assert [each.key for each in other_service.names("nim").all_bindings["ann"]] == [
        PUBLIC_KEYS["ann"],
        NEW_PUBLIC_KEYS[0],
    ]


def test_an_old_certificate_does_not_let_the_old_key_in(match_with_two_keys: GameService) -> None:
    """The certificate is from before the change, and its player goes on with the old key elsewhere."""
    other_service = service_on("memory:", id_prefix="there")
    other_service.signer = sign
    header = msgspec.structs.replace(match_with_two_keys.certificate("nim@3").header, changed=())
    old_certificate = certificates.Certificate(
        certificates.seal_header(header), match_with_two_keys.certificate("nim@3").links
    )
    other_service.adopt(old_certificate, by="eve")
    play_as(other_service, "ben", "take 3")
    play_as(other_service, "ann", "take 3")
    with pytest.raises(GameError, match="ann's commands in nim are signed"):
        match_with_two_keys.adopt(other_service.certificate("nim"), by="ben")


@pytest.mark.parametrize(
    "changes",
    [
        {"keys": ()},
        {"changed": (certificates.ChangedKey("zoe", NEW_PUBLIC_KEYS[0], 1),)},
        {"changed": (certificates.ChangedKey("ann", NEW_PUBLIC_KEYS[1], 4, "00", "00"),)},
        {"changed": (certificates.ChangedKey("ann", PUBLIC_KEYS["ann"], 4),)},
    ],
)
def test_a_certificate_with_impossible_keys_is_faulty(
    match_with_two_keys: GameService, changes: dict[str, Any]
) -> None:
    certificate = match_with_two_keys.certificate("nim/main")
    header = certificates.seal_header(msgspec.structs.replace(certificate.header, **changes))
    assert certificates.verify_certificate(certificates.Certificate(header, certificate.links), NIM_ONLY).fault


# Private lines.


def test_moves_of_a_private_line_are_unsigned_and_verify_reports_it(match_with_two_keys: GameService) -> None:
    match_with_two_keys.signer = None
    name = f"ann{OWN_LINE_MARK}try"
    match_with_two_keys.fork("nim/main@6", name, by="ben")
    for by in ("ben", "eve"):
        play_as(match_with_two_keys, by, "take 3", f"nim/{name}")
    match_with_two_keys.rename(f"nim/{name}", "tried", by="ben")
    audit = match_with_two_keys.verify("nim/tried")
    assert audit.fault is None
    assert audit.unproven == ("from @7 on commands are not signed: the line began as a seat's own",)
    with pytest.raises(certificates.UnsignedError, match="ann signs in this game, but not here") as error:
        match_with_two_keys.certificate("nim/tried")
    assert error.value.hints == ("export nim/tried@6 --certificate FILE",)
    assert certificates.verify_certificate(match_with_two_keys.certificate("nim/tried@6"), NIM_ONLY).unproven == ()
    with pytest.raises(GameError, match="commands are signed"):
        match_with_two_keys.play("nim/main", "take 1", by="ann")


def test_the_first_line_of_a_game_belongs_to_no_seat(match_with_two_keys: GameService) -> None:
    match_with_two_keys.rename("nim/main", f"ann{OWN_LINE_MARK}main", by="eve")
    match_with_two_keys.signer = None
    with pytest.raises(GameError, match="commands are signed"):
        match_with_two_keys.play(f"nim/ann{OWN_LINE_MARK}main", "take 1", by="ann")
    with pytest.raises(UnknownError):
        match_with_two_keys.position("nim/main")
