"""Entries and their seals: an entry is one append, and its seal shows if a single bit of it was altered.

An entry is one or more rows of events and a last row, its seal. The seal holds the author, the time, the digest of the
entry that this one builds on, random bytes, and a digest of all that. So entries form a chain, like commits in git.

In other words: hash chain, Merkle chain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from operator import itemgetter
from typing import TypeAlias

import msgspec

try:
    from _blake2 import blake2b as blake2b  # the one in `hashlib`, without loading OpenSSL
except ImportError:
    from hashlib import blake2b as blake2b

from event_store.codec import Codec, encode
from event_store.errors import AlteredError, DamagedError, damaged_error

ATTESTED_TOPIC, PLAIN_TOPIC, UNSALTED_TOPIC = "store.sealed.3", "store.sealed.2", "store.sealed.1"
"""The topics of `AttestedSeal`, `PlainSeal` and `UnsaltedSeal` (which only old stores have)."""

DIGEST_SIZE, RANDOM_SIZE = 16, 16
"""Bytes of a digest, and of the random part of a salt (the rest is a place)."""

Row: TypeAlias = tuple[int, str, bytes]
"""A stored row: revision, topic (the kind and the tag of an event: see `codec`), bytes."""


class PlainSeal(msgspec.Struct, frozen=True, gc=False, tag_field="event", tag="sealed.2"):
    """The last row of an entry without a request or a signature.

    `parent` is the digest of the entry that this one builds on. For a commit that is the commit before it, so forks
    share the digests of their past. For any other entry it is the one before it in its stream (empty for the first).
    `by` is the author, `at` the time in UTC, `id` an id that the writer chose. `state` is the digest of the state after
    a commit, and empty for other entries.

    `salt` is 16 random bytes. Without them, a player who knows everything but one hidden card could try all cards
    against the digest; so only viewers who may see everything get the salt. The place of the entry, if it has one,
    follows the random bytes: see `seal_places`. The salt is empty for an `UnsaltedSeal`, which is read as this one.

    `digest` comes last: it is over the rows and all bytes of the seal before it.
    """

    parent: bytes
    by: str
    at: datetime
    id: str
    state: bytes
    salt: bytes
    digest: bytes

    @property
    def request(self) -> bytes:
        """Empty: this seal is of an append that is never retried."""
        return b""

    @property
    def proof(self) -> bytes:
        """Empty: the entry was not signed."""
        return b""


class AttestedSeal(msgspec.Struct, frozen=True, gc=False, tag_field="event", tag="sealed.3"):
    """The seal of an entry that has an idempotency key or a signature.

    `request` is a digest of the request, for which its sender chose `id` as the command id: the same request again gets
    this entry, a different one is refused. `proof` shows who gave the command (a signature). Either may be empty, and
    the store looks into neither. The other fields are as in `PlainSeal`.
    """

    parent: bytes
    by: str
    at: datetime
    id: str
    state: bytes
    request: bytes
    proof: bytes
    salt: bytes
    digest: bytes


Seal: TypeAlias = PlainSeal | AttestedSeal


class UnsaltedSeal(msgspec.Struct, frozen=True, gc=False, tag_field="event", tag="sealed.1"):
    """The oldest form of a seal, still readable. Its digest is over parent, rows, and `(by, at, id, state)`."""

    parent: bytes
    by: str
    at: datetime
    id: str
    state: bytes
    digest: bytes


class Draft(msgspec.Struct, frozen=True):
    """An entry before it is sealed: its events (at least one), author, time and id.

    A commit has a `state` (a digest). `request` and `proof` are as in `AttestedSeal`.
    """

    events: Sequence[msgspec.Struct]
    by: str
    at: datetime
    id: str = ""
    state: bytes = b""
    request: bytes = b""
    proof: bytes = b""


_seal_decoders: Mapping[str, Callable[[bytes], Seal | UnsaltedSeal]] = {
    ATTESTED_TOPIC: msgspec.msgpack.Decoder(AttestedSeal).decode,
    PLAIN_TOPIC: msgspec.msgpack.Decoder(PlainSeal).decode,
    UNSALTED_TOPIC: msgspec.msgpack.Decoder(UnsaltedSeal).decode,
}


class Entry(msgspec.Struct, frozen=True, eq=False, gc=False):
    """One append: the rows of its events and its seal, which is row `revision` of the stream.

    `seal_bytes` are the stored bytes of the seal.
    """

    stream: str
    revision: int
    rows: tuple[Row, ...]
    seal: Seal
    seal_bytes: bytes
    codec: Codec

    @property
    def digest(self) -> bytes:
        """The 16-byte digest that identifies this entry."""
        return self.seal.digest

    @property
    def parent(self) -> bytes:
        """The digest of the entry that this one builds on."""
        return self.seal.parent

    @property
    def is_commit(self) -> bool:
        """Whether this is a commit: its seal has the digest of a state."""
        return bool(self.seal.state)

    @property
    def all_rows(self) -> tuple[Row, ...]:
        """All rows of the entry, including its seal."""
        topic = (
            ATTESTED_TOPIC if isinstance(self.seal, AttestedSeal) else PLAIN_TOPIC if self.seal.salt else UNSALTED_TOPIC
        )
        return (*self.rows, (self.revision, topic, self.seal_bytes))

    @property
    def events(self) -> tuple[msgspec.Struct, ...]:
        """The events, decoded. Raises `DamagedError`."""
        return tuple(self.events_after(0))

    def events_after(self, count: int) -> list[msgspec.Struct]:
        """The events after the first `count`, decoded. Raises `DamagedError`."""
        decoders, rows = self.codec.decoders, self.rows[count:]
        try:
            return [decoders[topic](content) for _, topic, content in rows]
        except Exception:  # decode row by row: `decode` makes missing decoders, and says where damage is
            return [self._decode_row(*row) for row in rows]

    def _decode_row(self, revision: int, topic: str, content: bytes) -> msgspec.Struct:
        return self.codec.decode(topic, content, stream=self.stream, revision=revision)


def digest_of_parts(*parts: bytes) -> bytes:
    """BLAKE2b (16 bytes) over parts, each prefixed with its length, so that different lists of parts never look alike.

    >>> digest_of_parts(b"ab", b"c") == digest_of_parts(b"a", b"bc")
    False
    """
    sized_parts = b"".join([len(part).to_bytes(8, "big") + part for part in parts])
    return blake2b(sized_parts, digest_size=DIGEST_SIZE).digest()


def _entry_digest(rows: Iterable[Row], seal_prefix: bytes) -> bytes:
    """The digest of an entry: over its rows (a MessagePack list of topic and bytes) and its seal up to the digest."""
    return blake2b(encode([row[1:] for row in rows]) + seal_prefix, digest_size=DIGEST_SIZE).digest()


def make_seal(
    rows: Iterable[Row],
    *,
    parent: bytes,
    by: str,
    at: datetime,
    id: str,  # noqa: A002
    state: bytes,
    salt: bytes,
    place: bytes = b"",
    request: bytes = b"",
    proof: bytes = b"",
) -> Seal:
    """Seals rows: an `AttestedSeal` if there is a request or a proof, else a `PlainSeal`. `place`: see `seal_places`.

    Raises `ValueError` for a time without a time zone, or a salt of the wrong length.
    """
    if at.tzinfo is None:
        raise ValueError("the time of an entry needs a time zone")
    if len(salt) != RANDOM_SIZE:
        raise ValueError(f"a salt has {RANDOM_SIZE} bytes")
    fields = (parent, by, at.astimezone(UTC), id, state)
    is_attested = request or proof
    seal_without_digest = (
        AttestedSeal(*fields, request, proof, salt + place, bytes(DIGEST_SIZE))
        if is_attested
        else PlainSeal(*fields, salt + place, bytes(DIGEST_SIZE))
    )
    return msgspec.structs.replace(
        seal_without_digest, digest=_entry_digest(rows, encode(seal_without_digest)[:-DIGEST_SIZE])
    )


def unsalted_seal(seal: Seal, rows: Iterable[Row]) -> UnsaltedSeal:
    """The seal of these rows in its oldest form, with the fields of another seal."""
    seal_fields = encode((seal.by, seal.at, seal.id, seal.state))
    parts = (part for _, topic, content in rows for part in (topic.encode(), content))
    digest = digest_of_parts(seal.parent, *parts, seal_fields)
    return UnsaltedSeal(seal.parent, seal.by, seal.at, seal.id, seal.state, digest)


def check_digest(entry: Entry) -> None:
    """Raises `AlteredError` when an entry is not what was appended."""
    seal, seal_bytes = entry.seal, entry.seal_bytes
    try:
        if seal.salt:
            is_genuine = _entry_digest(entry.rows, seal_bytes[:-DIGEST_SIZE]) == seal.digest and seal_bytes.endswith(
                seal.digest
            )
        else:  # compare all bytes: this digest is not over the bytes of the seal
            is_genuine = encode(unsalted_seal(seal, entry.rows)) == seal_bytes
    except UnicodeEncodeError:  # a topic that is no text
        is_genuine = False
    if not is_genuine:
        raise altered_error(entry.stream, entry.revision, "its digest does not match its bytes")


def check_parent(entry: Entry, parent: bytes) -> None:
    """Raises `AlteredError` unless an entry builds on the one with the digest `parent`."""
    if entry.seal.parent != parent:
        raise altered_error(entry.stream, entry.revision, "it does not follow the entry before it")


def altered_error(stream: str, revision: int, why: str) -> AlteredError:
    """The error for an entry that is not what was appended there."""
    what = f"the entry at revision {revision} of stream {stream} was altered"
    return AlteredError(what, why, stream=stream, revision=revision)


def entries(stream: str, rows: Sequence[Row], codec: Codec, after: int = -1) -> Iterator[Entry]:
    """The entries in the rows after revision `after`, checked one by one.

    Raises `DamagedError` at a gap or a missing seal, and `AlteredError` for an entry that is not what was appended or
    does not build on the one before it. The parents of commits may be in other streams: `line_history` checks them.
    """
    complete_rows = tuple(rows[: _count_before_gap(rows, after)])
    begin_index, digest_before = 0, b"" if after < 0 else None
    for seal_index in [seal_index for seal_index, row in enumerate(complete_rows) if row[1] in _seal_decoders]:
        row = complete_rows[seal_index]
        seal = read_seal(stream, row)
        entry = Entry(stream, row[0], complete_rows[begin_index:seal_index], seal, row[2], codec)
        check_digest(entry)
        if not seal.state and digest_before is not None:
            check_parent(entry, digest_before)
        begin_index, digest_before = seal_index + 1, seal.digest
        yield entry
    if len(complete_rows) < len(rows):
        raise damaged_error(stream, after + len(complete_rows) + 1, "the row is missing")
    if begin_index < len(complete_rows):
        read_seal(stream, complete_rows[-1])


def entries_or_errors(stream: str, rows: Iterable[Row], codec: Codec) -> Iterator[Entry | DamagedError]:
    """The entries in all rows of a stream, each checked by itself, with an error in the place of a damaged one.

    The parents of commits are not checked, nor the parent of an entry that follows an error.
    """
    entry_rows: list[Row] = []
    next_revision, digest_before = 0, b""
    for row in filter(has_revision, rows):  # a row without a revision counts as missing
        entry_rows.append(row)
        if not is_seal(row):
            continue
        entry, error = _last_entry(stream, entry_rows, codec)
        if entry_rows[0][0] != next_revision:
            error = damaged_error(stream, next_revision, "the row is missing")
        if error is None and entry and not entry.is_commit:
            try:
                check_parent(entry, digest_before or entry.parent)
            except DamagedError as parent_error:
                entry, error = None, parent_error
        if error:
            yield error
        if entry:
            yield entry
        digest_before = entry.digest if entry else b""
        next_revision, entry_rows = row[0] + 1, []
    if entry_rows:
        yield damaged_error(stream, entry_rows[-1][0], "the last entry has no seal")


def _last_entry(stream: str, rows: Sequence[Row], codec: Codec) -> tuple[Entry | None, DamagedError | None]:
    """The entry that ends with the last row, if it is intact, and the error for the rows before it, if any.

    If the seal of the entry before is damaged, only the digest shows where this entry begins: all starts are tried.
    """
    error = None
    for begin_index in range(len(rows)):
        try:
            (entry,) = entries(stream, rows[begin_index:], codec, rows[begin_index][0] - 1)
        except DamagedError as damage:
            error = error or damage
        else:
            return entry, error
    return None, error


def entries_in_order(rows: Iterable[tuple[str, Row]], codec: Codec) -> Iterator[Entry]:
    """The entries in the rows of many streams, in the order of their seals; rows of streams may be interleaved.

    Raises `DamagedError` for an entry without a seal, and `AlteredError` for one that is not what was appended.
    """
    waiting_rows_by_stream: dict[str, list[Row]] = {}
    for stream, row in rows:
        if not (isinstance(stream, str) and has_revision(row)):
            raise unreadable_row_error(stream, row)
        waiting_rows_by_stream.setdefault(stream, []).append(row)
        if is_seal(row):
            entry_rows = waiting_rows_by_stream.pop(stream)
            yield from entries(stream, entry_rows, codec, entry_rows[0][0] - 1)
    for stream, entry_rows in waiting_rows_by_stream.items():
        yield from entries(stream, entry_rows, codec, entry_rows[0][0] - 1)


def read_seal(stream: str, row: Row) -> Seal:
    """Decodes the last row of an entry. Raises `DamagedError` if it is not a seal."""
    revision, topic, content = row
    decode = _seal_decoders.get(topic)
    if decode is None:
        raise damaged_error(stream, revision, "the last entry has no seal")
    try:
        seal = decode(content)
    # A damaged row of SQLite may hold text instead of bytes; bytes from a foreign file may be nested too deeply.
    except (msgspec.DecodeError, UnicodeDecodeError, TypeError, RecursionError, OverflowError) as error:
        raise damaged_error(stream, revision, f"these bytes are not a seal: {error}") from error
    if isinstance(seal, UnsaltedSeal):
        return PlainSeal(seal.parent, seal.by, seal.at, seal.id, seal.state, b"", seal.digest)
    if len(seal.salt) < RANDOM_SIZE:
        raise damaged_error(stream, revision, "the salt is missing")
    if not _is_canonical(seal, content):
        raise damaged_error(
            stream, revision, "these bytes are not a seal: they contain too much, or a time that is not in UTC"
        )
    return seal


def _is_canonical(seal: Seal, content: bytes) -> bool:
    """Whether these are exactly the bytes of the seal, without additions, and its time is in UTC."""
    try:
        return encode(seal) == content and seal.at.tzinfo is not None
    except OverflowError:  # in UTC the time is before the year 1 or after 9999
        return False


def has_revision(row: Row) -> bool:
    """Whether a row has an integer as its revision: a damaged row of SQLite may have text, a fraction or nothing."""
    return isinstance(row[0], int)


def unreadable_row_error(stream: str, row: Row) -> DamagedError:
    """The error for a row whose stream or revision can't be read."""
    return DamagedError("a row is damaged", f"it says that it is revision {row[0]!r} of stream {stream!r}")


def is_seal(row: Row) -> bool:
    """Whether a row is a seal, the last of its entry."""
    return row[1] in _seal_decoders


def last_entry_begin(rows: Sequence[Row], default: int | None) -> int | None:
    """The index of the row where the last entry begins; `default` if there is no seal before the last row."""
    return next((seal_index + 1 for seal_index in range(len(rows) - 2, -1, -1) if is_seal(rows[seal_index])), default)


def _count_before_gap(rows: Sequence[Row], after: int) -> int:
    """The number of rows before the first gap."""
    if list(map(itemgetter(0), rows)) == [*range(after + 1, after + 1 + len(rows))]:
        return len(rows)
    return next(count for count, row in enumerate(rows) if row[0] != after + 1 + count)
