"""Entries and their seals: what is appended at once, and how a single altered bit is found.

An entry is one or more rows of events and a closing row, its seal. The seal holds who, when, the digest of the entry
that this one builds on, and the digest of all that: entries form a chain as commits do in git.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import TypeAlias

import msgspec

from event_store.codec import Codec, encode
from event_store.errors import AlteredError, damaged

SEAL = "store.sealed.1"
"""The topic of a seal."""

Row: TypeAlias = tuple[int, str, bytes]
"""Revision, topic, bytes: a row as it is stored."""


class Sealed(msgspec.Struct, frozen=True, gc=False, tag_field="event", tag="sealed.1"):
    """The last row of every entry.

    `parent` is the digest of what this entry builds on: for a commit the commit before it (so that forks share the
    digests of their past), for any other entry the one before it in its stream, empty for the first. `at` is in UTC;
    `id` names the command, `state` is the digest of the state that a commit ends in, and empty for other entries.
    """

    parent: bytes
    by: str
    at: datetime
    id: str
    state: bytes
    digest: bytes


class Draft(msgspec.Struct, frozen=True):
    """An entry that is to be appended: at least one event, who, when, the command's id; a commit ends in a `state`."""

    events: Sequence[msgspec.Struct]
    by: str
    at: datetime
    id: str = ""
    state: bytes = b""


_decode_seal = msgspec.msgpack.Decoder(Sealed).decode


class Entry(msgspec.Struct, frozen=True, eq=False):
    """What was appended at once: the rows of its events, and its seal, which is row `revision` of the stream."""

    stream: str
    revision: int
    rows: tuple[Row, ...]
    seal: Sealed
    sealed: bytes
    codec: Codec

    @property
    def digest(self) -> bytes:
        """The 16 bytes that name this entry."""
        return self.seal.digest

    @property
    def parent(self) -> bytes:
        """The digest of what this entry builds on."""
        return self.seal.parent

    @property
    def is_commit(self) -> bool:
        """Whether this is a commit: it ends in a state."""
        return bool(self.seal.state)

    @property
    def whole(self) -> tuple[Row, ...]:
        """All its rows, the seal too."""
        return (*self.rows, (self.revision, SEAL, self.sealed))

    @property
    def events(self) -> tuple[msgspec.Struct, ...]:
        """The events, decoded. Raises `DamagedError`."""
        decoders = self.codec.decoders
        try:
            return tuple([decoders[topic](content) for _, topic, content in self.rows])
        except Exception:  # a closer look, row by row, knows more topics and says where the damage is
            return tuple(self._decoded(*row) for row in self.rows)

    def _decoded(self, revision: int, topic: str, content: bytes) -> msgspec.Struct:
        return self.codec.decode(topic, content, stream=self.stream, revision=revision)


def short_digest(*parts: bytes) -> bytes:
    """BLAKE2b of 16 bytes over parts; each goes in with its length, so that no two lists of parts run together.

    >>> short_digest(b"ab", b"c") == short_digest(b"a", b"bc")
    False
    """
    from hashlib import blake2b  # not for every start: reading needs no digest

    digest = blake2b(digest_size=16)
    for part in parts:
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.digest()


def seal(
    rows: Iterable[Row],
    *,
    parent: bytes,
    by: str,
    at: datetime,
    id: str,  # noqa: A002
    state: bytes,
) -> Sealed:
    """The seal that belongs to these rows. Raises `ValueError` for a time without a time zone."""
    if at.tzinfo is None:
        raise ValueError("the time of an entry needs a time zone")
    at = at.astimezone(UTC)
    parts = (part for _, topic, content in rows for part in (topic.encode(errors="surrogateescape"), content))
    digest = short_digest(parent, *parts, encode((by, at, id, state)))
    return Sealed(parent=parent, by=by, at=at, id=id, state=state, digest=digest)


def check(entry: Entry, parent: bytes) -> None:
    """Raises `AlteredError` when an entry is not what was appended, or does not build on this parent."""
    was = entry.seal
    genuine = seal(entry.rows, parent=was.parent, by=was.by, at=was.at, id=was.id, state=was.state)
    # Whole bytes are compared: the same seal could be written in others, which nobody appended either.
    if encode(genuine) != entry.sealed:
        raise _altered(entry, "its digest is not that of its bytes")
    if was.parent != parent:
        raise _altered(entry, "it does not build on what stands before it")


def _altered(entry: Entry, why: str) -> AlteredError:
    return AlteredError(f"the entry at revision {entry.revision} of stream {entry.stream} was altered", why)


def entries(stream: str, rows: Sequence[Row], codec: Codec, after: int = -1) -> Iterator[Entry]:
    """The entries in the rows that follow revision `after`. Raises `DamagedError` at a gap or a missing seal."""
    whole = tuple(rows[: _unbroken(rows, after)])
    begin = 0
    for end, row in enumerate(whole):
        if row[1] == SEAL:
            yield Entry(stream, row[0], whole[begin:end], unsealed(stream, row), row[2], codec)
            begin = end + 1
    if len(whole) < len(rows):
        raise damaged(stream, after + len(whole) + 1, "the row is missing")
    if begin < len(whole):
        unsealed(stream, whole[-1])


def in_order(rows: Iterable[tuple[str, Row]], codec: Codec) -> Iterator[Entry]:
    """The entries in the rows of many streams, whose entries each stand together, checked one by one.

    Raises `DamagedError` for one that has no seal, `AlteredError` for one that is not what was appended.
    """
    for stream, together in _together(rows):
        for entry in entries(stream, together, codec, together[0][0] - 1):
            check(entry, entry.parent)
            yield entry


def _together(rows: Iterable[tuple[str, Row]]) -> Iterator[tuple[str, list[Row]]]:
    """Rows up to a seal, or to where another stream begins."""
    stream, together = "", list[Row]()
    for other, row in rows:
        if together and (other != stream or together[-1][1] == SEAL):
            yield stream, together
            together = []
        stream = other
        together.append(row)
    if together:
        yield stream, together


def unsealed(stream: str, row: Row) -> Sealed:
    """The seal in the last row of an entry. Raises `DamagedError` when it is none."""
    revision, topic, content = row
    if topic != SEAL:
        raise damaged(stream, revision, "the last entry has no seal")
    try:
        return _decode_seal(content)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise damaged(stream, revision, f"these bytes are no seal: {error}") from error


def _unbroken(rows: Sequence[Row], after: int) -> int:
    """How many rows there are before the first gap. They are in order, so the last one tells whether there is any."""
    if not rows or rows[-1][0] == after + len(rows):
        return len(rows)
    return next(count for count, row in enumerate(rows) if row[0] != after + 1 + count)
