"""Forged certificates and exports: their digests are right, but the moves in them were never played."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

import msgspec

from event_store import Draft, Entry, EventStore, chain
from event_store.chain import Row
from event_store.export import export_lines
from event_store.seal_places import place_after
from tests.service.nim_service import FIRST_TIME
from zimcore.game import Event
from zimcore.service import GameService
from zimcore.service.proofs import certificates
from zimcore.service.proofs.certificates import Certificate, Link

SALT = b"forged by forger"

ChangeEvents = Callable[[int, Sequence[Event]], Sequence[msgspec.Struct]]
"""Takes the number and the events of a commit, returns the events to store instead."""


def flip_bit(intact_bytes: bytes, rng: Random, start: int = 0) -> bytes:
    """The bytes with one random bit flipped, at the byte `start` or later."""
    altered_bytes, bit = bytearray(intact_bytes), rng.randrange(8 * start, 8 * len(intact_bytes))
    altered_bytes[bit // 8] ^= 1 << bit % 8
    return bytes(altered_bytes)


def forge_certificate(service: GameService, certificate: Certificate, change_events: ChangeEvents) -> Certificate:
    """A certificate with other events, all of it sealed anew."""
    forged_links, parent, rows = list[Link](), b"", certificate.rows()
    for entry in chain.entries("certificate", rows, service.store.codec):
        number = len(forged_links)
        events = change_events(number, entry.events)  # type: ignore[arg-type]
        forged_entry = _reseal(service.store, entry, events, parent)
        parent = forged_entry.digest
        link_rows = tuple((topic, content) for _, topic, content in forged_entry.all_rows)
        forged_links.append(Link(number, parent.hex(), forged_entry.seal.state.hex(), link_rows))
    header = msgspec.structs.replace(certificate.header, head=forged_links[-1].digest, state=forged_links[-1].state)
    return Certificate(certificates.seal_header(header), tuple(forged_links))


def export_with_forged_line(service: GameService, stream: str, change_events: ChangeEvents) -> list[bytes]:
    """The export of a store in which the commits of a line have other events, sealed anew."""
    with EventStore.open("memory:") as forged_store:
        forged_store.codec = service.store.codec
        for copied_stream in service.store.streams():
            parent, number, previous_digest, entries = b"", 0, b"", list[Entry]()
            for entry in service.store.read(copied_stream):
                if copied_stream == stream and entry.is_commit:
                    events = change_events(number, entry.events)  # type: ignore[arg-type]
                    seal_place = place_after(copied_stream, previous_digest)
                    entry = _reseal(service.store, entry, events, parent, seal_place)
                    parent, number = entry.digest, number + 1
                entries.append(entry)
                previous_digest = entry.digest
            forged_store.adopt(entries)
        return list(export_lines(forged_store))


def export_with_forged_names(service: GameService, stream: str, *events: Event) -> list[bytes]:
    """The export of a store whose stream of names has more events."""
    with EventStore.open("memory:") as forged_store:
        forged_store.codec = service.store.codec
        for copied_stream in service.store.streams():
            forged_store.adopt(list(service.store.read(copied_stream)))
        last_entry = list(forged_store.read(stream))[-1]
        forged_store.adopt([forged_store.seal_entry(stream, last_entry.revision, Draft(events, "eve", FIRST_TIME))])
        return list(export_lines(forged_store))


def _reseal(
    store: EventStore, entry: Entry, events: Sequence[msgspec.Struct], parent: bytes, seal_place: bytes = b""
) -> Entry:
    rows: tuple[Row, ...] = tuple(
        (revision, *store.codec.encode(event)) for revision, event in enumerate(events, entry.rows[0][0])
    )
    old_seal = entry.seal
    seal = chain.make_seal(
        rows,
        parent=parent,
        by=old_seal.by,
        at=old_seal.at,
        id=old_seal.id,
        state=old_seal.state,
        salt=SALT,
        place=seal_place,
    )
    assert len(rows) == len(entry.rows) or entry.stream == "certificate", "others would be at other revisions"
    content = msgspec.msgpack.encode(seal)
    return Entry(entry.stream, rows[-1][0] + 1, rows, seal, content, store.codec)
