"""Upgrades an old store: verifies its streams and binds them to their places, one game per transaction."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from event_store import ConflictError, Entry, EventStore
from zimcore.documents.listings import Fault
from zimcore.documents.storage import StreamFault, Upgraded
from zimcore.service import maintenance
from zimcore.service.audit import (
    RULES_CHANGED,
    ReportProgress,
    discussion_fault,
    ignore_progress,
    names_fault,
    verify_game,
    verify_stream,
)
from zimcore.service.discussion import names_stream_of
from zimcore.service.line_repository import LineRepository
from zimcore.service.names import CATALOGUE, GameNamed, Names, deleted_label


def upgrade(
    store: EventStore, kinds: Mapping[str, str], backup: Path, author: str, report: ReportProgress = ignore_progress
) -> Upgraded:
    """Writes a backup, then binds each stream without places to its place (see `event_store.seal_places`).

    The streams of a game are bound in one transaction. A stream that is damaged or was altered is left as it is. The
    catalogue comes last, and only if no stream was left: once it is bound, every stream without places is an error. No
    digest changes. An interrupted upgrade can be run again and continues. If there is nothing to do, no backup is
    written. Raises `StoreError`, for example if the backup file exists.
    """
    unbound_streams = [stream for stream in store.streams() if not store.is_bound(stream)]
    if not unbound_streams:
        return Upgraded("", 0, 0, ())
    maintenance.backup(store, backup)
    repository, faults_left, bound_game_count, bound_stream_count = (
        LineRepository(store, kinds),
        list[StreamFault](),
        0,
        0,
    )
    streams_by_game = [*_streams_by_game(store, repository, unbound_streams)]
    for done_count, (labelled_game, game_streams) in enumerate(streams_by_game):
        report(done_count, len(streams_by_game))
        if faults_left and game_streams == [CATALOGUE]:
            break
        faults, bound_count = _bind_game(store, repository, labelled_game, game_streams, author)
        faults_left += faults
        bound_stream_count += bound_count
        bound_game_count += bool(bound_count and labelled_game)
    report(len(streams_by_game), len(streams_by_game))
    return Upgraded(str(backup), bound_game_count, bound_stream_count, tuple(faults_left))


LabelledGame = tuple[GameNamed, str]
"""A game and its name in messages."""


def _streams_by_game(
    store: EventStore, repository: LineRepository, unbound_streams: Sequence[str]
) -> Iterator[tuple[LabelledGame | None, list[str]]]:
    """The batches of streams to bind: one per game, then one per stream without a game, the catalogue last."""
    catalogue, _ = repository.readable_catalogue()
    other_streams = dict.fromkeys(unbound_streams)
    labelled_games = [(each, name) for name, each in catalogue.games.items()]
    labelled_games += [(each, deleted_label(name)) for name, each in catalogue.deleted_games.items()]
    for labelled_game in labelled_games:
        game_streams = [
            stream for stream in _streams_of_game(store, labelled_game[0], other_streams) if stream in other_streams
        ]
        for stream in game_streams:
            del other_streams[stream]
        if game_streams:
            yield labelled_game, game_streams
    yield from ((None, [stream]) for stream in sorted(other_streams, key=lambda stream: stream == CATALOGUE))


def _streams_of_game(store: EventStore, named_game: GameNamed, unbound_streams: Iterable[str]) -> list[str]:
    """The streams of a game: its names, all lines that ever had a name, and its discussions."""
    names = Names(named_game.game)
    if not names_fault(store, named_game.game):
        names.refresh(store)
    return [
        named_game.game,
        *names.streams,
        *(stream for stream in unbound_streams if names_stream_of(stream) == named_game.game),
    ]


def _bind_game(
    store: EventStore,
    repository: LineRepository,
    labelled_game: LabelledGame | None,
    streams: Sequence[str],
    author: str,
) -> tuple[list[StreamFault], int]:
    """Binds the intact streams in one transaction. Returns the faults of the others and the number of bound ones."""
    while True:
        faults = _find_faults(store, repository, labelled_game, streams)
        entries_by_stream = [[*store.read(stream)] for stream in streams if stream not in faults]
        try:
            store.adopt([_binding_entry(store, entries, author) for entries in entries_by_stream])
        except ConflictError:
            continue  # another writer has appended: verify and bind that, too
        return [StreamFault(stream, None, f"{each.where}: {each.what}") for stream, each in faults.items()], len(
            entries_by_stream
        )


def _binding_entry(store: EventStore, entries: Sequence[Entry], author: str) -> Entry:
    return store.seal_binding_entry(entries, author, datetime.now(UTC))


def _find_faults(
    store: EventStore, repository: LineRepository, labelled_game: LabelledGame | None, streams: Sequence[str]
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
