"""Projections: what was made of a stream, kept beside it, so that a list of many need not go through all of them.

One is of a revision, and of the entry that ends there: where the stream has gone on it is behind, and a reader
catches up from there. It is no source of anything: without it, all is read as ever. It has a digest of its own, so that
a bit that was flipped in it is noticed; `verify` holds it against what it was made of.

Each append stores one, which may be empty: so a file knows in a second place how far each of its streams goes.
"""

from __future__ import annotations

from datetime import datetime

import msgspec

from event_store.chain import Row, read_seal, short_digest
from event_store.codec import encode
from event_store.errors import DamagedError

Beside = tuple[str, int, bytes]
"""Stream, revision, bytes: a projection as it is stored."""


class Projection(msgspec.Struct, frozen=True):
    """What was made of a stream up to a revision, with the digest and time of the entry there; the last revision."""

    revision: int
    digest: bytes
    at: datetime
    content: bytes
    last: int

    @property
    def is_behind(self) -> bool:
        """Whether the stream has gone on."""
        return self.revision != self.last


class _Packed(msgspec.Struct, frozen=True, array_like=True):
    digest: bytes
    content: bytes
    check: bytes


_decoder = msgspec.msgpack.Decoder(_Packed)


def pack_projection(stream: str, revision: int, digest: bytes, content: bytes) -> Beside:
    """A projection as it is stored."""
    return stream, revision, encode(_Packed(digest, content, _check(stream, revision, digest, content)))


def is_whole(beside: Beside) -> bool:
    """Whether a projection is as it was stored."""
    stream, revision, stored = beside
    try:
        found = _decoder.decode(stored)
        return found.check == _check(stream, revision, found.digest, found.content)
    except (msgspec.DecodeError, UnicodeDecodeError, TypeError):
        return False


def unpack_projection(stream: str, row: Row, stored: bytes, last: int) -> Projection | None:
    """A projection that was stored with a row of its stream; None if it is not what it was, or of another history."""
    if not is_whole((stream, row[0], stored)):
        return None
    try:
        found = _decoder.decode(stored)
        seal = read_seal(stream, row)
        if seal.digest != found.digest:
            return None
    except (msgspec.DecodeError, UnicodeDecodeError, TypeError, DamagedError):
        return None
    return Projection(row[0], found.digest, seal.at, found.content, last)


def _check(stream: str, revision: int, digest: bytes, content: bytes) -> bytes:
    return short_digest(stream.encode(), str(revision).encode(), digest, content)
