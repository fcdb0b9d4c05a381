"""The mirror: an in-memory store of the entries that a client received from a server, so that it can replay them.

Complete entries are checked as in any store: their digests, and the hash chain. For redacted entries the client has to
trust the digests that the server states, until it sends the complete ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from event_store import AlteredError, DamagedError, Entry, EventStore, Forked, Forms, HeadMoved, SealsBound, StoreError
from event_store.chain import DIGEST_SIZE, PlainSeal, Row, check_digest, check_parent, is_seal, read_seal
from event_store.projections import Projection
from event_store.seal_places import PlaceChecker, has_place, is_at_its_place, misplaced_error
from zimcore.documents.copies import EntryDocument, RedactedSeal
from zimcore.game import Game, Seat
from zimcore.remote.redacted import RedactedCodec

HIDDEN_STATE = bytes(DIGEST_SIZE)
"""Replaces the digest of a hidden state."""


class Mirror(EventStore):
    """A read-only store of the entries that came from a server."""

    def __init__(self, server: str) -> None:
        from event_store.backends.backend import Backend
        from event_store.backends.memory import MemoryRecorder

        super().__init__(Backend(MemoryRecorder(), server), server)
        self._entries: dict[str, dict[int, Entry]] = {}
        self._form_loaders: dict[str, Callable[[], Forms]] = {}
        self._redacted_codecs: dict[tuple[str, Seat], RedactedCodec] = {}

    def register(self, kind: str, load_forms: Callable[[], Forms]) -> None:
        """Registers the event types of a kind of game."""
        super().register(kind, load_forms)
        self._form_loaders[kind] = load_forms

    def redacting_codec(self, game: Game, seat: Seat) -> RedactedCodec:
        """The codec for a game's events as redacted for a seat."""
        if (game.name, seat) not in self._redacted_codecs:
            codec = self._redacted_codecs[game.name, seat] = RedactedCodec(game, seat)
            codec.register("store", lambda: Forms((HeadMoved, Forked, SealsBound)))
            codec.register(game.name, self._form_loaders[game.name])
        return self._redacted_codecs[game.name, seat]

    def read(self, stream: str, after: int = -1, until: int | None = None) -> Iterator[Entry]:
        """The entries of a stream after a revision. With `until` (for a fork) only those that lead to that revision."""
        known_entries = self._entries.get(stream, {})
        if until is None:
            return iter([entry for revision, entry in sorted(known_entries.items()) if revision > after])
        return iter(self._path_to(known_entries, until))

    @staticmethod
    def _path_to(known_entries: Mapping[int, Entry], until_revision: int) -> list[Entry]:
        """The commits that lead to a revision, after the first entry of the stream if that is a fork.

        Of a line that it may not see, a client has only these; a line forked at that revision needs no others.
        """
        commits_by_digest = {entry.digest: entry for entry in known_entries.values() if entry.is_commit}
        path, entry = list[Entry](), known_entries.get(until_revision)
        while entry:
            path.append(entry)
            entry = commits_by_digest.get(entry.parent)
        first_entry = known_entries.get(min(known_entries)) if known_entries else None
        if first_entry and not first_entry.is_commit and any(isinstance(event, Forked) for event in first_entry.events):
            path.append(first_entry)
        return path[::-1]

    def read_streams(self, revisions_by_stream: Mapping[str, int]) -> dict[str, Iterator[Entry]]:
        """The entries of several streams, each after its own revision."""
        return {stream: self.read(stream, revision) for stream, revision in revisions_by_stream.items()}

    def is_bound(self, stream: str) -> bool:
        """Whether the entries of a stream are bound to their places; True for a stream that is not in the mirror.

        If some of them are redacted or missing, it is only known whether the last seal names a place.
        """
        known_entries = [entry for _, entry in sorted(self._entries.get(stream, {}).items())]
        if not known_entries or not all(entry.seal_bytes for entry in known_entries) or known_entries[0].rows[0][0]:
            return not known_entries or has_place(known_entries[-1].seal)
        checker = PlaceChecker(stream)
        return all(checker.accept(entry.seal) for entry in known_entries) and checker.is_bound

    def is_placed(self, entry: Entry) -> bool:
        """Whether a whole entry was sealed for the place it is in: then it binds all entries before it."""
        first_revision = entry.rows[0][0]
        previous_entry = self.entry_at(entry.stream, first_revision - 1)
        return bool(entry.seal_bytes and (previous_entry or not first_revision)) and _is_placed_after(
            entry, previous_entry
        )

    def last_entry(self, stream: str) -> Entry | None:
        """The last entry of a stream; None if there is none."""
        known_entries = self._entries.get(stream)
        return known_entries[max(known_entries)] if known_entries else None

    def entry_at(self, stream: str, revision: int) -> Entry | None:
        """The entry that ends at a revision; None if there is none."""
        return self._entries.get(stream, {}).get(revision)

    def is_complete(self, stream: str) -> bool:
        """Whether all entries of a stream are complete, so that they can be verified."""
        return all(entry.seal_bytes for entry in self._entries.get(stream, {}).values())

    def add_entries(self, entries: Iterable[Entry]) -> list[Entry]:
        """Adds entries, and returns those that are new. Complete entries replace redacted ones.

        Raises `AlteredError` if an entry has another digest than before.
        """
        new_entries = list[Entry]()
        for entry in entries:
            known_entries = self._entries.setdefault(entry.stream, {})
            known_entry = known_entries.get(entry.revision)
            if known_entry and known_entry.digest != entry.digest:
                why = f"it was {known_entry.digest.hex()[:12]}, and now it is {entry.digest.hex()[:12]}"
                raise AlteredError(f"the entry at revision {entry.revision} has changed", why, stream=entry.stream)
            if known_entry is None or not known_entry.seal_bytes:
                known_entries[entry.revision] = entry
            if known_entry is None:
                new_entries.append(entry)
        return new_entries

    def remove_entries(self, entries: Iterable[Entry]) -> None:
        """Removes entries."""
        for entry in entries:
            del self._entries[entry.stream][entry.revision]

    def drop_streams(self, streams: Iterable[str]) -> None:
        """Removes all entries of streams."""
        for stream in streams:
            self._entries.pop(stream, None)

    def projections(self, streams: Iterable[str]) -> dict[str, Projection]:
        """No projections: a mirror stores none."""
        return {}

    def store_projections(self, projections: Iterable[tuple[str, int, bytes, bytes]]) -> None:
        """Does nothing: a mirror stores no projections."""

    def streams(self) -> list[str]:
        """The names of all streams with entries."""
        return sorted(self._entries)

    def rows(self) -> Iterator[tuple[str, Row]]:
        """Raises `StoreError`: a server is administered on its own machine."""
        raise self._unavailable_error()

    def entries_or_errors(self, stream: str) -> Iterator[Entry | DamagedError]:
        """The entries of a stream, without errors: they were checked when they came."""
        return iter(list(self.read(stream)))

    def all_entries(self) -> Iterator[Entry]:
        """Raises `StoreError`."""
        raise self._unavailable_error()

    def create(self) -> None:
        """Raises `StoreError`."""
        raise self._unavailable_error()

    def copy_to(self, path: object) -> bool:
        """Raises `StoreError`."""
        raise self._unavailable_error()

    def _insert_entries(self, entries: Sequence[Entry], projection: bytes = b"") -> bool:
        raise self._unavailable_error()

    def _unavailable_error(self) -> StoreError:
        hints = ("export PLACE", "zim --store sqlite:///PATH ...")
        return StoreError(f"{self.url} can't be copied", "a server is administered on its own machine", hints)


def entry_of(document: EntryDocument, mirror: Mirror, game: Game, seat: Seat) -> Entry:
    """The entry in a document. Raises `DamagedError` if it is malformed, `AlteredError` if its digest is wrong."""
    stream, first_revision = document.stream, document.first
    rows = tuple((first_revision + index, topic, content) for index, (topic, content) in enumerate(document.rows))
    if not rows or first_revision < 0:
        raise _nonsense_error(stream, "an entry has at least one row")
    if document.vouched:
        return _redacted_entry(stream, rows, document.vouched, mirror.redacting_codec(game, seat))
    if not is_seal(rows[-1]) or any(map(is_seal, rows[:-1])) or len(rows) < 2:
        raise _nonsense_error(stream, "a whole entry ends with its seal")
    seal = read_seal(stream, rows[-1])
    entry = Entry(stream, rows[-1][0], rows[:-1], seal, rows[-1][2], mirror.codec)
    check_digest(entry)
    return entry


def _redacted_entry(stream: str, rows: tuple[Row, ...], redacted_seal: RedactedSeal, codec: RedactedCodec) -> Entry:
    try:
        digest, parent = bytes.fromhex(redacted_seal.digest), bytes.fromhex(redacted_seal.parent)
    except ValueError:
        raise _nonsense_error(stream, "a digest is written in hex") from None
    if len(digest) != DIGEST_SIZE or len(parent) not in (0, DIGEST_SIZE) or redacted_seal.at.tzinfo is None:
        raise _nonsense_error(stream, "this is not a seal")
    seal = PlainSeal(
        parent, redacted_seal.by, redacted_seal.at, "", HIDDEN_STATE if redacted_seal.commit else b"", b"", digest
    )
    entry = Entry(stream, rows[-1][0] + 1, rows, seal, b"", codec)
    are_of_game = {type(event) in codec.game.evolution.EVENTS for event in entry.events}
    if are_of_game != {redacted_seal.commit}:
        raise _nonsense_error(stream, "a commit has events of its game, and nothing else has")
    return entry


def check_follows(entry: Entry, previous_entry: Entry | None) -> None:
    """Raises `AlteredError` or `DamagedError` if an entry can't follow another one (None: the start) in its stream."""
    revision = previous_entry.revision + 1 if previous_entry else 0
    if entry.rows[0][0] != revision:
        raise _nonsense_error(entry.stream, f"the row {revision} is missing")
    if previous_entry and not entry.is_commit:
        check_parent(entry, previous_entry.digest)


def check_place(entry: Entry, previous_entry: Entry | None, *, is_bound: bool) -> bool:
    """Whether a stream is bound after this entry, if it was `is_bound` before. A redacted entry changes nothing.

    Raises `AlteredError` for an entry that was sealed for another place.
    """
    if not entry.seal_bytes:
        return is_bound
    is_placed = _is_placed_after(entry, previous_entry)
    if is_bound and not is_placed:
        raise misplaced_error(entry)
    return is_placed


def _is_placed_after(entry: Entry, previous_entry: Entry | None) -> bool:
    """Whether a whole entry was sealed for the place after another one (None: the start of the stream)."""
    return is_at_its_place(entry.stream, entry.seal, previous_entry.digest if previous_entry else b"")


def _nonsense_error(stream: str, why: str) -> DamagedError:
    return DamagedError("the server sent an invalid answer", why, stream=stream)
