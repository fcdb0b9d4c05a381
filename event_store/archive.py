"""A whole store as lines of JSON, entry by entry in the order of their seals, and back again.

The first line says what it is, each of the others holds an entry (its stream, the revision of its first row, the topics
and bytes of its rows), and the last one counts them and has a digest of them all: a file that was cut off is noticed.
Equal stores have equal bytes; what is imported and exported again is the same to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from hashlib import blake2b

import msgspec

from event_store.chain import Entry
from event_store.errors import DamagedError
from event_store.store import EventStore

FORM = "store.1"
FOOT = b'{"entries"'
AT_ONCE = 500
"""Rows that are stored in one transaction."""


class Head(msgspec.Struct, frozen=True):
    """The first line."""

    zim: str


class Line(msgspec.Struct, frozen=True):
    """An entry. Its last row is its seal."""

    stream: str
    revision: int
    rows: tuple[tuple[str, bytes], ...]


class Foot(msgspec.Struct, frozen=True):
    """The last line: how many entries there are, and the BLAKE2b (16 bytes, hex) of their digests."""

    entries: int
    digest: str


def exported(store: EventStore) -> Iterator[bytes]:
    """The lines of a store. Raises `DamagedError` for an entry that is not as it was appended."""
    total = Total()
    yield _line(Head(FORM))
    for entry in store.everything():
        rows = tuple((topic, content) for _, topic, content in entry.whole)
        yield _line(Line(entry.stream, entry.rows[0][0], rows))
        total.add(entry)
    yield _line(total.foot())


def imported(store: EventStore, lines: Iterable[bytes], report: Callable[[int], None] = lambda entries: None) -> int:
    """Stores what was exported; how many entries there are. What is stored already is left as it is.

    Raises `DamagedError` for lines that are not as they were written, or end too early: those before are stored then,
    and the same file may be imported again. Raises `ConflictError` when the store has other games.
    """
    total, waiting, rows = Total(), list[Entry](), 0
    numbered = enumerate(lines, 1)
    _expect(Head(FORM), next(numbered, (1, b"")))
    for number, line in numbered:
        if line.startswith(FOOT):
            store.adopt(waiting)
            _expect(total.foot(), (number, line))
            report(total.entries)
            return total.entries
        entry = _entry(store, number, line)
        total.add(entry)
        waiting.append(entry)
        rows += len(entry.rows)
        if rows >= AT_ONCE:
            store.adopt(waiting)
            waiting, rows = [], 0
            report(total.entries)
    store.adopt(waiting)
    raise DamagedError("the export ends too early", f"after {total.entries} entries, which are stored now")


class Total:
    """What the last line says."""

    def __init__(self) -> None:
        self.entries = 0
        self._digest = blake2b(digest_size=16)

    def add(self, entry: Entry) -> None:
        """Counts an entry."""
        self.entries += 1
        self._digest.update(entry.digest)

    def foot(self) -> Foot:
        """The last line, after the entries so far."""
        return Foot(self.entries, self._digest.hexdigest())


def _line(value: Head | Line | Foot) -> bytes:
    return msgspec.json.encode(value) + b"\n"


def _entry(store: EventStore, number: int, line: bytes) -> Entry:
    try:
        read = msgspec.json.decode(line, type=Line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise DamagedError(f"line {number} of the export makes no sense", str(error)) from error
    rows = [(revision, *row) for revision, row in enumerate(read.rows, read.revision)]
    return store.entry(read.stream, rows)


def _expect(value: Head | Foot, numbered: tuple[int, bytes]) -> None:
    number, line = numbered
    if line.rstrip(b"\n") != msgspec.json.encode(value):
        why = f"it should be {msgspec.json.encode(value).decode()}"
        raise DamagedError(f"line {number} of the export is not as it was written", why)
