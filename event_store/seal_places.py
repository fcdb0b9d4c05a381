"""The place of an entry: its seal says which stream it belongs to, and after which entry.

A place is 16 bytes long: a digest of the stream's name and of the digest before it. It is stored in the salt, after its
random bytes: older programs take it for a longer salt. So a reader notices at once if rows of a stream were relabelled,
swapped or copied from another.

A stream started without places continues without them until one entry binds all entries before it: the place of that
entry is a digest of all their digests. Imported commits keep their original seals and are bound this way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from event_store.chain import DIGEST_SIZE, RANDOM_SIZE, Entry, Row, Seal, altered_error, blake2b, is_seal, read_seal
from event_store.errors import AlteredError, DamagedError

PERSONALIZATION = b"place"
"""Keeps the digests of places apart from all other BLAKE2b digests."""
SEALED_ELSEWHERE = "it was sealed for another place: its rows come from another stream, or from elsewhere in this one"
PLACE_MISSING = (
    "its seal names no place, but those before it do: it comes from elsewhere, or an older version of Zim wrote it"
)

STREAM_UNPLACED = (
    "its stream has no places, but this store's other streams have: it is from elsewhere, or from an older version"
)


class SealsBound(msgspec.Struct, frozen=True, tag_field="event", tag="seals_bound.1"):
    """The seal of this entry binds all entries before it to their place. The event means nothing else."""


def has_place(seal: Seal) -> bool:
    """Whether a seal has a place."""
    return len(seal.salt) == RANDOM_SIZE + DIGEST_SIZE


def place_after(stream: str, digests_before: bytes) -> bytes:
    """The place (16 bytes) of an entry that follows the one with the digest `digests_before` (b"" if it is the first).

    For an entry that binds those before it, `digests_before` is all digests of the stream so far, concatenated.

    >>> place_after("a", b"b") == place_after("ab", b"")
    False
    """
    return blake2b(_length_prefixed(stream) + digests_before, digest_size=DIGEST_SIZE, person=PERSONALIZATION).digest()


def _length_prefixed(stream: str) -> bytes:
    name = stream.encode()
    return len(name).to_bytes(8, "big") + name


def is_at_its_place(stream: str, seal: Seal, digest_before: bytes) -> bool:
    """Whether a seal's place is in this stream, after `digest_before`."""
    return seal.salt[RANDOM_SIZE:] == place_after(stream, digest_before)


def row_has_place(row: Row | None) -> bool:
    """Whether a row is a seal with a place; false if it can't be decoded."""
    try:
        return row is not None and is_seal(row) and has_place(read_seal("", row))
    except DamagedError:
        return False


def stream_has_places(rows: Sequence[Row]) -> bool:
    """Whether the first or the last seal of a stream has a place.

    That is enough: places begin at the first entry, or at one that binds those before it, and go on to the end.
    """
    seal_rows = [row for row in rows if is_seal(row)]
    return any(map(row_has_place, (*seal_rows[:1], *seal_rows[-1:])))


class PlaceChecker:
    """Checks the places of a stream's entries, one after another from its start.

    `is_bound` is true once an entry had the place made of all digests before it, which binds them. `is_foreign` is true
    while some entries were sealed for another place and no entry has bound them.
    """

    def __init__(self, stream: str) -> None:
        self._stream = stream
        # A running `place` over all digests so far, used until they are bound.
        self._digests_hash = blake2b(_length_prefixed(stream), digest_size=DIGEST_SIZE, person=PERSONALIZATION)
        self._digest_before = b""
        self.is_bound = False
        self.is_foreign = False

    def accept(self, seal: Seal) -> bool:
        """Checks the next seal and returns whether it may be here."""
        place_bytes = seal.salt[RANDOM_SIZE:] if has_place(seal) else b""
        digest_before, self._digest_before = self._digest_before, seal.digest
        if self.is_bound:
            return is_at_its_place(self._stream, seal, digest_before)
        self.is_bound = place_bytes == self._digests_hash.digest()
        self.is_foreign = not self.is_bound and (self.is_foreign or bool(place_bytes))
        self._digests_hash.update(seal.digest)
        return True


def misplaced_error(entry: Entry) -> AlteredError:
    """The error for an entry in a bound stream that is not at its place."""
    return altered_error(entry.stream, entry.revision, SEALED_ELSEWHERE if has_place(entry.seal) else PLACE_MISSING)


def checked_following(stream: str, entries: Iterable[Entry], digest_before: bytes) -> Iterator[Entry]:
    """The entries after the one with the digest `digest_before`. Raises `AlteredError` for one not at its place."""
    stream_hash = blake2b(_length_prefixed(stream), digest_size=DIGEST_SIZE, person=PERSONALIZATION)
    for entry in entries:  # runs for every entry read, so the digest of the stream's name is made once
        seal, place_hash = entry.seal, stream_hash.copy()
        place_hash.update(digest_before)
        if seal.salt[RANDOM_SIZE:] != place_hash.digest():
            raise misplaced_error(entry)
        digest_before = seal.digest
        yield entry


def checked_unplaced(entries: Iterable[Entry]) -> Iterator[Entry]:
    """The entries of a stream without places. Raises `AlteredError` for one that has a place."""
    for entry in entries:
        if has_place(entry.seal):
            raise altered_error(entry.stream, entry.revision, SEALED_ELSEWHERE)
        yield entry


def checked_stream(stream: str, rows: Sequence[Row], entries: Iterator[Entry]) -> Iterator[Entry]:
    """Checks the places of `entries`, all entries of a stream, as read from its `rows`. Raises `AlteredError`.

    The entry that binds the others is located before the first one is yielded, so no entry is yielded unproven.
    """
    if not stream_has_places(rows):  # an old stream: no digests to compute
        yield from checked_unplaced(entries)
        return
    try:
        bound_revision = _first_bound_revision(stream, [row for row in rows if is_seal(row)])
    except DamagedError:
        for _ in entries:  # a damaged entry raises its own, more exact error first
            pass
        raise
    for entry in entries:
        yield entry
        if entry.revision == bound_revision:
            yield from checked_following(stream, entries, entry.digest)


def _first_bound_revision(stream: str, seal_rows: Sequence[Row]) -> int:
    """The revision of the first entry that is at its place or binds those before it. Raises `AlteredError` if none."""
    checker = PlaceChecker(stream)
    for row in seal_rows:
        checker.accept(read_seal(stream, row))
        if checker.is_bound:
            return row[0]
    raise altered_error(stream, seal_rows[0][0], SEALED_ELSEWHERE)


def checked_streams(entries: Iterable[Entry], root_stream: str = "") -> Iterator[Entry]:
    """Checks the places of the entries of many streams, each from its start, while yielding them.

    A stream that was never bound is found only at the end. If the `root_stream` is bound, all others must be. Raises
    `AlteredError`.
    """
    checkers, last_revisions = dict[str, PlaceChecker](), dict[str, int]()
    for entry in entries:
        checker = checkers.get(entry.stream)
        if checker is None:
            checker = checkers[entry.stream] = PlaceChecker(entry.stream)
        if not checker.accept(entry.seal):
            raise misplaced_error(entry)
        last_revisions[entry.stream] = entry.revision
        yield entry
    must_be_bound = root_stream in checkers and checkers[root_stream].is_bound
    for stream, checker in checkers.items():
        if checker.is_foreign or (must_be_bound and not checker.is_bound):
            raise altered_error(
                stream, last_revisions[stream], SEALED_ELSEWHERE if checker.is_foreign else STREAM_UNPLACED
            )
