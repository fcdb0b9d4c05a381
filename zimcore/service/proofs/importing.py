"""Checks an import before it is stored: its digests, and each command by today's rules.

Zim refuses a line for which today's rules would give another result. You can import it "as recorded": an event in the
names of its game then marks its commits.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import BinaryIO

import msgspec

from event_store import ConflictError, Draft, Entry, EventStore, export, input_limits
from event_store.marks import IMPORT, Unfinished
from zimcore.documents.listings import Audit, Fault
from zimcore.game import Event, GameError
from zimcore.service.lines.line_repository import LineRepository
from zimcore.service.lines.visibility import TABLE
from zimcore.service.proofs.audit import RULES_CHANGED, verify_all, verify_game
from zimcore.service.records.bindings import is_signed_continuation
from zimcore.service.records.names import (
    CATALOGUE,
    GameNamed,
    ImportedAsRecorded,
    LineNamed,
    LineRenamed,
    Names,
    deleted_label,
)
from zimcore.service.records.places import MAX_NAME_CHARACTERS, check_name
from zimcore.service.writing.listing import list_games
from zimcore.service.writing.many_games import ManyGames, batches_by_game, shortened, streams_of_game
from zimcore.toolkit.progress import ReportProgress, ignore_progress

MAX_AUTHOR_CHARACTERS = 256
"""The most characters of a person's name in an import: more than you can type today, as old stores may have them."""
RETRY_HINTS = ("import FILE --as-recorded",)


def limited_lines(file: BinaryIO, *, any_size: bool = False) -> Iterator[bytes]:
    """The lines of a file, read lazily. Raises `DamagedError` for a file above the limits, unless `any_size`."""
    return input_limits.lines_of(file, input_limits.OWN_FILE if any_size else input_limits.FOREIGN_FILE)


class FaultyError(GameError):
    """Raised for an import that was altered, or that today's rules would not give. `faults` says where."""

    def __init__(self, audits: Sequence[Audit]) -> None:
        faults = [audit.fault for audit in audits if audit.fault]
        first_fault, other_count = faults[0], len(faults) - 1
        what = f"it is not imported: {first_fault.where}" + (f" and {other_count} more" if other_count else "")
        hints = RETRY_HINTS if all(fault.kind == RULES_CHANGED for fault in faults) else ()
        super().__init__(what, first_fault.what, hints)
        self.kind = first_fault.kind
        self.faults: tuple[Fault, ...] = tuple(faults)


def check_audits(audits: Sequence[Audit], *, as_recorded: bool) -> None:
    """Raises `FaultyError` for lines that must not be stored. With `as_recorded`, changed rules are no fault."""
    faulty_audits = [each for each in audits if each.fault and not (as_recorded and each.fault.kind == RULES_CHANGED)]
    if faulty_audits:
        raise FaultyError(faulty_audits)


def deviation_events(audits: Iterable[Audit]) -> list[Event]:
    """The events that mark commits imported as recorded, for which today's rules would give another result."""
    deviations = {commit: what for audit in audits if audit.fault for commit, what in audit.fault.commits.items()}
    return [ImportedAsRecorded(bytes.fromhex(commit), what) for commit, what in deviations.items()]


class ImportedGames(msgspec.Struct, frozen=True):
    """What an import has stored: the entries in the file, the games in it, and how many were there already."""

    entries: int
    games: int
    already: int


def import_games(
    repository: LineRepository,
    lines: Iterable[bytes],
    make_draft: Callable[[Sequence[Event]], Draft],
    *,
    source: str = "a file",
    as_recorded: bool = False,
    report: ReportProgress = ignore_progress,
) -> ImportedGames:
    """Imports the lines of an export from a `source`, one game per transaction. Games that are there are skipped.

    Raises `DamagedError`, `FaultyError`, `GameError` for invalid names and `ConflictError` if the store
    has other entries of the same streams. It then stores nothing. An error between two games is a `StoppedError`, and
    the same import again goes on.
    """
    store = repository.store
    if (unfinished := store.unfinished()) and unfinished.work != IMPORT:
        raise ConflictError(f"{store.url} takes no import", str(unfinished), (unfinished.command(store.url),))
    work = ManyGames(store, Unfinished(IMPORT, source), report)

    def check_games(unpacked_store: EventStore) -> Iterator[Sequence[Entry]]:
        unpacked_repository = LineRepository(unpacked_store, repository.games)
        audits = verify_all(unpacked_store, unpacked_repository, report)
        check_audits(audits, as_recorded=as_recorded)
        stored_catalogue, unpacked_catalogue = repository.readable_catalogue()[0], unpacked_repository.catalogue()
        stored_games = stored_catalogue.games | stored_catalogue.deleted_games
        unpacked_games = unpacked_catalogue.games | unpacked_catalogue.deleted_games
        _check_names(unpacked_store, unpacked_games.values())
        for entry in unpacked_store.all_entries():
            check_author(entry.seal.by)
        audits_by_game = dict[str, list[Audit]]()
        for audit in audits:
            audits_by_game.setdefault(audit.game, []).append(audit)
        deviations = {
            name: deviation_events([*audits_by_game.get(name, ()), *audits_by_game.get(deleted_label(name), ())])
            for name in unpacked_games
        }
        for name in unpacked_games.keys() & stored_games.keys():
            stored_names, unpacked_names = (
                _names_of_game(repository.store, stored_games[name]),
                _names_of_game(unpacked_store, unpacked_games[name]),
            )
            if any(
                isinstance(event, ImportedAsRecorded) and event.commit not in stored_names.recorded_deviations
                for event in deviations[name]
            ):
                what = f"the game {name} exists already, and its moves in the file follow other rules than today's"
                raise ConflictError(what, "", ("zim --store sqlite:///NEW.db import FILE",))
            _check_keys(repository.store, stored_names, unpacked_store, unpacked_names)
            if _add_stored_entries(repository.store, unpacked_store, stored_games[name]):
                # Our own entries that today's rules would not give were marked when they were imported.
                check_audits(
                    verify_game(
                        unpacked_store, LineRepository(unpacked_store, repository.games), stored_games[name], name
                    ),
                    as_recorded=True,
                )
        new_games = {name: events for name, events in deviations.items() if name not in stored_games}
        batches = [*_batches(unpacked_store, unpacked_catalogue, stored_catalogue.removed_streams)]
        stored_streams = {*store.streams()}
        missing_batches = [each for each in batches if not each.is_stored(store, stored_streams, unpacked_store)]
        missing_names = [each.game for each in missing_batches if each.game]
        work.begin(
            missing_names, sum(1 for each in batches if each.game) - len(missing_names), marks=len(missing_batches) > 1
        )
        return work.one_by_one(
            (each.game, each.entries(unpacked_store, new_games, make_draft)) for each in missing_batches
        )

    def conflict_error(unpacked_store: EventStore, entry: Entry) -> ConflictError:
        return _conflict_error(repository, LineRepository(unpacked_store, repository.games), entry)

    with work.explaining_stops():
        entry_count = export.import_lines(store, lines, check_games, report, conflict_error)
        work.end()
    list_games(repository, TABLE, "", work.names, report)  # stores what a list shows, so that the first one is fast
    return ImportedGames(entry_count, work.game_count, work.already_count)


def _conflict_error(repository: LineRepository, unpacked_repository: LineRepository, entry: Entry) -> ConflictError:
    """The error for an entry of the file that the store has otherwise; it names the game."""
    stored_games, unpacked_games = (
        {**each.games, **each.deleted_games}
        for each in (repository.readable_catalogue()[0], unpacked_repository.readable_catalogue()[0])
    )
    differing_names = [
        name
        for name, named_game in unpacked_games.items()
        if (entry.stream == CATALOGUE and name in stored_games and stored_games[name] != named_game)
        or entry.stream in streams_of_game(unpacked_repository.store, named_game.game, (entry.stream,))
    ]
    hints = ("zim --store sqlite:///NEW.db import FILE",)
    if not differing_names:
        return ConflictError("nothing was imported: the store has other games", f"it differs at {entry.stream}", hints)
    what = f"nothing was imported: the store has another {shortened(differing_names)}"
    return ConflictError(what, f"stream {entry.stream} differs from revision {entry.rows[0][0]} on", hints)


def _names_of_game(store: EventStore, named_game: GameNamed) -> Names:
    """The names of a game's lines, even if the game was deleted."""
    names = Names(named_game.game, match=named_game.name)
    names.refresh(store)
    return names


def _check_keys(store: EventStore, stored_names: Names, unpacked_store: EventStore, unpacked_names: Names) -> None:
    """Raises `ConflictError` if the file would add moves to a game without the signatures that are required here."""
    unsigned_seats = [
        seat
        for seat, keys in stored_names.all_bindings.items()
        if not is_signed_continuation(keys, unpacked_names.all_bindings.get(seat, ()))
    ]
    has_more_entries = any(
        _last_revision(unpacked_store, stream) > _last_revision(store, stream) for stream in unpacked_names.streams
    )
    if unsigned_seats and has_more_entries:
        seats_text = f"{' and '.join(unsigned_seats)} of {stored_names.match}"
        what = f"{seats_text} are bound to keys here, and in this file they are not"
        why, hints = "its moves can't be distinguished from forged ones", ("zim --store sqlite:///NEW.db import FILE",)
        raise ConflictError(what, why, hints)


def _add_stored_entries(store: EventStore, unpacked_store: EventStore, named_game: GameNamed) -> int:
    """Adds our newer entries of a game to the unpacked store, so that the game can be audited as it will be stored.

    Returns the number of entries added.
    """
    entry_count = 0
    for stream in streams_of_game(store, named_game.game, ()):
        last_revision = _last_revision(unpacked_store, stream)
        newer_entries = [entry for entry in store.read(stream) if entry.revision > last_revision]
        unpacked_store.adopt(newer_entries)
        entry_count += len(newer_entries)
    return entry_count


def _last_revision(store: EventStore, stream: str) -> int:
    return max((entry.revision for entry in store.read(stream)), default=-1)


def check_author(author: str) -> None:
    """Raises `GameError` for a person's name that is too long; early versions had no limit."""
    if len(author) > MAX_AUTHOR_CHARACTERS:
        what = f"not a name: {author[:MAX_NAME_CHARACTERS]}..."
        raise GameError(
            what, f"the name of a person has up to {MAX_AUTHOR_CHARACTERS} characters, this has {len(author):,}"
        )


def _check_names(store: EventStore, games: Iterable[GameNamed]) -> None:
    """Raises `GameError` for invalid names of games and lines."""
    for named_game in games:
        check_name(named_game.name)
        for entry in store.read(named_game.game):
            for event in entry.events:
                match event:
                    case LineNamed(name=name) | LineRenamed(to=name):
                        check_name(name)


class _Batch(msgspec.Struct, frozen=True):
    """The streams to store in one transaction, of a `game` ("" if of none), with an entry of the catalogue, if any."""

    game: str
    names_stream: str
    streams: Sequence[str]
    catalogue_entry: Entry | None = None

    def is_stored(self, store: EventStore, stored_streams: Collection[str], unpacked_store: EventStore) -> bool:
        """Whether a store that has these streams, and no conflict with the file, has all of it."""
        last_revisions = {stream: unpacked_store.last_revision(stream) for stream in self.streams}
        if self.catalogue_entry:
            last_revisions[CATALOGUE] = self.catalogue_entry.revision
        return all(stream in stored_streams for stream in last_revisions) and all(
            store.last_revision(stream) >= revision for stream, revision in last_revisions.items()
        )

    def entries(
        self,
        unpacked_store: EventStore,
        new_games: Mapping[str, Sequence[Event]],
        make_draft: Callable[[Sequence[Event]], Draft],
    ) -> Sequence[Entry]:
        """The entries to store; those of `new_games` are marked with their deviations."""
        entries = [entry for stream in self.streams for entry in unpacked_store.read(stream)]
        if deviations := new_games.get(self.game):
            last_revision = unpacked_store.last_revision(self.names_stream)
            entries.append(unpacked_store.seal_entry(self.names_stream, last_revision, make_draft(deviations)))
        return [*entries, self.catalogue_entry] if self.catalogue_entry else entries


def _batches(unpacked_store: EventStore, unpacked_catalogue: Names, removed_streams: Iterable[str]) -> Iterator[_Batch]:
    """The streams of each game together with its entry in the catalogue; then all other streams.

    Leaves out `removed_streams`, which this store has removed for good.
    """
    left_out = {CATALOGUE, *removed_streams}
    streams = [stream for stream in unpacked_store.streams() if stream not in left_out]
    streams_by_game, other_streams = dict[str, list[str]](), list[str]()
    for labelled_game, game_streams in batches_by_game(unpacked_store, unpacked_catalogue, streams):
        if labelled_game:
            streams_by_game[labelled_game[0].game] = game_streams
        else:
            other_streams += game_streams
    for entry in unpacked_store.read(CATALOGUE):
        for named_game in entry.events:
            if isinstance(named_game, GameNamed) and named_game.game in streams_by_game:
                yield _Batch(named_game.name, named_game.game, streams_by_game.pop(named_game.game), entry)
                break
        else:
            yield _Batch("", "", [], entry)
    yield from (_Batch("", "", [stream]) for stream in other_streams)
