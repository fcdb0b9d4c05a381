"""Checks an import before it is stored: its digests, and each command by today's rules.

Zim refuses a line for which today's rules would give another result. You can import it "as recorded": an event in the
names of its game then marks its commits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import BinaryIO

from event_store import ConflictError, Draft, Entry, EventStore, export, input_limits
from event_store.line_history import entries_of_line
from zimcore.documents.listings import Audit, Fault
from zimcore.game import Event, GameError
from zimcore.service.audit import RULES_CHANGED, verify_all, verify_game
from zimcore.service.bindings import is_signed_continuation
from zimcore.service.line_repository import LineRepository
from zimcore.service.names import CATALOGUE, GameNamed, ImportedAsRecorded, LineNamed, LineRenamed, Names, deleted_label
from zimcore.service.places import MAX_NAME_CHARACTERS, check_name
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


def import_games(
    repository: LineRepository,
    lines: Iterable[bytes],
    make_draft: Callable[[Sequence[Event]], Draft],
    *,
    as_recorded: bool = False,
    report: ReportProgress = ignore_progress,
) -> int:
    """Imports the lines of an export, one game per transaction, and returns the number of entries.

    Raises `DamagedError`, `FaultyError`, `GameError` for invalid names and `ConflictError` if the store
    has other entries of the same streams. It then stores nothing.
    """

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
        deviations = {
            name: deviation_events(audit for audit in audits if audit.game in (name, deleted_label(name)))
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
        return _entries_by_game(unpacked_repository, new_games, stored_catalogue.removed_streams, make_draft)

    return export.import_lines(repository.store, lines, check_games, report)


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
    for stream in dict.fromkeys(_streams_of_game(store, named_game)):
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


def _entries_by_game(
    unpacked_repository: LineRepository,
    new_games: Mapping[str, Sequence[Event]],
    removed_streams: Iterable[str],
    make_draft: Callable[[Sequence[Event]], Draft],
) -> Iterator[Sequence[Entry]]:
    """The entries of each game together with its entry in the catalogue; then those of all other streams.

    Leaves out `removed_streams`, which this store has removed for good.
    """
    unpacked_store, streams_seen = unpacked_repository.store, {CATALOGUE, *removed_streams}
    for entry in unpacked_store.read(CATALOGUE):
        game_entries = list[Entry]()
        for named_game in entry.events:
            if not isinstance(named_game, GameNamed):
                continue
            streams = [
                stream
                for stream in dict.fromkeys(_streams_of_game(unpacked_store, named_game))
                if stream not in streams_seen
            ]
            streams_seen.update(streams)
            game_entries += [game_entry for stream in streams for game_entry in unpacked_store.read(stream)]
            if new_games.get(named_game.name):
                game_entries.append(
                    unpacked_store.seal_entry(
                        named_game.game, game_entries[-1].revision, make_draft(new_games[named_game.name])
                    )
                )
        yield [*game_entries, entry]
    yield from (list(unpacked_store.read(stream)) for stream in unpacked_store.streams() if stream not in streams_seen)


def _streams_of_game(store: EventStore, named_game: GameNamed) -> Iterator[str]:
    """All streams of a game: each line after the lines it was forked from, and the names last."""
    for entry in store.read(named_game.game):
        for event in entry.events:
            if isinstance(event, LineNamed):
                yield from dict.fromkeys(each.stream for each in entries_of_line(store.read, event.line))
    yield named_game.game
