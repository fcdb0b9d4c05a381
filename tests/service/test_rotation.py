"""A seat changes its key: old signatures stay valid, and the change needs the old key."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest

from event_store import ConflictError
from event_store.archive import export_lines
from tests.service.table import NIM, service_on
from tests.service.test_proofs import KEYS, PUBLIC, fault, forge, play
from zimcore.game import GameError
from zimcore.service import GameService, TakenError, UnknownError, bindings, certificates, ed25519
from zimcore.service.bindings import KeyChanged, SeatBound
from zimcore.service.names import OWN

LATER = {n: ed25519.key_from_bytes(bytes([n + 97]) * 64) for n in range(5)}
EVERY = {ed25519.public_key(key): key for key in (*KEYS.values(), *LATER.values())}
NEXT = {n: ed25519.public_key(key) for n, key in LATER.items()}


def signer(by: str, key: str, message: bytes) -> bytes:
    """Ann and ben have all keys but eve's, who has only her own."""
    return (KEYS["eve"] if by == "eve" else EVERY[key]).sign(message)


@pytest.fixture(params=["memory:", "sqlite"])
def service(request: pytest.FixtureRequest, url: str) -> Iterator[GameService]:
    service = service_on({"memory:": "memory:", "sqlite": url}[request.param])
    service.signer = signer
    with service.store:
        yield service


@pytest.fixture
def match_with_two_keys(service: GameService) -> GameService:
    """Ann has played two moves with her first key and two with another; ben has a key from then on."""
    service.new("nim", {"seed": "7", "stones": "30"}, name="nim", by="ann", keys={"ann": PUBLIC["ann"]})
    for by in ("ann", "ben", "ann", "ben"):
        play(service, by, "take 1")
    service.fork("nim@2", "other", by="ben")
    change(service)
    service.bind("nim", "ben", PUBLIC["ben"], by="ben")
    for by in ("ann", "ben", "ann", "ben"):
        play(service, by, "take 1", "nim/main")
    return service


def change(service: GameService, key: str = NEXT[0], **how: Any) -> None:
    service.bind("nim/main", "ann", key, **{"by": "ann", **how})


def write(service: GameService, *events: msgspec.Struct) -> None:
    """The owner of the store adds an entry of their own to the names, with a correct seal."""
    names = service._lines.names("nim")
    service._writer.entry(names.stream, names.revision, events, "eve")


def kinds(service: GameService) -> set[str]:
    return {audit.fault.kind for audit in service.verify_all() if audit.fault}


def test_what_was_signed_before_counts_by_the_old_key_and_what_comes_after_by_the_new(
    match_with_two_keys: GameService,
) -> None:
    audit = match_with_two_keys.verify("nim/main")
    assert (audit.fault, audit.unproven) == (None, ())
    assert [(each.by, each.key, each.former) for each in audit.signers] == [
        ("ann", PUBLIC["ann"], ""),
        ("ann", NEXT[0], PUBLIC["ann"]),
        ("ben", PUBLIC["ben"], ""),
    ]
    line = match_with_two_keys._lines.line("nim", "main").line
    keys = [entry.seal.proof[:32].hex() for entry in line.commits.values()]
    assert keys == ["", PUBLIC["ann"], "", PUBLIC["ann"], "", *[NEXT[0], PUBLIC["ben"]] * 2]
    assert kinds(match_with_two_keys) == set()


def test_another_line_goes_on_with_the_new_key_too(match_with_two_keys: GameService) -> None:
    play(match_with_two_keys, "ann", "take 2", "nim/other")
    assert match_with_two_keys._lines.line("nim", "other").line.commits
    assert {each.key for each in match_with_two_keys.verify("nim/other").signers} == {PUBLIC["ann"], NEXT[0]}
    assert fault(match_with_two_keys, "nim/other") is None


def test_a_key_changes_as_often_as_one_likes_and_comes_back(match_with_two_keys: GameService) -> None:
    for key in (NEXT[1], PUBLIC["ann"], NEXT[0], NEXT[1]):
        change(match_with_two_keys, key)
        play(match_with_two_keys, "ann", "take 1", "nim/main")
        play(match_with_two_keys, "ben", "take 1", "nim/main")
    assert fault(match_with_two_keys, "nim/main") is None
    certificate = certificates.read_certificate(certificates.write(match_with_two_keys.certificate("nim/main")))
    assert [each.key for each in certificate.head.changed] == [NEXT[0], NEXT[1], PUBLIC["ann"], NEXT[0], NEXT[1]]
    assert certificates.verify(certificate, NIM).fault is None


@pytest.mark.parametrize(
    ("by", "key", "what"),
    [
        ("eve", PUBLIC["eve"], "ann has a key already: .* has not signed this"),
        ("ann", PUBLIC["ann"], "ann has that key already"),
        ("ann", "00", "not a key"),
    ],
)
def test_who_may_not_change_it(service: GameService, by: str, key: str, what: str) -> None:
    service.new("nim", {}, name="nim", by="ann", keys={"ann": PUBLIC["ann"]})
    with pytest.raises(GameError, match=what):
        service.bind("nim", "ann", key, by=by)
    assert service.names("nim").keys["ann"] == (SeatBound("ann", PUBLIC["ann"], {}),)


def test_a_key_that_can_t_sign_is_bound_to_no_seat(service: GameService) -> None:
    service.new("nim", {}, name="nim", by="ann", keys={"ann": PUBLIC["ann"]})

    def mine(by: str, key: str, message: bytes) -> bytes:
        del by, key
        return KEYS["ann"].sign(message)

    with pytest.raises(GameError, match="is not here: the new key must sign too"):
        service.bind("nim", "ann", NEXT[0], by="ann", signer=mine)
    service.signer = None
    with pytest.raises(GameError, match="is not on this machine"):
        service.bind("nim", "ann", NEXT[0], by="ann")


def test_a_change_that_was_tried_again_is_one(match_with_two_keys: GameService) -> None:
    for _ in range(2):
        change(match_with_two_keys, NEXT[1], command_id="c1")
    assert len(match_with_two_keys.names("nim").keys["ann"]) == 3
    with pytest.raises(TakenError):
        change(match_with_two_keys, NEXT[1], command_id="c1", lost=True)


def test_the_old_key_plays_no_more(match_with_two_keys: GameService) -> None:
    def old(by: str, key: str, message: bytes) -> bytes:
        del key
        return KEYS[by].sign(message)

    match_with_two_keys.signer = old
    with pytest.raises(GameError, match="ann's commands are signed: this was not"):
        match_with_two_keys.play("nim/main", "take 1", by="ann")
    forge(changed_on_main(match_with_two_keys), key="ann")
    assert fault(match_with_two_keys, "nim/main") == (
        "forged",
        f"ann's command is signed with the key {PUBLIC['ann'][:16]}, not with {NEXT[0][:16]}",
    )


def changed_on_main(service: GameService) -> GameService:
    """Ben is the one who has moved: forging lets him play once more."""
    service.signer = signer
    play(service, "ann", "take 1", "nim/main")
    return service


def rotation(number: int, key: str, *, game: bytes, seat: str = "ann", before: int = 1, by: str = "ann") -> KeyChanged:
    """A change as `by` would sign it, after so many keys of which the last is `number`'s."""
    old = SeatBound(seat, PUBLIC["ann"] if number < 0 else NEXT[number], {})
    topic = bindings.message(game, seat, [old] * before, key)
    return KeyChanged(seat, key, {}, KEYS[by].sign(topic), EVERY[key].sign(topic))


def first(service: GameService) -> bytes:
    return service._lines.line("nim").line.path[0]


FORGED: dict[str, Callable[[GameService], msgspec.Struct]] = {
    "by a stranger": lambda s: rotation(0, PUBLIC["eve"], game=first(s), before=2, by="eve"),
    "by the key before": lambda s: rotation(0, NEXT[1], game=first(s), before=2, by="ann"),
    "of another game": lambda s: msgspec.structs.replace(s.names("nim").keys["ann"][1], key=NEXT[1]),
    "for another seat": lambda s: msgspec.structs.replace(s.names("nim").keys["ann"][1], seat="ben"),
    "half signed": lambda s: KeyChanged("ann", NEXT[1], {}, b"", bytes(64)),
    "no signatures": lambda s: KeyChanged("ann", NEXT[1], {}, b"x", b"y"),
    "no key": lambda s: KeyChanged("ann", "nonsense", {}, bytes(64), bytes(64)),
}


@pytest.mark.parametrize("how", FORGED)
def test_a_change_that_is_forged_is_found(match_with_two_keys: GameService, how: str) -> None:
    write(match_with_two_keys, FORGED[how](match_with_two_keys))
    assert kinds(match_with_two_keys) == {"forged"}
    assert (fault(match_with_two_keys, "nim/main") or ("",))[0] == "forged"
    there, lines = service_on("memory:", who="there"), list(export_lines(match_with_two_keys.store))
    with pytest.raises(GameError, match="it is not imported"):
        there.import_(lines, by="eve")
    assert there.games() == []
    with pytest.raises(GameError, match="it is not imported"):
        there.adopt(match_with_two_keys.certificate("nim/main"), by="eve")


def test_a_change_is_shown_once_and_in_order(match_with_two_keys: GameService) -> None:
    """Of keys that come and go: what ann has signed for the second of them is shown for the fourth."""
    (_, shown) = match_with_two_keys.names("nim").keys["ann"]
    change(match_with_two_keys, PUBLIC["ann"])
    write(match_with_two_keys, shown)
    assert kinds(match_with_two_keys) == {"forged"}


def test_a_change_of_another_game_is_found(match_with_two_keys: GameService) -> None:
    second_service = service_on("memory:", who="other")
    second_service.signer = signer
    second_service.new("nim", {"seed": "8", "stones": "30"}, name="nim", by="ann", keys={"ann": PUBLIC["ann"]})
    write(second_service, *match_with_two_keys.names("nim").keys["ann"][1:])
    assert kinds(second_service) == {"forged"}


@pytest.mark.parametrize("event", [KeyChanged("zoe", NEXT[1], {}), KeyChanged("ann", NEXT[0], {})])
def test_a_change_of_nothing_can_t_be_read(match_with_two_keys: GameService, event: KeyChanged) -> None:
    write(match_with_two_keys, event)
    assert "damaged" in kinds(match_with_two_keys)


def test_a_rebound_seat_plays_on_and_stays_reported(match_with_two_keys: GameService) -> None:
    match_with_two_keys.bind("nim/main", "ann", NEXT[1], by="hanna", lost=True)
    play(match_with_two_keys, "ann", "take 1", "nim/main")
    audit = match_with_two_keys.verify("nim/main")
    assert audit.fault is None
    (less,) = audit.unproven
    assert less.startswith(f"ann was bound anew: the key {NEXT[0][:16]} has not signed for {NEXT[1][:16]}")
    assert {each.key: each.former for each in audit.signers}[NEXT[1]] == ""
    certificate = match_with_two_keys.certificate("nim/main")
    assert certificates.verify(certificate, NIM).unproven == (less,)
    remote_service = service_on("memory:", who="there")
    remote_service.adopt(certificate, by="ben")
    assert remote_service.verify("nim").unproven == (less,)
    remote_service = service_on("memory:", who="elsewhere")
    remote_service.import_(list(export_lines(match_with_two_keys.store)), by="ben")
    assert remote_service.verify("nim/main").unproven == (less,)


def test_a_file_brings_keys_only_by_signatures(match_with_two_keys: GameService) -> None:
    here = service_on("memory:", who="here")
    here.signer = signer
    here.import_(list(export_lines(match_with_two_keys.store)), by="ann")
    change(match_with_two_keys, NEXT[1])
    play(match_with_two_keys, "ann", "take 1", "nim/main")
    here.import_(list(export_lines(match_with_two_keys.store)), by="ann")
    assert [each.key for each in here.names("nim").keys["ann"]] == [PUBLIC["ann"], NEXT[0], NEXT[1]]
    assert fault(here, "nim/main") is None
    match_with_two_keys.bind("nim/main", "ben", PUBLIC["eve"], by="eve", lost=True)
    play(match_with_two_keys, "eve", "take 1", "nim/main")
    with pytest.raises(ConflictError, match="ben of nim are bound to keys here, and in this file they are not"):
        here.import_(list(export_lines(match_with_two_keys.store)), by="ann")


def test_a_game_that_was_adopted_has_all_its_keys(match_with_two_keys: GameService) -> None:
    remote_service = service_on("memory:", who="there")
    remote_service.signer = signer
    remote_service.adopt(match_with_two_keys.certificate("nim/main"), by="ben")
    play(remote_service, "ann", "take 1")
    assert fault(remote_service) is None
    assert [each.key for each in remote_service.names("nim").keys["ann"]] == [PUBLIC["ann"], NEXT[0]]


def test_a_certificate_of_before_the_change_is_no_way_in(match_with_two_keys: GameService) -> None:
    """Its keys are those of that time: its player continues with the old one."""
    remote_service = service_on("memory:", who="there")
    remote_service.signer = signer
    head = msgspec.structs.replace(match_with_two_keys.certificate("nim@3").head, changed=())
    old = certificates.Certificate(certificates.seal_header(head), match_with_two_keys.certificate("nim@3").links)
    remote_service.adopt(old, by="eve")
    play(remote_service, "ben", "take 3")
    play(remote_service, "ann", "take 3")
    with pytest.raises(GameError, match="ann's commands in nim are signed"):
        match_with_two_keys.adopt(remote_service.certificate("nim"), by="ben")


@pytest.mark.parametrize(
    "changes",
    [
        {"keys": ()},
        {"changed": (certificates.ChangedKey("zoe", NEXT[0], 1),)},
        {"changed": (certificates.ChangedKey("ann", NEXT[1], 4, "00", "00"),)},
        {"changed": (certificates.ChangedKey("ann", PUBLIC["ann"], 4),)},
    ],
)
def test_a_certificate_whose_keys_make_no_sense(match_with_two_keys: GameService, changes: dict[str, Any]) -> None:
    certificate = match_with_two_keys.certificate("nim/main")
    head = certificates.seal_header(msgspec.structs.replace(certificate.head, **changes))
    assert certificates.verify(certificates.Certificate(head, certificate.links), NIM).fault


# A line of one's own.


def test_on_a_private_line_no_move_is_signed_and_verify_says_so(match_with_two_keys: GameService) -> None:
    match_with_two_keys.signer = None
    name = f"ann{OWN}try"
    match_with_two_keys.fork("nim/main@6", name, by="ben")
    for by in ("ben", "eve"):
        play(match_with_two_keys, by, "take 3", f"nim/{name}")
    match_with_two_keys.rename(f"nim/{name}", "tried", by="ben")
    audit = match_with_two_keys.verify("nim/tried")
    assert audit.fault is None
    assert audit.unproven == ("from @7 on commands are not signed: the line began as a seat's own",)
    with pytest.raises(certificates.UnsignedError, match="ann signs in this game, but not here") as error:
        match_with_two_keys.certificate("nim/tried")
    assert error.value.hints == ("export nim/tried@6 --certificate FILE",)
    assert certificates.verify(match_with_two_keys.certificate("nim/tried@6"), NIM).unproven == ()
    with pytest.raises(GameError, match="commands are signed"):
        match_with_two_keys.play("nim/main", "take 1", by="ann")


def test_the_first_line_of_a_game_belongs_to_no_seat(match_with_two_keys: GameService) -> None:
    match_with_two_keys.rename("nim/main", f"ann{OWN}main", by="eve")
    match_with_two_keys.signer = None
    with pytest.raises(GameError, match="commands are signed"):
        match_with_two_keys.play(f"nim/ann{OWN}main", "take 1", by="ann")
    with pytest.raises(UnknownError):
        match_with_two_keys.position("nim/main")
