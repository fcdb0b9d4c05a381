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
    store: EventStore, kinds: Mapping[str, str], backup: Path, by: str, report: ReportProgress = ignore_progress
) -> Upgraded:
    """Writes a backup, then binds each stream without places to its place (see `event_store.seal_places`).

    The streams of a game are bound in one transaction. A stream that is damaged or was altered is left as it is. The
    catalogue comes last, and only if no stream was left: once it is bound, every stream without places is an error. No
    digest changes. An interrupted upgrade can be run again and continues. If there is nothing to do, no backup is
    written. Raises `StoreError`, for example if the backup file exists.
    """
    loose = [stream for stream in store.streams() if not store.is_bound(stream)]
    if not loose:
        return Upgraded("", 0, 0, ())
    maintenance.backup(store, backup)
    lines, streams_left, games, streams = LineRepository(store, kinds), list[StreamFault](), 0, 0
    streams_by_game = [*_together(store, lines, loose)]
    for done_count, (named_game, game_streams) in enumerate(streams_by_game):
        report(done_count, len(streams_by_game))
        if streams_left and game_streams == [CATALOGUE]:
            break
        faults, bound = _bind_game(store, lines, named_game, game_streams, by)
        streams_left += faults
        streams += bound
        games += bool(bound and named_game)
    report(len(streams_by_game), len(streams_by_game))
    return Upgraded(str(backup), games, streams, tuple(streams_left))


Named = tuple[GameNamed, str]
"""A game and its name in messages."""


def _together(
    store: EventStore, lines: LineRepository, loose: Sequence[str]
) -> Iterator[tuple[Named | None, list[str]]]:
    """The batches of streams to bind: one per game, then one per stream without a game, the catalogue last."""
    catalogue, _ = lines.intact()
    other_streams = dict.fromkeys(loose)
    games = [(each, name) for name, each in catalogue.games.items()]
    games += [(each, deleted_label(name)) for name, each in catalogue.deleted.items()]
    for named_game in games:
        game_streams = [stream for stream in _of_game(store, named_game[0], other_streams) if stream in other_streams]
        for stream in game_streams:
            del other_streams[stream]
        if game_streams:
            yield named_game, game_streams
    yield from ((None, [stream]) for stream in sorted(other_streams, key=lambda stream: stream == CATALOGUE))


def _of_game(store: EventStore, named_game: GameNamed, loose: Iterable[str]) -> list[str]:
    """The streams of a game: its names, all lines that ever had a name, and its discussions."""
    names = Names(named_game.game)
    if not names_fault(store, named_game.game):
        names.refresh(store)
    return [
        named_game.game,
        *names.streams,
        *(stream for stream in loose if names_stream_of(stream) == named_game.game),
    ]


def _bind_game(
    store: EventStore, lines: LineRepository, named: Named | None, streams: Sequence[str], by: str
) -> tuple[list[StreamFault], int]:
    """Binds the intact streams in one transaction. Returns the faults of the others and the number of bound ones."""
    while True:
        faults = _faults(store, lines, named, streams)
        entries_by_stream = [[*store.read(stream)] for stream in streams if stream not in faults]
        try:
            store.adopt([_binding(store, entries, by) for entries in entries_by_stream])
        except ConflictError:
            continue  # another writer has appended: verify and bind that, too
        return [StreamFault(stream, None, f"{each.where}: {each.what}") for stream, each in faults.items()], len(
            entries_by_stream
        )


def _binding(store: EventStore, entries: Sequence[Entry], by: str) -> Entry:
    return store.seal_binding(entries, by, datetime.now(UTC))


def _faults(store: EventStore, lines: LineRepository, named: Named | None, streams: Sequence[str]) -> dict[str, Fault]:
    """The fault of each damaged stream. Commits under older rules are no fault here: they are as they were played."""
    if named is None:
        audits = [verify_stream(store, lines, stream) for stream in streams]
    else:
        audits = verify_game(store, lines, *named)
    faults_by_stream = {each.stream: each.fault for each in audits if each.fault and each.fault.kind != RULES_CHANGED}
    if named and named[0].game in faults_by_stream:
        return dict.fromkeys(streams, faults_by_stream[named[0].game])
    for stream in streams:
        fault = discussion_fault(store, stream) if named and names_stream_of(stream) else None
        if fault:
            faults_by_stream[stream] = fault
    return {stream: fault for stream, fault in faults_by_stream.items() if stream in streams}
