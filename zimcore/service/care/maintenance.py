"""Checks, backs up and salvages a whole store, including streams that no name refers to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from event_store import DamagedError, Draft, Entry, EventStore, StoreError, salvage
from event_store import backup as backups
from event_store.backends import without_password
from event_store.marks import SALVAGE, Unfinished
from event_store.outputs import failure_reason
from zimcore.documents.storage import Restored, Saved, StreamFault
from zimcore.service.lines.line_repository import LineRepository
from zimcore.service.proofs.audit import verify_all
from zimcore.service.records.discussion import DISCUSSION_KIND, Discussion
from zimcore.service.records.event_registration import register_service_events
from zimcore.service.records.folds import Fold
from zimcore.service.records.league import League
from zimcore.service.records.names import CATALOGUE, LEAGUE_KIND, GameNamed, Names, next_free_name
from zimcore.service.writing.many_games import ManyGames, batches_by_game
from zimcore.toolkit.progress import ReportProgress, ignore_progress


def find_faults(
    store: EventStore, repository: LineRepository, report: ReportProgress = ignore_progress
) -> tuple[StreamFault, ...]:
    """The faults of all streams: every entry that was altered, is missing, or does not follow from those before it.

    In streams without such entries every command is decided again by the rules, and every change of names is checked
    again: of these faults the first of each stream is given.
    """
    faults = [StreamFault(fault.stream, fault.revision, fault.what) for fault in salvage.faults(store)]
    faulty_streams = {fault.stream for fault in faults}
    for audit in verify_all(store, repository, report):
        # A fault without a stream is one of the whole store: it is listed only if it is the first fault.
        if audit.fault and (audit.stream or not faults) and audit.stream not in faulty_streams:
            fault = audit.fault
            faults.append(StreamFault(audit.stream, None, f"{fault.kind}: {fault.where}: {fault.what}"))
            faulty_streams.add(audit.stream)
    return tuple(faults)


def backup(store: EventStore, path: Path, *, replace: bool = False) -> int:
    """Copies the whole store to a file while others write, and returns the number of entries copied.

    Raises `StoreError` if the file exists, unless it may be replaced, or can't be written, and `DamagedError` for a
    damaged store.
    """
    return backups.backup(store, path, replace=replace)


def restore(url: str, file: Path) -> Restored:
    """Puts a backup in the place of the store at `url`, which is kept under another name. It may be missing.

    Nothing in this process may have the store open. Raises `StoreError` if another program has, or if the file is no
    backup of a store in a file; `DamagedError` if it is damaged; `GameError` for a store that is not a file.
    """
    from event_store import restore as restores
    from event_store.backends.sqlite import open_recorder
    from event_store.backends.sqlite_file import is_database

    what = f"can't restore {without_password(url)}"
    if not url.startswith("sqlite:///"):
        why = "only a store in a file can be replaced: import an export into an empty database instead"
        raise StoreError(what, why, ("zim --store postgresql://HOST/EMPTY import FILE --any-size",))
    recorder = open_recorder(url.removeprefix("sqlite:///"))
    recorder.close()
    if recorder.mode == "ro":
        raise StoreError(what, "its URL says mode=ro")
    try:
        is_store = is_database(file)
        if recorder.exists() and file.samefile(recorder.path):
            raise StoreError(what, f"{file} is the store itself", ("db check",))
    except OSError as error:
        raise StoreError(f"can't read {file}", failure_reason(error)) from error
    if not is_store:
        why = "it is no backup of a store in a file"
        raise StoreError(what + f" from {file}", why, (f"zim --store sqlite:///NEW.db import {file}",))
    with EventStore.open(f"sqlite:///{file.absolute()}?mode=ro") as copy:
        copy.root_stream = CATALOGUE
        entry_count, kept = restores.restore(copy, Path(recorder.path))
    return Restored(str(file), entry_count, str(kept or ""))


def save_intact_streams(store: EventStore, url: str, report: ReportProgress = ignore_progress) -> Saved:
    """Copies every intact stream to a new store, game by game, and the list of games last.

    Damaged streams of names, discussions and leagues are written again, as far as they can be read. A game whose own
    name is lost gets a new one. Lines that are lost keep their names and are reported when they are read.

    Raises `StoreError`, `ConflictError` if that store is not empty, and `StoppedError` half way: the same salvage again
    goes on.
    """
    catalogue, _ = LineRepository(store, {}).readable_catalogue()
    batches = [*batches_by_game(store, catalogue, store.streams())]
    game_names = [labelled_game[1] for labelled_game, _ in batches if labelled_game]
    with EventStore.open(url) as new_store:
        register_service_events(new_store)
        salvage.check_target(new_store)
        work = ManyGames(new_store, Unfinished(SALVAGE, store.url), report)
        with work.explaining_stops():
            work.begin(game_names)
            named_batches = ((game[1] if game else "", streams) for game, streams in batches)
            salvage_result = salvage.salvage(
                store,
                new_store,
                work.one_by_one(named_batches),
                lambda streams: _mend(store, new_store, streams),
                _check_can_be_read,
            )
            _name_unnamed_games(new_store)
            _bind_all_if_catalogue_is_bound(new_store)
            work.end()
    games_by_stream = {stream: game[1] for game, streams in batches if game for stream in streams}
    lost_games = dict.fromkeys(games_by_stream.get(stream, "") for stream in salvage_result.lost_streams)
    return Saved(
        salvage_result.copied_streams, salvage_result.lost_streams, len(game_names), tuple(filter(None, lost_games))
    )


def _mend(store: EventStore, new_store: EventStore, lost_streams: Sequence[str]) -> None:
    """Writes damaged names, leagues and discussions again, as far as they can be read."""
    for stream in lost_streams:
        if new_store.last_revision(stream) >= 0:
            continue  # a salvage that stopped has written it
        if fold := _fold_of(stream, _entries_or_errors(store, stream)):
            _append_again(store, new_store, fold)


def _check_can_be_read(stream: str, entries: Sequence[Entry]) -> None:
    """Raises `DamagedError` for names, a league or a discussion with an event that can't follow the one before it."""
    if fold := _fold_of(stream, entries):
        for entry in entries:
            fold.advance(entry)


def _fold_of(stream: str, entries_or_errors: Iterable[Entry | DamagedError]) -> Fold[Any] | None:
    """What reads a stream of names, a league or a discussion; None for other streams."""
    kinds = {
        entry_or_error.rows[0][1].partition(".")[0]
        for entry_or_error in entries_or_errors
        if not isinstance(entry_or_error, DamagedError)
    }
    if stream == CATALOGUE or "names" in kinds:
        return Names(stream)
    return League(stream) if LEAGUE_KIND in kinds else Discussion(stream) if DISCUSSION_KIND in kinds else None


def _entries_or_errors(store: EventStore, stream: str) -> Iterator[Entry | DamagedError]:
    try:
        yield from store.entries_or_errors(stream)
    except StoreError:  # nothing of the stream can be read
        return


def _append_again(store: EventStore, new_store: EventStore, fold: Fold[Any]) -> None:
    """Appends the readable entries of a stream (names, discussion or league) to a new one, with author and time."""
    drafts = list[Draft]()
    for entry_or_error in _entries_or_errors(store, fold.stream):
        with suppress(DamagedError):  # skip entries that can't be read, or that depended on one
            if isinstance(entry_or_error, DamagedError):
                raise entry_or_error
            fold.advance(msgspec.structs.replace(entry_or_error, stream=fold.stream))
            seal = entry_or_error.seal
            drafts.append(
                Draft(entry_or_error.events, seal.by, seal.at, seal.id, request=seal.request, proof=seal.proof)
            )
    new_store.append_all(fold.stream, -1, drafts)


def _name_unnamed_games(new_store: EventStore) -> None:
    """Names the games that the catalogue lacks. The topics of their commits show the kind of each."""
    catalogue = Names(CATALOGUE)
    catalogue.refresh(new_store)
    named_streams = {each.game for each in (*catalogue.games.values(), *catalogue.deleted_games.values())}
    for stream in new_store.streams():
        if stream in named_streams or stream == CATALOGUE:
            continue
        names = _fold_of(stream, new_store.read(stream))
        if not isinstance(names, Names):
            continue
        names.refresh(new_store)
        topics = (
            entry.rows[0][1] for line in names.lines.values() for entry in new_store.read(line) if entry.is_commit
        )
        kind = next(topics, "").partition(".")[0]
        if kind:
            event = GameNamed(next_free_name("saved", catalogue.taken_names), kind, stream)
            new_store.append(CATALOGUE, catalogue.revision, [event], by="zim", at=datetime.now(UTC))
            catalogue.refresh(new_store)


def _bind_all_if_catalogue_is_bound(new_store: EventStore) -> None:
    """Binds every stream (see `event_store.seal_places`) if the catalogue is bound; a newly written one always is."""
    if CATALOGUE not in new_store.streams() or not new_store.is_bound(CATALOGUE):
        return
    for stream in new_store.streams():
        if not new_store.is_bound(stream):
            new_store.adopt([new_store.seal_binding_entry([*new_store.read(stream)], "zim", datetime.now(UTC))])
