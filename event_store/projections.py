"""Projections: summaries of streams, stored next to them, so that a list of many games need not read every stream.

A projection belongs to a revision and the entry that ends there. If the stream has moved on, the projection is behind,
and the reader catches up from there. Projections are optional: without them, the streams are read. Each has a
checksum, so a flipped bit is noticed, and `verify` compares it with its stream.

Each append stores a projection, which may be empty. It records the last revision, so a stream
that lost its last rows is noticed.
"""

from __future__ import annotations

from datetime import datetime

import msgspec

from event_store.chain import Row, digest_of_parts, read_seal
from event_store.codec import encode
from event_store.errors import DamagedError

StoredProjection = tuple[str, int, bytes]
"""A stored projection: stream, revision, bytes."""


class Projection(msgspec.Struct, frozen=True):
    """A projection of a stream up to `revision`, with the digest and time of the entry there.

    `last_revision` is that of the stream when the projection was read.
    """

    revision: int
    digest: bytes
    at: datetime
    content: bytes
    last_revision: int

    @property
    def is_behind(self) -> bool:
        """Whether the stream has moved on since the projection was made."""
        return self.revision != self.last_revision


class _PackedProjection(msgspec.Struct, frozen=True, array_like=True):
    entry_digest: bytes
    content: bytes
    checksum: bytes


_packed_decoder = msgspec.msgpack.Decoder(_PackedProjection)


def pack_projection(stream: str, revision: int, digest: bytes, content: bytes) -> StoredProjection:
    """Packs a projection for storage, with a checksum."""
    return stream, revision, encode(_PackedProjection(digest, content, _checksum(stream, revision, digest, content)))


def is_intact(stored_projection: StoredProjection) -> bool:
    """Whether a stored projection matches its checksum."""
    return _unpack_intact(*stored_projection) is not None


def intact_content(stored_projection: StoredProjection) -> bytes | None:
    """The content of a stored projection; None if it does not match its checksum."""
    packed_projection = _unpack_intact(*stored_projection)
    return packed_projection.content if packed_projection else None


def unpack_projection(stream: str, row: Row, packed_bytes: bytes, last_revision: int) -> Projection | None:
    """The projection stored for a row of its stream; None if it was altered or is of another history."""
    packed_projection = _unpack_intact(stream, row[0], packed_bytes)
    if packed_projection is None:
        return None
    try:
        seal = read_seal(stream, row)
    except DamagedError:
        return None
    if seal.digest != packed_projection.entry_digest:
        return None
    return Projection(row[0], packed_projection.entry_digest, seal.at, packed_projection.content, last_revision)


def _unpack_intact(stream: str, revision: int, packed_bytes: bytes) -> _PackedProjection | None:
    """The parts of a stored projection; None if they do not match its checksum."""
    try:
        packed_projection = _packed_decoder.decode(packed_bytes)
    except (msgspec.DecodeError, UnicodeDecodeError, TypeError):
        return None
    return packed_projection if _has_right_checksum(packed_projection, stream, revision) else None


def _has_right_checksum(packed_projection: _PackedProjection, stream: str, revision: int) -> bool:
    expected_checksum = _checksum(stream, revision, packed_projection.entry_digest, packed_projection.content)
    return packed_projection.checksum == expected_checksum


def _checksum(stream: str, revision: int, digest: bytes, content: bytes) -> bytes:
    return digest_of_parts(stream.encode(), str(revision).encode(), digest, content)
