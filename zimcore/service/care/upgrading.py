"""Upgrades an old store, a game at a time: verifies its streams, and binds each entry to its place by a new seal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from event_store import ConflictError, Entry, EventStore
from zimcore.documents.listings import Fault
from zimcore.documents.storage import StreamFault, Upgraded
from zimcore.service.care import maintenance
from zimcore.service.lines.line_repository import LineRepository
from zimcore.service.proofs.audit import RULES_CHANGED, discussion_fault, verify_game, verify_stream
from zimcore.service.records.discussion import names_stream_of
from zimcore.service.records.names import CATALOGUE
from zimcore.service.writing.many_games import LabelledGame, batches_by_game
from zimcore.toolkit.progress import ReportProgress, ignore_progress


def upgrade(
    store: EventStore, games: Mapping[str, str], backup: Path, author: str, report: ReportProgress = ignore_progress
) -> Upgraded:
    """Writes a backup, then binds the entries of each stream to their position (see `event_store.seal_places`).

    `games` has the module of each kind of game. The streams of a game are bound in one transaction. A stream that is
    damaged or was altered is left as it is. The catalogue comes last, and only if every other stream was bound: after
    that, every unbound stream is an error. No digest changes. An interrupted upgrade can be run again and continues. If
    there is nothing to do, no backup is written; a store without a format number gets one. Raises `StoreError`, for
    example if the backup file exists.
    """
    unbound_streams = [stream for stream in store.streams() if not store.is_bound(stream)]
    if not unbound_streams:
        store.raise_format()
        return Upgraded("", 0, 0, ())
    maintenance.backup(store, backup)
    repository, all_faults = LineRepository(store, games), list[StreamFault]()
    bound_game_count = bound_stream_count = 0
    batches = [*batches_by_game(store, repository.readable_catalogue()[0], unbound_streams)]
    for done_count, (labelled_game, game_streams) in enumerate(batches):
        report(done_count, len(batches))
        if all_faults and game_streams == [CATALOGUE]:
            break
        faults, bound_count = _bind_batch(store, repository, labelled_game, game_streams, author)
        all_faults += faults
        bound_stream_count += bound_count
        bound_game_count += bool(bound_count and labelled_game)
    report(len(batches), len(batches))
    return Upgraded(str(backup), bound_game_count, bound_stream_count, tuple(all_faults))


def _bind_batch(
    store: EventStore,
    repository: LineRepository,
    labelled_game: LabelledGame | None,
    streams: Sequence[str],
    author: str,
) -> tuple[list[StreamFault], int]:
    """Binds the intact streams in one transaction. Returns the faults of the others and the number of bound ones."""
    while True:
        faults = _find_faults(store, repository, labelled_game, streams)
        entries_of_streams = [[*store.read(stream)] for stream in streams if stream not in faults]
        try:
            store.adopt([_binding_entry(store, entries, author) for entries in entries_of_streams])
        except ConflictError:
            continue  # another writer has appended: verify and bind that, too
        stream_faults = [StreamFault(stream, None, f"{each.where}: {each.what}") for stream, each in faults.items()]
        return stream_faults, len(entries_of_streams)


def _binding_entry(store: EventStore, entries: Sequence[Entry], author: str) -> Entry:
    return store.seal_binding_entry(entries, author, datetime.now(UTC))


def _find_faults(
    store: EventStore,
    repository: LineRepository,
    labelled_game: LabelledGame | None,
    streams: Sequence[str],
) -> dict[str, Fault]:
    """The fault of each damaged stream. Commits under older rules are no fault here: they are as they were played."""
    if labelled_game is None:
        audits = [verify_stream(store, repository, stream) for stream in streams]
    else:
        audits = verify_game(store, repository, *labelled_game)
    faults_by_stream = {each.stream: each.fault for each in audits if each.fault and each.fault.kind != RULES_CHANGED}
    if labelled_game and labelled_game[0].game in faults_by_stream:
        return dict.fromkeys(streams, faults_by_stream[labelled_game[0].game])
    for stream in streams:
        fault = discussion_fault(store, stream) if labelled_game and names_stream_of(stream) else None
        if fault:
            faults_by_stream[stream] = fault
    return {stream: fault for stream, fault in faults_by_stream.items() if stream in streams}
