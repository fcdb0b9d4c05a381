"""Maintenance of a store below the games: every entry, whether a name leads to it or not."""

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
from zimcore.service.line_repository import LineRepository
from zimcore.service.names import CATALOGUE, GameNamed, Names, next_free


def check(store: EventStore, repository: LineRepository, report: Report = no_report) -> tuple[StreamFault, ...]:
    """Every fault of every stream: what was altered, is missing, or does not follow from what stands before it.

    Where that is all as it was appended, every command is decided again: by the rules, and by what a name may be.
    """
    found = [StreamFault(fault.stream, fault.revision, fault.what) for fault in salvage.faults(store)]
    told = {fault.stream for fault in found}
    for audit in verify_all(store, repository, report):
        if audit.fault and (audit.stream or not found) and audit.stream not in told:
            fault = audit.fault
            found.append(StreamFault(audit.stream, None, f"{fault.kind}: {fault.where}: {fault.what}"))
            told.add(audit.stream)
    return tuple(found)


def backup(store: EventStore, path: Path) -> int:
    """Copies the whole store to a new file while others write; gives how many entries it copied.

    Raises `StoreError` where there is a file already, or it can't be written, and `DamagedError`.
    """
    return backups.backup(store, path)


def save(store: EventStore, url: str) -> Saved:
    """Brings every stream that is intact to a new store. Raises `StoreError`, `ConflictError` for one that is not new.

    Names and talk that were damaged are given anew, as far as they can be read; a game whose own name is lost gets
    another one. A missing stream that they name is reported when it is read.
    """
    with EventStore.open(url) as new:
        register_names(new)
        saved = salvage.salvage(store, new)
        for stream in saved.lost:
            if stream != CATALOGUE and _is_of(store, stream, "names"):
                _append_again(store, new, Names(stream))
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
    except StoreError:  # none of it can be read
        return


def _append_again(store: EventStore, new: EventStore, fold: Names | Discussion) -> None:
    """Appends what can be read of names, or of proceedings, to a new stream: each as whose it was, and when."""
    stream = fold.stream
    for piece in _pieces(store, stream):
        with suppress(DamagedError):  # what can't be read, or does not follow without it
            if isinstance(piece, DamagedError):
                raise piece
            at, by = piece.seal.at, piece.seal.by
            fold.advance(msgspec.structs.replace(piece, stream=stream))
            new.append(stream, _last(new, type(fold)(stream)), piece.events, by=by, at=at, id=piece.seal.id)


def _last(store: EventStore, fold: Names | Discussion) -> int:
    fold.refresh(store)
    return fold.revision


def _name_the_nameless(new: EventStore) -> None:
    """Gives names to lists of lines that the catalogue lacks: of what kind their lines are shows in what is stored."""
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
    """Binds streams of an older Zim where the catalogue was written anew, which is bound as all others have to be."""
    if CATALOGUE not in new.streams() or not new.is_bound(CATALOGUE):
        return
    for stream in new.streams():
        if not new.is_bound(stream):
            new.adopt([new.binding([*new.read(stream)], "zim", datetime.now(UTC))])
