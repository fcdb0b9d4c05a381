"""No header of a file frees a seat that has signed, and what was imported with a check mark is never called forged."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import msgspec
import pytest

from event_store.export import export_lines
from tests.service.forged_files import export_with_forged_names
from tests.service.nim_service import NIM_ONLY, service_on
from tests.service.test_signed_commands import PUBLIC_KEYS, append_forged_move, play_as, sign_with_own_key
from zimcore.game import GameError
from zimcore.service import GameService
from zimcore.service.proofs import certificates
from zimcore.service.proofs.certificates import Certificate, SeatKey
from zimcore.service.records.bindings import SeatBound
from zimcore.service.records.names import OWN_LINE_MARK


@pytest.fixture
def service() -> Iterator[GameService]:
    service = service_on("memory:")
    service.signer = sign_with_own_key
    with service.store:
        yield service


@pytest.fixture
def signed_match(service: GameService) -> Certificate:
    """Ann has signed two moves; the owner of the store made up a third one."""
    service.new("nim", {"seed": "7", "stones": "30"}, name="nim", by="ann", keys={"ann": PUBLIC_KEYS["ann"]})
    for by in ("ann", "ben", "ann"):
        play_as(service, by, "take 1")
    append_forged_move(service)
    return service.certificate("nim")


@pytest.fixture
def unsigned_match(service: GameService) -> Certificate:
    """Three moves, none of them signed."""
    service.new("nim", {"stones": "30"}, name="nim", by="ann")
    for by in ("ann", "ben", "ann"):
        play_as(service, by, "take 1")
    return service.certificate("nim")


def with_header_fields(certificate: Certificate, **changes: object) -> Certificate:
    header = certificates.seal_header(msgspec.structs.replace(certificate.header, **changes))
    return Certificate(header, certificate.links)


@pytest.mark.parametrize("free_after", [0, 1, 3, 4, 5])
@pytest.mark.parametrize("line", ["main", f"ann{OWN_LINE_MARK}try", "tried"])
@pytest.mark.parametrize("keys", [(), (SeatKey("ann", PUBLIC_KEYS["ann"], 0),)])
def test_no_head_frees_a_seat_that_has_signed(
    signed_match: Certificate, free_after: int, line: str, keys: tuple[SeatKey, ...]
) -> None:
    fault = certificates.verify_certificate(
        with_header_fields(signed_match, free=free_after, line=line, keys=keys), NIM_ONLY
    ).fault
    assert fault
    assert (fault.kind, fault.what) == (
        "forged",
        f"ann's command is not signed, with the key {PUBLIC_KEYS['ann'][:16]}",
    )


@pytest.mark.parametrize("free_after", [0, 2])
def test_only_a_line_of_a_seat_s_own_is_free(unsigned_match: Certificate, free_after: int) -> None:
    keys = (SeatKey("ann", PUBLIC_KEYS["ann"], 0),)
    main_audit = certificates.verify_certificate(
        with_header_fields(unsigned_match, free=free_after, keys=keys), NIM_ONLY
    )
    assert (main_audit.fault or main_audit).kind == "forged"  # type: ignore[union-attr]
    own_audit = certificates.verify_certificate(
        with_header_fields(unsigned_match, free=0, keys=keys, line=f"ann{OWN_LINE_MARK}try"), NIM_ONLY
    )
    assert own_audit.fault is None
    assert own_audit.unproven == ("from @1 on commands are not signed: the line began as a seat's own",)


def forged_header_fields() -> Iterator[dict[str, object]]:
    """The fields of a header that a forger may write about signing seats."""
    key_choices = [
        (),
        *((SeatKey("ann", PUBLIC_KEYS[key_owner], after),) for key_owner in ("ann", "eve") for after in (0, 1, 3, 9)),
    ]
    for free_after, line, seat_keys in product((None, 0, 1, 3, 9), ("main", f"ann{OWN_LINE_MARK}try"), key_choices):
        yield {"free": free_after, "line": line, "keys": seat_keys}


def test_an_imported_line_is_never_called_forged(service: GameService, signed_match: Certificate) -> None:
    honest_certificate = with_header_fields(
        signed_match, commits=4, head=signed_match.links[3].digest, state=signed_match.links[3].state
    )
    honest_certificate = Certificate(honest_certificate.header, signed_match.links[:4])
    accepted_count = refused_count = 0
    for certificate, header_fields in product(
        (signed_match, honest_certificate, certificate_without_signatures()), forged_header_fields()
    ):
        other_service = service_on("memory:", id_prefix="there")
        export_before = list(export_lines(other_service.store))
        try:
            place = other_service.adopt(with_header_fields(certificate, **header_fields), by="eve").match
        except GameError:
            refused_count += 1
            assert list(export_lines(other_service.store)) == export_before
            continue
        accepted_count += 1
        assert [audit.fault for audit in other_service.verify_all()] == [None], (place, header_fields)
    assert accepted_count > 20, "else this test shows nothing"
    assert refused_count > 60


def certificate_without_signatures() -> Certificate:
    """A certificate of a game without signatures."""
    service = service_on("memory:", id_prefix="elsewhere")
    service.new("nim", {"stones": "20"}, name="nim", by="ann")
    for by in ("ann", "ben", "ann"):
        play_as(service, by, "take 1")
    return service.certificate("nim")


def test_a_line_that_the_store_would_call_forged_is_not_imported(unsigned_match: Certificate) -> None:
    """The file claims to be a seat's own line, and is whole; but the first line of a game belongs to no seat."""
    certificate = with_header_fields(
        unsigned_match, free=0, keys=(SeatKey("ann", PUBLIC_KEYS["ann"], 0),), line=f"ann{OWN_LINE_MARK}try"
    )
    other_service = service_on("memory:", id_prefix="there")
    with pytest.raises(GameError, match=r"it is not imported: .*ann's command is not signed"):
        other_service.adopt(certificate, by="eve")
    assert other_service.store.streams() == []


def test_an_import_binds_no_seat_whose_later_moves_are_unsigned(service: GameService) -> None:
    service.new("nim", {"stones": "30"}, name="nim", by="ann")
    play_as(service, "ann", "take 1")
    line, names_stream = service._repository.line("nim").line, service.names("nim").stream
    forged_export = export_with_forged_names(
        service, names_stream, SeatBound("ann", PUBLIC_KEYS["ann"], {line.stream: line.revision})
    )
    for by in ("ben", "ann"):
        play_as(service, by, "take 1")
    export_before = list(export_lines(service.store))
    with pytest.raises(GameError, match="ann's command is not signed"):
        service.import_(forged_export, by="eve")
    assert list(export_lines(service.store)) == export_before
    assert service.verify("nim").fault is None
