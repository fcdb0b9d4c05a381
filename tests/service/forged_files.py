"""Forged certificates and exports: their digests are right, but the moves in them were never played."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

import msgspec

from event_store import Draft, Entry, EventStore, chain
from event_store.archive import export_lines
from event_store.chain import Row
from event_store.seal_places import place
from tests.service.nim_service import FIRST_TIME
from zimcore.game import Event
from zimcore.service import GameService, certificates
from zimcore.service.certificates import Certificate, Link

SALT = b"forged by forger"

ChangeEvents = Callable[[int, Sequence[Event]], Sequence[msgspec.Struct]]
"""Takes the number and the events of a commit, returns the events to store instead."""


def flip_bit(data: bytes, chance: Random, start: int = 0) -> bytes:
    """The data with one random bit flipped, at the byte `start` or later."""
    altered_data, bit = bytearray(data), chance.randrange(8 * start, 8 * len(data))
    altered_data[bit // 8] ^= 1 << bit % 8
    return bytes(altered_data)


def forge(service: GameService, certificate: Certificate, change: ChangeEvents) -> Certificate:
    """A certificate with other events, all of it sealed anew."""
    forged_links, parent, rows = list[Link](), b"", certificate.rows()
    for entry in chain.entries("certificate", rows, service.store.codec):
        number = len(forged_links)
        events = change(number, entry.events)  # type: ignore[arg-type]
        forged_entry = _reseal(service.store, entry, events, parent)
        parent = forged_entry.digest
        fields = tuple((topic, content) for _, topic, content in forged_entry.whole)
        forged_links.append(Link(number, parent.hex(), forged_entry.seal.state.hex(), fields))
    head = msgspec.structs.replace(certificate.head, head=forged_links[-1].digest, state=forged_links[-1].state)
    return Certificate(certificates.seal_header(head), tuple(forged_links))


def forged_store(service: GameService, stream: str, change: ChangeEvents) -> list[bytes]:
    """The export of a store in which the commits of a line have other events, sealed anew."""
    with EventStore.open("memory:") as forged_event_store:
        forged_event_store.codec = service.store.codec
        for copied_stream in service.store.streams():
            parent, number, previous_digest, entries = b"", 0, b"", list[Entry]()
            for entry in service.store.read(copied_stream):
                if copied_stream == stream and entry.is_commit:
                    events, seal_place = change(number, entry.events), place(copied_stream, previous_digest)  # type: ignore[arg-type]
                    entry = _reseal(service.store, entry, events, parent, seal_place)
                    parent, number = entry.digest, number + 1
                entries.append(entry)
                previous_digest = entry.digest
            forged_event_store.adopt(entries)
        return list(export_lines(forged_event_store))


def forged_names(service: GameService, stream: str, *events: Event) -> list[bytes]:
    """The export of a store whose stream of names has more events."""
    with EventStore.open("memory:") as forged_event_store:
        forged_event_store.codec = service.store.codec
        for copied_stream in service.store.streams():
            forged_event_store.adopt(list(service.store.read(copied_stream)))
        last_entry = list(forged_event_store.read(stream))[-1]
        forged_event_store.adopt(
            [forged_event_store.seal_entry(stream, last_entry.revision, Draft(events, "eve", FIRST_TIME))]
        )
        return list(export_lines(forged_event_store))


def _reseal(
    store: EventStore, entry: Entry, events: Sequence[msgspec.Struct], parent: bytes, seal_place: bytes = b""
) -> Entry:
    rows: tuple[Row, ...] = tuple(
        (revision, *store.codec.encode(event)) for revision, event in enumerate(events, entry.rows[0][0])
    )
    old_seal = entry.seal
    seal = chain.seal(
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
