"""The place of an entry: a seal says in which stream it stands, and behind which entry.

Behind the random bytes of a salt stand 16 more: a digest of the stream's name and of the digest before. So rows that
were relabelled, swapped or copied between streams are found by the first who reads them. An older program takes them
for a longer salt.

A stream that was begun without places goes on without. One entry binds all that is before it: its place is over all
digests there. Commits that were imported keep the seals of where they were made, and are bound so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from event_store.chain import DIGEST, SALT, Entry, Row, Seal, altered_error, blake2b, is_seal, read_seal
from event_store.errors import DamagedError

PERSON = b"place"
"""So that no place is a digest of anything else."""
ELSEWHERE = "it was sealed for another place: its rows come from another stream, or from elsewhere in this one"
WITHOUT = (
    "its seal names no place, but those before it do: it comes from elsewhere, or an older version of Zim wrote it"
)

LOOSE = "none of its seals says a place, and in this store all do: it is from elsewhere, or from before they were bound"


class SealsBound(msgspec.Struct, frozen=True, tag_field="event", tag="seals_bound.1"):
    """The entries before this one are bound to their place by its seal; nothing else has happened."""


def has_place(seal: Seal) -> bool:
    """Whether a seal says where it belongs."""
    return len(seal.salt) == SALT + DIGEST


def place(stream: str, before: bytes) -> bytes:
    """The 16 bytes for an entry behind another, whose digest is `before` (b"": it is the first of its stream).

    For one that binds what is before it, `before` is all digests in the stream so far, one after the other.

    >>> place("a", b"b") == place("ab", b"")
    False
    """
    return blake2b(_length_prefixed(stream) + before, digest_size=DIGEST, person=PERSON).digest()


def _length_prefixed(stream: str) -> bytes:
    name = stream.encode()
    return len(name).to_bytes(8, "big") + name


def is_place_of(stream: str, seal: Seal, before: bytes) -> bool:
    """Whether a seal says that it belongs there, behind that digest."""
    return seal.salt[SALT:] == place(stream, before)


def may_have_place(row: Row | None) -> bool:
    """Whether a row is a seal that says its place."""
    try:
        return row is not None and is_seal(row) and has_place(read_seal("", row))
    except DamagedError:
        return False


def has_any(rows: Sequence[Row]) -> bool:
    """Whether any seal among all rows of a stream may say its place: then the first one does, or the last."""
    seals = [row for row in rows if is_seal(row)]
    return any(map(may_have_place, (*seals[:1], *seals[-1:])))


class Places:
    """The entries of one stream from its start on, each held to its place.

    `is_bound` is whether the last one had its place, and so all before it; `is_foreign` whether some were sealed for
    another place, and wait for an entry that binds them.
    """

    def __init__(self, stream: str) -> None:
        self._stream = stream
        # Of all digests so far, until they are bound: `place` in parts.
        self._all = blake2b(_length_prefixed(stream), digest_size=DIGEST, person=PERSON)
        self._before = b""
        self.is_bound = False
        self.is_foreign = False

    def fits(self, seal: Seal) -> bool:
        """Whether a seal can be the next one."""
        said = seal.salt[SALT:] if has_place(seal) else b""
        before, self._before = self._before, seal.digest
        if self.is_bound:
            return said == place(self._stream, before)
        self.is_bound = said == self._all.digest()
        self.is_foreign = not self.is_bound and (self.is_foreign or bool(said))
        self._all.update(seal.digest)
        return True


def follow(stream: str, found: Iterable[Entry], before: bytes) -> Iterator[Entry]:
    """The entries behind one with that digest, all of them in their place. Raises `AlteredError`."""
    begun = blake2b(_length_prefixed(stream), digest_size=DIGEST, person=PERSON)
    for entry in found:  # each entry that is ever read comes by here: `place`, begun once
        seal, here = entry.seal, begun.copy()
        here.update(before)
        if seal.salt[SALT:] != here.digest():
            raise altered_error(stream, entry.revision, ELSEWHERE if has_place(seal) else WITHOUT)
        before = seal.digest
        yield entry


def without(found: Iterable[Entry]) -> Iterator[Entry]:
    """The entries of a stream that nothing binds. Raises `AlteredError` for one that was sealed elsewhere."""
    for entry in found:
        if has_place(entry.seal):
            raise altered_error(entry.stream, entry.revision, ELSEWHERE)
        yield entry


def whole(stream: str, rows: Sequence[Row], found: Iterator[Entry]) -> Iterator[Entry]:
    """The entries in all rows of a stream, as they are `found` there. Raises `AlteredError` for one out of its place.

    What binds them is looked for first: nothing is given that it would contradict.
    """
    if not has_any(rows):  # as all were once: it costs nothing more
        yield from without(found)
        return
    try:
        bound = _first_bound_revision(stream, [row for row in rows if is_seal(row)])
    except DamagedError:
        for _ in found:  # an entry that is not what it was is told of as such
            pass
        raise
    for entry in found:
        yield entry
        if entry.revision == bound:
            yield from follow(stream, found, entry.digest)


def _first_bound_revision(stream: str, seals: Sequence[Row]) -> int:
    """The revision of the first entry that has its place, or binds those before it. Raises `AlteredError`."""
    places = Places(stream)
    for row in seals:
        places.fits(read_seal(stream, row))
        if places.is_bound:
            return row[0]
    raise altered_error(stream, seals[0][0], ELSEWHERE)


def each(found: Iterable[Entry], root: str = "") -> Iterator[Entry]:
    """The entries of many streams, each from its start on, held to their places as they come, at the latest at the end.

    Where the stream `root` is bound all others have to be. Raises `AlteredError`.
    """
    known, last = dict[str, Places](), dict[str, int]()
    for entry in found:
        places = known.get(entry.stream) or known.setdefault(entry.stream, Places(entry.stream))
        if not places.fits(entry.seal):
            raise altered_error(entry.stream, entry.revision, ELSEWHERE if has_place(entry.seal) else WITHOUT)
        last[entry.stream] = entry.revision
        yield entry
    all_bound = root in known and known[root].is_bound
    for stream, places in known.items():
        if places.is_foreign or (all_bound and not places.is_bound):
            raise altered_error(stream, last[stream], ELSEWHERE if places.is_foreign else LOOSE)
