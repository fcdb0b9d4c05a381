"""The operation log: all changes of a line's head and of the names in its match, and how to take them back.

In other words: reflog.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import merge
from typing import NamedTuple

from event_store import Entry, Forked, HeadMoved
from zimcore import features
from zimcore.commits import Position
from zimcore.documents.listings import Operation
from zimcore.game import GameError, UnknownError
from zimcore.service.lines.line_repository import LineRepository, LoadedLine
from zimcore.service.lines.visibility import position_for, takeback_viewer
from zimcore.service.records.idempotency import idempotency_key
from zimcore.service.records.names import (
    CATALOGUE,
    GameArchived,
    GameNamed,
    GameRestored,
    LineRenamed,
    NameEvent,
    Names,
)
from zimcore.service.records.places import parse_place
from zimcore.service.writing import operation_kinds
from zimcore.service.writing.archiving import ARCHIVE, RESTORE, change_archive
from zimcore.service.writing.naming import head_of
from zimcore.service.writing.operation_kinds import OperationRow, UndoEvent
from zimcore.service.writing.writer import Writer, WriteRequest, check_head


class LoggedOperation(NamedTuple):
    """An operation: its entry, and the row of one event of that entry."""

    entry: Entry
    row: OperationRow

    @property
    def id(self) -> str:
        """The id of the operation: the digest of its entry, so all operations of one append share it."""
        return self.entry.digest.hex()


def operation_documents(repository: LineRepository, loaded_line: LoadedLine) -> Sequence[Operation]:
    """All operations on a line, on the names of its match and on requests, oldest first."""
    return [
        Operation(
            operation.id,
            operation.row.what,
            operation.row.source,
            operation.row.target,
            operation.entry.seal.by,
            operation.entry.seal.at,
            operation.row.head_before.hex(),
            operation.row.head_after.hex(),
        )
        for operation in _all_operations(repository, loaded_line)
    ]


def _all_operations(repository: LineRepository, loaded_line: LoadedLine) -> Sequence[LoggedOperation]:
    # The streams are in order each. They have no common revision, so they are merged by time.
    operations_by_stream = (
        _operations_on_line(repository, loaded_line),
        _operations_on_names(repository, loaded_line.match),
        _operations_on_game(repository, loaded_line.match),
        *(module.operations(repository, loaded_line) for module in features.modules("log")),
    )
    return list(merge(*operations_by_stream, key=lambda each: each.entry.seal.at))


def _operations_on_line(repository: LineRepository, loaded_line: LoadedLine) -> Iterator[LoggedOperation]:
    for entry in repository.store.read(loaded_line.line.stream):
        if entry.is_commit:
            yield LoggedOperation(entry, operation_kinds.commit_operation(entry, loaded_line))
        for event in entry.events:
            if isinstance(event, HeadMoved) and event.source == event.target:
                continue  # written to bind a seat to a key, or entries to their places: the head stays
            if isinstance(event, HeadMoved | Forked):
                yield LoggedOperation(entry, operation_kinds.line_operation(event, loaded_line))


def _operations_on_names(repository: LineRepository, match: str) -> Iterator[LoggedOperation]:
    names = Names(repository.find_match(match).game, match=match)
    for entry in repository.store.read(names.stream):
        for event in names.apply_events(entry):
            if row := operation_kinds.name_operation(event, names, entry.seal.by):
                yield LoggedOperation(entry, row)


def _operations_on_game(repository: LineRepository, match: str) -> Sequence[LoggedOperation]:
    """The operations on the game itself: archived, deleted, restored."""
    catalogue, logged_operations = Names(CATALOGUE), list[LoggedOperation]()
    for entry in repository.store.read(CATALOGUE):
        for event in catalogue.apply_events(entry):
            if isinstance(event, GameNamed) and event.name == match:
                logged_operations = []  # earlier ones belong to a removed game of that name
            row = operation_kinds.name_operation(event, catalogue, entry.seal.by)
            if row and row.source == match:
                logged_operations.append(LoggedOperation(entry, row))
    return logged_operations


def take_back_operation(
    writer: Writer, repository: LineRepository, place: str, operation: str, request: WriteRequest
) -> Position:
    """Takes an operation back, which is an operation itself: nothing is deleted.

    `operation` is the beginning of its id, or "" for the last one that the author may take back, except for takeback
    requests and their answers, and for moves of programs. The head of the line returns to where it was, or the
    names become what they were. Returns the new position of the line, or of the current line if the line has lost its
    name. Raises `UnknownError`.
    """
    parsed_place, author, key = parse_place(place), request.by, request.key
    names = repository.names(parsed_place.match)
    # A retry may be in any of three streams: only the last one says that there is none.
    if earlier_entry := names.earlier_entry(author, key._replace(is_retry=False)):
        new_names = {event.name: event.to for event in earlier_entry.events if isinstance(event, LineRenamed)}
        name = names.name_of(names.stream_of(new_names.get(parsed_place.line, parsed_place.line)))
        return head_of(repository, parsed_place.match, name, request)
    catalogue_request = request._replace(key=idempotency_key(str(key.id), "take back", operation, parsed_place.match))
    if repository.catalogue().earlier_entry(author, catalogue_request.key):
        return head_of(repository, parsed_place.match, parsed_place.line, request)
    loaded_line = repository.line_at_head(place, key)
    if earlier_entries := loaded_line.earlier_entries(author, key):
        return position_for(loaded_line.position_after(earlier_entries), request.viewer)
    check_head(loaded_line, request)
    all_operations, programs = _all_operations(repository, loaded_line), names.bots_on(loaded_line.name)
    undoable_operations = [
        each
        for each in all_operations
        if not each.row.is_discussion
        and each.row.only_author in ("", author)
        and not (programs and each.row.what == "play" and loaded_line.commit(each.row.head_after).seat in programs)
    ]
    chosen_id = _find_id(all_operations if operation else undoable_operations, operation)
    match _undo_events([each for each in all_operations if each.id == chosen_id], author):
        case [HeadMoved(target=commit)]:
            takebacks = repository.discussion(loaded_line.match).takebacks
            is_first_line = loaded_line.name == names.first_line
            writer.move_head(
                loaded_line,
                commit,
                author,
                takeback_viewer(request.viewer, takebacks, is_first_line=is_first_line),
                key,
            )
        case [GameArchived() | GameRestored() as event]:
            change_archive(
                writer,
                repository,
                ARCHIVE if isinstance(event, GameArchived) else RESTORE,
                loaded_line.match,
                catalogue_request,
            )
        case undo_events:
            events = [event for event in undo_events if isinstance(event, NameEvent)]

            # The events come from the log; check that they still apply to the current names.
            def make_events(current_names: Names) -> Sequence[NameEvent]:
                current_names.check(*events)
                return events

            writer.append_from_fold(lambda: repository.names(loaded_line.match), make_events, author, key)
    names = repository.names(loaded_line.match)
    return head_of(repository, loaded_line.match, names.name_of(loaded_line.line.stream), request)


def _find_id(logged_operations: Sequence[LoggedOperation], beginning: str) -> str:
    ids = list(dict.fromkeys(each.id for each in logged_operations if each.id.startswith(beginning)))
    if ids and not beginning:
        return ids[-1]
    if len(ids) == 1:
        return ids[0]
    what = f"{beginning} could be more than one operation" if ids else f"there is no operation {beginning}"
    raise UnknownError(what, "log --ops lists them", [each[:12] for each in ids or [logged_operations[-1].id]])


def _undo_events(operations_of_entry: Sequence[LoggedOperation], author: str) -> Sequence[UndoEvent]:
    """The events that undo the operations of one entry, in reverse order, except for other people's current lines.

    Raises `GameError` if nothing is left to undo, or if one of them can't be undone.
    """
    undo_events, entry_author = list[UndoEvent](), operations_of_entry[0].entry.seal.by
    own_rows = [each.row for each in operations_of_entry if each.row.only_author in ("", author)]
    if not own_rows:
        raise GameError(
            f"this can't be taken back by {author}",
            f"only {entry_author} chooses the current line of {entry_author}",
            ["log --ops"],
        )
    for row in own_rows:
        if isinstance(row.undo_events, GameError):
            raise row.undo_events
        undo_events += row.undo_events
    if not undo_events:
        raise GameError(
            "this can't be taken back", "it only notes how imported moves differ from today's rules", ["log --ops"]
        )
    return undo_events[::-1]
