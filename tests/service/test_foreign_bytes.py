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
from event_store.archive import export_lines
from event_store.backup import backup
from tests.service.table import NIM, play, service_on
from zimcore.game import GameError, OptionError
from zimcore.games.africana import box
from zimcore.service import DamagedError, GameService, certificates, maintenance, witness
from zimcore.service.certificates import Certificate, Link

DEEP = b"\x91" * 100_000 + b"\xc0"
"""A list in a list in a list ..."""
HOSTILE: Mapping[str, Mapping[str, object]] = {
    "a field more": {"text": "ben resigns"},
    "nested deep": {"text": msgspec.Raw(DEEP)},
    "before the year 1": {"at": "0001-01-01T00:00:00+14:00"},
    "after the year 9999": {"at": "9999-12-31T23:59:59-14:00"},
    "no zone": {"at": "2024-05-01T20:00:00"},
    "another zone": {"at": "2024-05-01T22:00:00+02:00"},
}
"""What a forger may write into a seal, over which there is a digest then."""


def reseal(certificate: Certificate, change: Mapping[str, object]) -> Certificate:
    """The certificate with changed seals, whose digests are valid."""
    links, parent = list[Link](), b""
    for link in certificate.links:
        *rows, (topic, content) = link.rows
        fields = {**msgspec.msgpack.decode(content), "parent": parent, **change}
        fields["digest"] = fields.pop("digest")
        sealed = bytes([0x80 + len(fields)]) + b"".join(map(msgspec.msgpack.encode, _flat(fields)))
        parent = blake2b(msgspec.msgpack.encode(rows) + sealed[:-16], digest_size=16).digest()
        values = (*rows, (topic, sealed[:-16] + parent))
        links.append(Link(link.number, parent.hex(), fields["state"].hex(), values))
    head = msgspec.structs.replace(certificate.head, head=parent.hex())
    return Certificate(certificates.seal_header(head), tuple(links))


def _flat(fields: Mapping[str, object]) -> list[object]:
    return [each for pair in fields.items() for each in pair]


@pytest.fixture
def genuine(service: GameService) -> Certificate:
    play(service, "take 1", "take 3")
    return service.certificate("nim")


def test_what_is_sealed_as_zim_does_it_is_taken(genuine: Certificate) -> None:
    """Otherwise the others could be refused for another reason."""
    remote_service = service_on("memory:", who="there")
    assert remote_service.adopt(reseal(genuine, {"by": "eve"}), by="eve").commit.number == 2


@pytest.mark.parametrize("change", HOSTILE.values(), ids=HOSTILE)
def test_a_seal_has_nothing_but_what_zim_writes(genuine: Certificate, change: Mapping[str, object]) -> None:
    hostile = certificates.read_certificate(certificates.write(reseal(genuine, change)))
    fault = certificates.verify(hostile, NIM).fault
    assert fault
    assert (fault.kind, "these bytes are not a seal: " in fault.what) == ("damaged", True)
    remote_service = service_on("memory:", who="there")
    with pytest.raises(GameError, match="these bytes are not a seal"):
        remote_service.adopt(hostile, by="eve")
    assert remote_service.store.streams() == []


@pytest.mark.parametrize("change", HOSTILE.values(), ids=HOSTILE)
def test_it_is_not_in_an_export(service: GameService, genuine: Certificate, change: Mapping[str, object]) -> None:
    lines = list(export_lines(service.store))
    rows = [row for link in reseal(genuine, change).links for row in link.rows]
    at = next(n for n, line in enumerate(lines) if b"nim.played.1" in line)
    first = msgspec.json.decode(lines[at])
    lines[at] = msgspec.json.encode(first | {"rows": rows[: len(first["rows"])]}) + b"\n"
    remote_service = service_on("memory:", who="there")
    with pytest.raises(DamagedError, match="these bytes are not a seal"):
        remote_service.import_(lines, by="eve")
    assert remote_service.store.streams() == []


Write = Callable[[GameService], list[bytes]]
FILES: Mapping[str, tuple[Write, Callable[[list[bytes]], object]]] = {
    "certificate": (
        lambda service: certificates.write(service.certificate("nim")).splitlines(keepends=True),
        lambda lines: certificates.read_certificate(b"".join(lines)),
    ),
    "export": (
        lambda service: list(export_lines(service.store)),
        lambda lines: service_on("memory:", who="there").import_(lines, by="eve"),
    ),
    "witness": (lambda service: list(witness.lines_of(service.witness())), witness.read_witness),
}


@pytest.mark.parametrize(("write", "read"), FILES.values(), ids=FILES)
def test_a_line_of_a_file_has_nothing_that_is_not_proven(
    service: GameService, write: Write, read: Callable[[list[bytes]], object]
) -> None:
    play(service, "take 1")
    lines = write(service)
    read([line.rstrip(b"\n") + b"\r\n" for line in lines]) if read is witness.read_witness else read(lines)
    for at, line in enumerate(lines):
        for more in (b'"text":"ben resigns"', line[1:-2]):  # a field that nobody knows, and all of them twice
            with pytest.raises(DamagedError):
                read([*lines[:at], line[:-2] + b"," + more + b"}\n", *lines[at + 1 :]])


def test_what_is_not_proven_is_named(genuine: Certificate) -> None:
    data = certificates.write(genuine).replace(b'{"number":1,', b'{"text":"ben resigns","number":1,')
    with pytest.raises(DamagedError, match="this is not a certificate: there is 'text' in it, which nothing proves"):
        certificates.read_certificate(data)


TYPES = (
    *(f"originator_version = {value}" for value in ("'abc'", "x'00'", "1.5", "NULL")),
    *(f"topic = {value}" for value in ("CAST(topic AS BLOB)", "NULL")),
    *(f"state = {value}" for value in ("CAST(state AS TEXT)", "17", "NULL")),
)


@pytest.mark.parametrize("change", TYPES)
def test_a_row_that_has_other_types_is_an_error(tmp_path: Path, change: str) -> None:
    """One bit in the head of a row is enough for that."""
    path = tmp_path / "games.db"
    service = service_on(f"sqlite:///{path}")
    with service.store:
        for name in ("nim", "other"):
            service.new("nim", {"seed": "7"}, name=name, by="ann")
            play(service, "take 1", place=name)
    for row in (1, 4, 9):
        with closing(sqlite3.connect(path, isolation_level=None)) as file:
            was = file.execute("SELECT * FROM stored_events WHERE rowid = ?", (row,)).fetchone()
            try:
                file.execute(f"UPDATE stored_events SET {change} WHERE rowid = ?", (row,))
            except sqlite3.IntegrityError:
                pytest.skip("the table takes none")
        damaged = service_on(f"sqlite:///{path}?mode=ro")
        with damaged.store as store:
            with pytest.raises(EventStoreError):
                damaged.witness()
            with pytest.raises(EventStoreError):
                list(damaged.export())
            with pytest.raises(EventStoreError):
                backup(store, tmp_path / "copy.db")
            assert damaged.check()
            assert any(audit.fault for audit in damaged.verify_all())
            saved = maintenance.save(store, f"sqlite:///{tmp_path}/saved-{row}.db")
            assert saved.lost
            assert saved.streams, "what is whole is saved"
        with closing(sqlite3.connect(path, isolation_level=None)) as file:
            file.execute("DELETE FROM stored_events WHERE rowid = ?", (row,))
            file.execute(
                "INSERT INTO stored_events (rowid, originator_id, originator_version, topic, state) VALUES (?,?,?,?,?)",
                (row, *was),
            )


def test_a_number_that_is_too_long_to_be_read(tmp_path: Path) -> None:
    text = Path(box.__file__).with_name("components.toml").read_text("utf-8")
    file = tmp_path / "mine.toml"
    file.write_text(text + f"\nmore = {'1' * 5000}\n")
    with pytest.raises(OptionError, match=r"it does not have the form of components\.toml: Exceeds the limit"):
        box.read_components(file)
