"""Bytes that Zim would never write: seals, rows, lines of files and numbers, each refused with what is wrong."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from hashlib import blake2b
from pathlib import Path

import msgspec
import pytest

from event_store import EventStoreError
from event_store.backup import backup
from event_store.export import export_lines
from tests.service.nim_service import NIM_ONLY, play, service_on
from zimcore.game import GameError, OptionError
from zimcore.games.africana import box
from zimcore.service import DamagedError, GameService
from zimcore.service.care import maintenance
from zimcore.service.proofs import certificates, witness
from zimcore.service.proofs.certificates import Certificate, Link

DEEPLY_NESTED = b"\x91" * 100_000 + b"\xc0"
"""A list in a list in a list ..."""
HOSTILE_FIELDS: Mapping[str, Mapping[str, object]] = {
    "a field more": {"text": "ben resigns"},
    "nested deep": {"text": msgspec.Raw(DEEPLY_NESTED)},
    "before the year 1": {"at": "0001-01-01T00:00:00+14:00"},
    "after the year 9999": {"at": "9999-12-31T23:59:59-14:00"},
    "no zone": {"at": "2024-05-01T20:00:00"},
    "another zone": {"at": "2024-05-01T22:00:00+02:00"},
}
"""Fields that a forger may write into a seal before computing its digest."""


def reseal(certificate: Certificate, changed_fields: Mapping[str, object]) -> Certificate:
    """The certificate with changed seals, whose digests are valid."""
    links, parent = list[Link](), b""
    for link in certificate.links:
        *rows, (topic, content) = link.rows
        fields = {**msgspec.msgpack.decode(content), "parent": parent, **changed_fields}
        fields["digest"] = fields.pop("digest")
        seal_content = bytes([0x80 + len(fields)]) + b"".join(map(msgspec.msgpack.encode, _flat(fields)))
        parent = blake2b(msgspec.msgpack.encode(rows) + seal_content[:-16], digest_size=16).digest()
        new_rows = (*rows, (topic, seal_content[:-16] + parent))
        links.append(Link(link.number, parent.hex(), fields["state"].hex(), new_rows))
    header = msgspec.structs.replace(certificate.header, head=parent.hex())
    return Certificate(certificates.seal_header(header), tuple(links))


def _flat(fields: Mapping[str, object]) -> list[object]:
    return [key_or_content for pair in fields.items() for key_or_content in pair]


@pytest.fixture
def genuine_certificate(service: GameService) -> Certificate:
    play(service, "take 1", "take 3")
    return service.certificate("nim")


def test_a_valid_seal_is_accepted(genuine_certificate: Certificate) -> None:
    """Shows that the tests below can fail: a resealed certificate is refused only for its foreign bytes."""
    other_service = service_on("memory:", id_prefix="there")
    assert other_service.adopt(reseal(genuine_certificate, {"by": "eve"}), by="eve").commit.number == 2


@pytest.mark.parametrize("changed_fields", HOSTILE_FIELDS.values(), ids=HOSTILE_FIELDS)
def test_a_seal_with_foreign_bytes_is_refused(
    genuine_certificate: Certificate, changed_fields: Mapping[str, object]
) -> None:
    hostile_certificate = certificates.read_certificate(
        certificates.to_bytes(reseal(genuine_certificate, changed_fields))
    )
    fault = certificates.verify_certificate(hostile_certificate, NIM_ONLY).fault
    assert fault
    assert (fault.kind, "these bytes are not a seal: " in fault.what) == ("damaged", True)
    other_service = service_on("memory:", id_prefix="there")
    with pytest.raises(GameError, match="these bytes are not a seal"):
        other_service.adopt(hostile_certificate, by="eve")
    assert other_service.store.streams() == []


@pytest.mark.parametrize("changed_fields", HOSTILE_FIELDS.values(), ids=HOSTILE_FIELDS)
def test_an_export_with_such_a_seal_is_refused(
    service: GameService, genuine_certificate: Certificate, changed_fields: Mapping[str, object]
) -> None:
    lines = list(export_lines(service.store))
    rows = [row for link in reseal(genuine_certificate, changed_fields).links for row in link.rows]
    index = next(line_index for line_index, line in enumerate(lines) if b"nim.played.1" in line)
    entry = msgspec.json.decode(lines[index])
    lines[index] = msgspec.json.encode(entry | {"rows": rows[: len(entry["rows"])]}) + b"\n"
    other_service = service_on("memory:", id_prefix="there")
    with pytest.raises(DamagedError, match="these bytes are not a seal"):
        other_service.import_(lines, by="eve")
    assert other_service.store.streams() == []


WriteLines = Callable[[GameService], list[bytes]]
FILE_KINDS: Mapping[str, tuple[WriteLines, Callable[[list[bytes]], object]]] = {
    "certificate": (
        lambda service: certificates.to_bytes(service.certificate("nim")).splitlines(keepends=True),
        lambda lines: certificates.read_certificate(b"".join(lines)),
    ),
    "export": (
        lambda service: list(export_lines(service.store)),
        lambda lines: service_on("memory:", id_prefix="there").import_(lines, by="eve"),
    ),
    "witness": (lambda service: list(witness.lines_of(service.witness())), witness.read_witness),
}


@pytest.mark.parametrize(("write_lines", "read_lines"), FILE_KINDS.values(), ids=FILE_KINDS)
def test_a_line_of_a_file_with_an_unknown_field_is_refused(
    service: GameService, write_lines: WriteLines, read_lines: Callable[[list[bytes]], object]
) -> None:
    play(service, "take 1")
    lines = write_lines(service)
    read_lines([line.rstrip(b"\n") + b"\r\n" for line in lines]) if read_lines is witness.read_witness else read_lines(
        lines
    )
    for index, line in enumerate(lines):
        for unknown_field in (b'"text":"ben resigns"', line[1:-2]):  # an unknown field, and every field twice
            with pytest.raises(DamagedError):
                read_lines([*lines[:index], line[:-2] + b"," + unknown_field + b"}\n", *lines[index + 1 :]])


def test_an_error_names_the_unproven_field(genuine_certificate: Certificate) -> None:
    file_bytes = certificates.to_bytes(genuine_certificate).replace(
        b'{"number":1,', b'{"text":"ben resigns","number":1,'
    )
    with pytest.raises(DamagedError, match="this is not a certificate: it has fields that no digest covers: 'text'"):
        certificates.read_certificate(file_bytes)


WRONG_TYPES = (
    *(f"originator_version = {literal}" for literal in ("'abc'", "x'00'", "1.5", "NULL")),
    *(f"topic = {literal}" for literal in ("CAST(topic AS BLOB)", "NULL")),
    *(f"state = {literal}" for literal in ("CAST(state AS TEXT)", "17", "NULL")),
)


@pytest.mark.parametrize("assignment", WRONG_TYPES)
def test_a_row_with_wrong_types_is_an_error(tmp_path: Path, assignment: str) -> None:
    """One bit in the head of a row is enough for that."""
    path = tmp_path / "games.db"
    service = service_on(f"sqlite:///{path}")
    with service.store:
        for name in ("nim", "other"):
            service.new("nim", {"seed": "7"}, name=name, by="ann")
            play(service, "take 1", place=name)
    for row_id in (1, 4, 9):
        with closing(sqlite3.connect(path, isolation_level=None)) as database:
            original_row = database.execute("SELECT * FROM stored_events WHERE rowid = ?", (row_id,)).fetchone()
            try:
                database.execute(f"UPDATE stored_events SET {assignment} WHERE rowid = ?", (row_id,))
            except sqlite3.IntegrityError:
                pytest.skip("the table takes none")
        damaged_service = service_on(f"sqlite:///{path}?mode=ro")
        with damaged_service.store as store:
            with pytest.raises(EventStoreError):
                damaged_service.witness()
            with pytest.raises(EventStoreError):
                list(damaged_service.export())
            with pytest.raises(EventStoreError):
                backup(store, tmp_path / "copy.db")
            assert damaged_service.check()
            assert any(audit.fault for audit in damaged_service.verify_all())
            salvage = maintenance.save_intact_streams(store, f"sqlite:///{tmp_path}/saved-{row_id}.db")
            assert salvage.lost
            assert salvage.streams, "what is whole is saved"
        with closing(sqlite3.connect(path, isolation_level=None)) as database:
            database.execute("DELETE FROM stored_events WHERE rowid = ?", (row_id,))
            database.execute(
                "INSERT INTO stored_events (rowid, originator_id, originator_version, topic, state) VALUES (?,?,?,?,?)",
                (row_id, *original_row),
            )


def test_a_number_that_is_too_long_is_an_error(tmp_path: Path) -> None:
    text = Path(box.__file__).with_name("components.toml").read_text("utf-8")
    file = tmp_path / "mine.toml"
    file.write_text(text + f"\nmore = {'1' * 5000}\n")
    with pytest.raises(OptionError, match=r"it does not have the form of components\.toml: Exceeds the limit"):
        box.read_components(file)
