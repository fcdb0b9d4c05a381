"""Forged certificates and exports: their digests are right, but the moves in them were never played."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

import msgspec

from event_store import Draft, Entry, EventStore, chain
from event_store.archive import export_lines
from event_store.chain import Row
from event_store.seal_places import place
from tests.service.table import BEGIN
from zimcore.game import Event
from zimcore.service import GameService, certificates
from zimcore.service.certificates import Certificate, Link

SALT = b"forged by forger"

Change = Callable[[int, Sequence[Event]], Sequence[msgspec.Struct]]
"""Takes the number and the events of a commit, gives what is to be in their place."""


def flip_bit(data: bytes, chance: Random, start: int = 0) -> bytes:
    """The data with one bit turned, anywhere from a byte on."""
    altered, bit = bytearray(data), chance.randrange(8 * start, 8 * len(data))
    altered[bit // 8] ^= 1 << bit % 8
    return bytes(altered)


def forge(service: GameService, certificate: Certificate, change: Change) -> Certificate:
    """A certificate with other events, all of it sealed anew."""
    links, parent, rows = list[Link](), b"", certificate.rows()
    for entry in chain.entries("certificate", rows, service.store.codec):
        number = len(links)
        events = change(number, entry.events)  # type: ignore[arg-type]
        sealed = _seal_again(service.store, entry, events, parent)
        parent = sealed.digest
        fields = tuple((topic, content) for _, topic, content in sealed.whole)
        links.append(Link(number, parent.hex(), sealed.seal.state.hex(), fields))
    head = msgspec.structs.replace(certificate.head, head=links[-1].digest, state=links[-1].state)
    return Certificate(certificates.seal_header(head), tuple(links))


def forged_store(service: GameService, stream: str, change: Change) -> list[bytes]:
    """The export of a store in which the commits of a line have other events, sealed anew."""
    with EventStore.open("memory:") as other:
        other.codec = service.store.codec
        for each in service.store.streams():
            parent, number, before, entries = b"", 0, b"", list[Entry]()
            for entry in service.store.read(each):
                if each == stream and entry.is_commit:
                    events, here = change(number, entry.events), place(each, before)  # type: ignore[arg-type]
                    entry = _seal_again(service.store, entry, events, parent, here)
                    parent, number = entry.digest, number + 1
                entries.append(entry)
                before = entry.digest
            other.adopt(entries)
        return list(export_lines(other))


def forged_names(service: GameService, stream: str, *events: Event) -> list[bytes]:
    """The export of a store among whose names there is something more."""
    with EventStore.open("memory:") as other:
        other.codec = service.store.codec
        for each in service.store.streams():
            other.adopt(list(service.store.read(each)))
        last = list(other.read(stream))[-1]
        other.adopt([other.seal_entry(stream, last.revision, Draft(events, "eve", BEGIN))])
        return list(export_lines(other))


def _seal_again(
    store: EventStore, entry: Entry, events: Sequence[msgspec.Struct], parent: bytes, here: bytes = b""
) -> Entry:
    rows: tuple[Row, ...] = tuple(
        (revision, *store.codec.encode(event)) for revision, event in enumerate(events, entry.rows[0][0])
    )
    was = entry.seal
    seal = chain.seal(rows, parent=parent, by=was.by, at=was.at, id=was.id, state=was.state, salt=SALT, place=here)
    assert len(rows) == len(entry.rows) or entry.stream == "certificate", "others would be at other revisions"
    content = msgspec.msgpack.encode(seal)
    return Entry(entry.stream, rows[-1][0] + 1, rows, seal, content, store.codec)
