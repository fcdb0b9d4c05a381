"""Checks, backs up and salvages a whole store, including streams that no name refers to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from event_store import DamagedError, Entry, EventStore, StoreError, salvage
from event_store import backup as backups
from zimcore.documents.storage import Saved, StreamFault
from zimcore.service.audit import Report, no_report, verify_all
from zimcore.service.discussion import KIND, Discussion
from zimcore.service.event_registration import register_names
from zimcore.service.league import KIND as LEAGUE
from zimcore.service.league import League
from zimcore.service.line_repository import LineRepository
from zimcore.service.names import CATALOGUE, GameNamed, Names, next_free


def check(store: EventStore, repository: LineRepository, report: Report = no_report) -> tuple[StreamFault, ...]:
    """Every fault of every stream: entries that were altered, are missing, or do not follow from those before them.

    In intact streams every command is decided again by the rules, and every change of names is checked again.
    """
    faults = [StreamFault(fault.stream, fault.revision, fault.what) for fault in salvage.faults(store)]
    faulty_streams = {fault.stream for fault in faults}
    for audit in verify_all(store, repository, report):
        if audit.fault and (audit.stream or not faults) and audit.stream not in faulty_streams:
            fault = audit.fault
            faults.append(StreamFault(audit.stream, None, f"{fault.kind}: {fault.where}: {fault.what}"))
            faulty_streams.add(audit.stream)
    return tuple(faults)


def backup(store: EventStore, path: Path) -> int:
    """Copies the whole store to a new file while others write, and returns the number of entries copied.

    Raises `StoreError` if the file exists or can't be written, and `DamagedError` for a damaged store.
    """
    return backups.backup(store, path)


def save(store: EventStore, url: str) -> Saved:
    """Copies every intact stream to a new store. Raises `StoreError`, and `ConflictError` if that store is not empty.

    Damaged streams of names and discussions are written again, as far as they can be read. A game whose own name is
    lost gets a new one. Lines that are lost keep their names and are reported when they are read.
    """
    with EventStore.open(url) as new:
        register_names(new)
        saved = salvage.salvage(store, new)
        for stream in saved.lost:
            if stream != CATALOGUE and _is_of(store, stream, "names"):
                _append_again(store, new, Names(stream))
            if _is_of(store, stream, LEAGUE):
                _append_again(store, new, League(stream))
            if _is_of(store, stream, KIND):
                _append_again(store, new, Discussion(stream))
        if CATALOGUE in saved.lost:
            _append_again(store, new, Names(CATALOGUE))
        _name_the_nameless(new)
        _bind_as_the_catalogue(new)
    return Saved(saved.streams, saved.lost)


def _is_of(store: EventStore, stream: str, kind: str) -> bool:
    pieces = _pieces(store, stream)
    return any(not isinstance(each, DamagedError) and each.rows[0][1].startswith(f"{kind}.") for each in pieces)


def _pieces(store: EventStore, stream: str) -> Iterator[Entry | DamagedError]:
    try:
        yield from store.entries_or_errors(stream)
    except StoreError:  # nothing of the stream can be read
        return


def _append_again(store: EventStore, new: EventStore, fold: Names | Discussion | League) -> None:
    """Appends the readable entries of a stream (names, discussion or league) to a new one, with author and time."""
    stream = fold.stream
    for piece in _pieces(store, stream):
        with suppress(DamagedError):  # skip entries that can't be read, or that depended on one
            if isinstance(piece, DamagedError):
                raise piece
            at, by = piece.seal.at, piece.seal.by
            fold.advance(msgspec.structs.replace(piece, stream=stream))
            new.append(stream, _last(new, type(fold)(stream)), piece.events, by=by, at=at, id=piece.seal.id)


def _last(store: EventStore, fold: Names | Discussion | League) -> int:
    fold.refresh(store)
    return fold.revision


def _name_the_nameless(new: EventStore) -> None:
    """Names the games that the catalogue lacks. The topics of their commits show which kind of game each one is."""
    catalogue = Names(CATALOGUE)
    catalogue.refresh(new)
    named = {each.game for each in (*catalogue.games.values(), *catalogue.deleted.values())}
    for stream in new.streams():
        if stream in named or stream == CATALOGUE or not _is_of(new, stream, "names"):
            continue
        names = Names(stream)
        names.refresh(new)
        kinds = (entry.rows[0][1] for line in names.lines.values() for entry in new.read(line) if entry.is_commit)
        kind = next(kinds, "").partition(".")[0]
        if kind:
            event = GameNamed(next_free("saved", catalogue.taken_names), kind, stream)
            new.append(CATALOGUE, catalogue.revision, [event], by="zim", at=datetime.now(UTC))
            catalogue.refresh(new)


def _bind_as_the_catalogue(new: EventStore) -> None:
    """Binds the streams of an old store if its catalogue was written again: that one is bound, so all must be."""
    if CATALOGUE not in new.streams() or not new.is_bound(CATALOGUE):
        return
    for stream in new.streams():
        if not new.is_bound(stream):
            new.adopt([new.seal_binding([*new.read(stream)], "zim", datetime.now(UTC))])
