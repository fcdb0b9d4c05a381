"""No header of a file frees a seat that has signed, and what was imported with a check mark is never called forged."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import msgspec
import pytest

from event_store.archive import export_lines
from tests.service.forging import forged_names
from tests.service.table import NIM, service_on
from tests.service.test_proofs import PUBLIC, forge, play, signer
from zimcore.game import GameError
from zimcore.service import GameService, certificates
from zimcore.service.bindings import SeatBound
from zimcore.service.certificates import Certificate, SeatKey
from zimcore.service.names import OWN


@pytest.fixture
def service() -> Iterator[GameService]:
    service = service_on("memory:")
    service.signer = signer
    with service.store:
        yield service


@pytest.fixture
def signed_match(service: GameService) -> Certificate:
    """Ann has signed two moves; the owner of the store made up a third one."""
    service.new("nim", {"seed": "7", "stones": "30"}, name="nim", by="ann", keys={"ann": PUBLIC["ann"]})
    for by in ("ann", "ben", "ann"):
        play(service, by, "take 1")
    forge(service)
    return service.certificate("nim")


@pytest.fixture
def unsigned_match(service: GameService) -> Certificate:
    """Nothing is signed."""
    service.new("nim", {"stones": "30"}, name="nim", by="ann")
    for by in ("ann", "ben", "ann"):
        play(service, by, "take 1")
    return service.certificate("nim")


def with_head(certificate: Certificate, **changes: object) -> Certificate:
    head = certificates.seal_header(msgspec.structs.replace(certificate.head, **changes))
    return Certificate(head, certificate.links)


@pytest.mark.parametrize("free", [0, 1, 3, 4, 5])
@pytest.mark.parametrize("line", ["main", f"ann{OWN}try", "tried"])
@pytest.mark.parametrize("keys", [(), (SeatKey("ann", PUBLIC["ann"], 0),)])
def test_no_head_frees_who_has_signed(
    signed_match: Certificate, free: int, line: str, keys: tuple[SeatKey, ...]
) -> None:
    fault = certificates.verify(with_head(signed_match, free=free, line=line, keys=keys), NIM).fault
    assert fault
    assert (fault.kind, fault.what) == ("forged", f"ann's command is not signed, with the key {PUBLIC['ann'][:16]}")


@pytest.mark.parametrize("free", [0, 2])
def test_only_a_line_of_a_seat_s_own_is_free(unsigned_match: Certificate, free: int) -> None:
    keys = (SeatKey("ann", PUBLIC["ann"], 0),)
    forged = certificates.verify(with_head(unsigned_match, free=free, keys=keys), NIM)
    assert (forged.fault or forged).kind == "forged"  # type: ignore[union-attr]
    own = certificates.verify(with_head(unsigned_match, free=0, keys=keys, line=f"ann{OWN}try"), NIM)
    assert own.fault is None
    assert own.unproven == ("from @1 on commands are not signed: the line began as a seat's own",)


def heads() -> Iterator[dict[str, object]]:
    """The heads of certificates that a forger may write about signing seats."""
    keys = [(), *((SeatKey("ann", PUBLIC[whose], after),) for whose in ("ann", "eve") for after in (0, 1, 3, 9))]
    for free, line, key in product((None, 0, 1, 3, 9), ("main", f"ann{OWN}try"), keys):
        yield {"free": free, "line": line, "keys": key}


def test_what_was_imported_is_never_called_forged(service: GameService, signed_match: Certificate) -> None:
    honest = with_head(signed_match, commits=4, head=signed_match.links[3].digest, state=signed_match.links[3].state)
    honest = Certificate(honest.head, signed_match.links[:4])
    seats_taken = refused = 0
    for certificate, head in product((signed_match, honest, certificate_of_nobody()), heads()):
        remote_service = service_on("memory:", who="there")
        before = list(export_lines(remote_service.store))
        try:
            place = remote_service.adopt(with_head(certificate, **head), by="eve").match
        except GameError:
            refused += 1
            assert list(export_lines(remote_service.store)) == before
            continue
        seats_taken += 1
        assert [audit.fault for audit in remote_service.verify_all()] == [None], (place, head)
    assert seats_taken > 20, "else this shows nothing"
    assert refused > 60


def certificate_of_nobody() -> Certificate:
    """Of a game without signatures."""
    service = service_on("memory:", who="elsewhere")
    service.new("nim", {"stones": "20"}, name="nim", by="ann")
    for by in ("ann", "ben", "ann"):
        play(service, by, "take 1")
    return service.certificate("nim")


def test_a_line_that_the_store_would_call_forged_is_not_imported(unsigned_match: Certificate) -> None:
    """The file claims to be a seat's own line, and is whole; but the first line of a game belongs to no seat."""
    certificate = with_head(unsigned_match, free=0, keys=(SeatKey("ann", PUBLIC["ann"], 0),), line=f"ann{OWN}try")
    remote_service = service_on("memory:", who="there")
    with pytest.raises(GameError, match=r"it is not imported: .*ann's command is not signed"):
        remote_service.adopt(certificate, by="eve")
    assert remote_service.store.streams() == []


def test_a_file_binds_no_seat_under_moves_that_it_does_not_have(service: GameService) -> None:
    service.new("nim", {"stones": "30"}, name="nim", by="ann")
    play(service, "ann", "take 1")
    stream, names = service._lines.line("nim").line, service.names("nim").stream
    forged = forged_names(service, names, SeatBound("ann", PUBLIC["ann"], {stream.stream: stream.revision}))
    for by in ("ben", "ann"):
        play(service, by, "take 1")
    before = list(export_lines(service.store))
    with pytest.raises(GameError, match="ann's command is not signed"):
        service.import_(forged, by="eve")
    assert list(export_lines(service.store)) == before
    assert service.verify("nim").fault is None
