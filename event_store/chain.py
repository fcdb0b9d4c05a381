"""Entries and their seals: what is appended at once, and how a single altered bit is found.

An entry is one or more rows of events and a closing row, its seal. The seal holds who, when, the digest of the entry
that this one builds on, random bytes, and the digest of all that: entries form a chain as commits do in git.

In other words: hash chain, Merkle chain.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from operator import itemgetter
from typing import TypeAlias

import msgspec

try:
    from _blake2 import blake2b as blake2b  # what `hashlib` has, without the OpenSSL that it loads first
except ImportError:
    from hashlib import blake2b as blake2b

from event_store.codec import Codec, encode
from event_store.errors import AlteredError, DamagedError, damaged_error

ATTESTED, SEAL, UNSALTED = "store.sealed.3", "store.sealed.2", "store.sealed.1"
"""The topics of a seal: of what was asked for with an id or signed, of anything else, and of the past."""

DIGEST, SALT = 16, 16
"""Bytes of a digest, and of a salt."""

Row: TypeAlias = tuple[int, str, bytes]
"""Revision, topic, bytes: a row as it is stored."""


class Sealed(msgspec.Struct, frozen=True, gc=False, tag_field="event", tag="sealed.2"):
    """The last row of every entry.

    `parent` is the digest of what this entry builds on: for a commit the commit before it (so that forks share the
    digests of their past), for any other entry the one before it in its stream, empty for the first. `at` is in UTC;
    `id` names the command, `state` is the digest of the state that a commit ends in, and empty for other entries.

    `salt` is random: who knows all but a hidden card must not find the card by trying them all against the digest.
    Nobody who may not see everything is ever given it. A seal that was stored without any has an empty one here. Behind
    the random bytes stands the place of the entry, if it was sealed with one: see `places`.

    `digest` stands last, as it is the digest of all that is before it: the rows, and the bytes of the seal so far.
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
        """Nothing: such an append is never repeated."""
        return b""

    @property
    def proof(self) -> bytes:
        """Nothing: this was not signed."""
        return b""


class AttestedSeal(msgspec.Struct, frozen=True, gc=False, tag_field="event", tag="sealed.3"):
    """The seal of an entry that can be asked for again, or that somebody has signed.

    `request` is a digest of what was asked for with the command id `id`: the same again gets this entry, anything else
    is refused. `proof` is what shows who gave the command. The store understands neither; each is empty where there is
    none. The others are as in `Sealed`.
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


Seal: TypeAlias = Sealed | AttestedSeal


class UnsaltedSeal(msgspec.Struct, frozen=True, gc=False, tag_field="event", tag="sealed.1"):
    """An old form of seal, still readable. Its digest is over parent, rows, and `(by, at, id, state)`."""

    parent: bytes
    by: str
    at: datetime
    id: str
    state: bytes
    digest: bytes


class Draft(msgspec.Struct, frozen=True):
    """An entry that is to be appended: at least one event, who, when, the command's id; a commit ends in a `state`.

    `request` and `proof` are as in `AttestedSeal`.
    """

    events: Sequence[msgspec.Struct]
    by: str
    at: datetime
    id: str = ""
    state: bytes = b""
    request: bytes = b""
    proof: bytes = b""


_decode_seal: Mapping[str, Callable[[bytes], Seal | UnsaltedSeal]] = {
    ATTESTED: msgspec.msgpack.Decoder(AttestedSeal).decode,
    SEAL: msgspec.msgpack.Decoder(Sealed).decode,
    UNSALTED: msgspec.msgpack.Decoder(UnsaltedSeal).decode,
}


class Entry(msgspec.Struct, frozen=True, eq=False, gc=False):
    """What was appended at once: the rows of its events, and its seal, which is row `revision` of the stream."""

    stream: str
    revision: int
    rows: tuple[Row, ...]
    seal: Seal
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
        topic = ATTESTED if isinstance(self.seal, AttestedSeal) else SEAL if self.seal.salt else UNSALTED
        return (*self.rows, (self.revision, topic, self.sealed))

    @property
    def events(self) -> tuple[msgspec.Struct, ...]:
        """The events, decoded. Raises `DamagedError`."""
        return tuple(self.after(0))

    def after(self, count: int) -> list[msgspec.Struct]:
        """The events after the first so many, decoded. Raises `DamagedError`."""
        decoders, rows = self.codec.decoders, self.rows[count:]
        try:
            return [decoders[topic](content) for _, topic, content in rows]
        except Exception:  # a closer look, row by row, knows more topics and says where the damage is
            return [self._decode_row(*row) for row in rows]

    def _decode_row(self, revision: int, topic: str, content: bytes) -> msgspec.Struct:
        return self.codec.decode(topic, content, stream=self.stream, revision=revision)


def short_digest(*parts: bytes) -> bytes:
    """BLAKE2b of 16 bytes over parts; each goes in with its length, so that no two lists of parts run together.

    >>> short_digest(b"ab", b"c") == short_digest(b"a", b"bc")
    False
    """
    sized = b"".join([len(part).to_bytes(8, "big") + part for part in parts])
    return blake2b(sized, digest_size=DIGEST).digest()


def _digest(rows: Iterable[Row], seal_so_far: bytes) -> bytes:
    """The digest of an entry: over its rows, as MessagePack has a list of pairs, and its seal up to the digest."""
    return blake2b(encode([row[1:] for row in rows]) + seal_so_far, digest_size=DIGEST).digest()


def seal(
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
    """The seal that belongs to these rows, with its `place` if it has one (see `places`).

    Raises `ValueError` for a time without a time zone, or a salt that is too short or long.
    """
    if at.tzinfo is None:
        raise ValueError("the time of an entry needs a time zone")
    if len(salt) != SALT:
        raise ValueError(f"a salt has {SALT} bytes")
    told = (parent, by, at.astimezone(UTC), id, state)
    attested = request or proof
    open_ = (
        AttestedSeal(*told, request, proof, salt + place, bytes(DIGEST))
        if attested
        else Sealed(*told, salt + place, bytes(DIGEST))
    )
    return msgspec.structs.replace(open_, digest=_digest(rows, encode(open_)[:-DIGEST]))


def unsalted_seal(seal: Seal, rows: Iterable[Row]) -> UnsaltedSeal:
    """The seal of the past that belongs to these rows, with what another seal says."""
    told = encode((seal.by, seal.at, seal.id, seal.state))
    parts = (part for _, topic, content in rows for part in (topic.encode(), content))
    digest = short_digest(seal.parent, *parts, told)
    return UnsaltedSeal(seal.parent, seal.by, seal.at, seal.id, seal.state, digest)


def check(entry: Entry) -> None:
    """Raises `AlteredError` when an entry is not what was appended."""
    seal, sealed = entry.seal, entry.sealed
    try:
        if seal.salt:
            genuine = _digest(entry.rows, sealed[:-DIGEST]) == seal.digest and sealed.endswith(seal.digest)
        else:  # whole bytes are compared: the same seal could be written in others, which nobody appended either
            genuine = encode(unsalted_seal(seal, entry.rows)) == sealed
    except UnicodeEncodeError:  # a topic that is no text
        genuine = False
    if not genuine:
        raise altered_error(entry.stream, entry.revision, "its digest does not match its bytes")


def check_parent(entry: Entry, parent: bytes) -> None:
    """Raises `AlteredError` when an entry does not build on this one."""
    if entry.seal.parent != parent:
        raise altered_error(entry.stream, entry.revision, "it does not follow the entry before it")


def altered_error(stream: str, revision: int, why: str) -> AlteredError:
    """The error for an entry that is not what was appended there."""
    what = f"the entry at revision {revision} of stream {stream} was altered"
    return AlteredError(what, why, stream=stream, revision=revision)


def entries(stream: str, rows: Sequence[Row], codec: Codec, after: int = -1) -> Iterator[Entry]:
    """The entries in the rows that follow revision `after`, checked one by one.

    Raises `DamagedError` at a gap or a missing seal, `AlteredError` for an entry that is not what was appended, or does
    not build on the one before it. Commits build on commits, which may be elsewhere: that is for `lines` to see.
    """
    whole = tuple(rows[: _rows_before_gap(rows, after)])
    begin, before = 0, b"" if after < 0 else None
    for end in [end for end, row in enumerate(whole) if row[1] in _decode_seal]:
        row = whole[end]
        seal = read_seal(stream, row)
        entry = Entry(stream, row[0], whole[begin:end], seal, row[2], codec)
        check(entry)
        if not seal.state and before is not None:
            check_parent(entry, before)
        begin, before = end + 1, seal.digest
        yield entry
    if len(whole) < len(rows):
        raise damaged_error(stream, after + len(whole) + 1, "the row is missing")
    if begin < len(whole):
        read_seal(stream, whole[-1])


def entries_or_errors(stream: str, rows: Iterable[Row], codec: Codec) -> Iterator[Entry | DamagedError]:
    """The entries in all rows of a stream, each by itself; an error in the place of one that is not as it was.

    That a commit builds on another is not looked at, nor what follows an error.
    """
    together: list[Row] = []
    revision, before = 0, b""
    for row in filter(is_numbered, rows):  # where one is not, the row is missing
        together.append(row)
        if not is_seal(row):
            continue
        entry, error = _last_of(stream, together, codec)
        if together[0][0] != revision:
            error = damaged_error(stream, revision, "the row is missing")
        if error is None and entry and not entry.is_commit:
            try:
                check_parent(entry, before or entry.parent)
            except DamagedError as broken:
                entry, error = None, broken
        if error:
            yield error
        if entry:
            yield entry
        before = entry.digest if entry else b""
        revision, together = row[0] + 1, []
    if together:
        yield damaged_error(stream, together[-1][0], "the last entry has no seal")


def _last_of(stream: str, rows: Sequence[Row], codec: Codec) -> tuple[Entry | None, DamagedError | None]:
    """The entry that ends with the last of rows, if it is as it was; and what is wrong with all that is before it.

    The seal of the entry before may be what was damaged: only the digest shows where this one begins.
    """
    error = None
    for begin in range(len(rows)):
        try:
            (entry,) = entries(stream, rows[begin:], codec, rows[begin][0] - 1)
        except DamagedError as found:
            error = error or found
        else:
            return entry, error
    return None, error


def in_order(rows: Iterable[tuple[str, Row]], codec: Codec) -> Iterator[Entry]:
    """The entries in the rows of many streams, in the order of their seals; rows of other streams may lie between.

    Raises `DamagedError` for one that has no seal, `AlteredError` for one that is not what was appended.
    """
    waiting: dict[str, list[Row]] = {}
    for stream, row in rows:
        if not (isinstance(stream, str) and is_numbered(row)):
            raise unnumbered_row_error(stream, row)
        waiting.setdefault(stream, []).append(row)
        if is_seal(row):
            together = waiting.pop(stream)
            yield from entries(stream, together, codec, together[0][0] - 1)
    for stream, together in waiting.items():
        yield from entries(stream, together, codec, together[0][0] - 1)


def read_seal(stream: str, row: Row) -> Seal:
    """The seal in the last row of an entry. Raises `DamagedError` when it is none."""
    revision, topic, content = row
    decode = _decode_seal.get(topic)
    if decode is None:
        raise damaged_error(stream, revision, "the last entry has no seal")
    try:
        found = decode(content)
    # SQLite may find a text in a damaged row; what others have written may be nested without an end.
    except (msgspec.DecodeError, UnicodeDecodeError, TypeError, RecursionError, OverflowError) as error:
        raise damaged_error(stream, revision, f"these bytes are not a seal: {error}") from error
    if isinstance(found, UnsaltedSeal):
        return Sealed(found.parent, found.by, found.at, found.id, found.state, b"", found.digest)
    if len(found.salt) < SALT:
        raise damaged_error(stream, revision, "the salt is missing")
    if not _is_canonical(found, content):
        raise damaged_error(
            stream, revision, "these bytes are not a seal: they contain too much, or a time that is not in UTC"
        )
    return found


def _is_canonical(seal: Seal, content: bytes) -> bool:
    """Whether these are the bytes that a seal has: nothing more in them, and its time in UTC."""
    try:
        return encode(seal) == content and seal.at.tzinfo is not None
    except OverflowError:  # a time before the year 1, or after 9999, once it is in UTC
        return False


def is_numbered(row: Row) -> bool:
    """Whether a row has a revision: SQLite may find a text, a fraction or nothing there in one that is damaged."""
    return isinstance(row[0], int)


def unnumbered_row_error(stream: str, row: Row) -> DamagedError:
    """The error for a row that belongs to no known place."""
    return DamagedError("a row is damaged", f"it says that it is revision {row[0]!r} of stream {stream!r}")


def is_seal(row: Row) -> bool:
    """Whether an entry ends with this row."""
    return row[1] in _decode_seal


def last_begins(rows: Sequence[Row], otherwise: int | None) -> int | None:
    """Where among rows the last entry begins; something else if the one before it does not end there."""
    return next((end + 1 for end in range(len(rows) - 2, -1, -1) if is_seal(rows[end])), otherwise)


def _rows_before_gap(rows: Sequence[Row], after: int) -> int:
    """How many rows there are before the first gap."""
    if list(map(itemgetter(0), rows)) == [*range(after + 1, after + 1 + len(rows))]:
        return len(rows)
    return next(count for count, row in enumerate(rows) if row[0] != after + 1 + count)
