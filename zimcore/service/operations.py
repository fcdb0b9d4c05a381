"""The operation log: all changes of a line's head and of the names in its match, and how to take them back.

In other words: reflog.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import merge
from typing import NamedTuple

from event_store import Entry, Forked, HeadMoved
from zimcore.commits import Position
from zimcore.documents.listings import Operation
from zimcore.game import GameError, UnknownError
from zimcore.service import operation_kinds
from zimcore.service.archiving import ARCHIVE, RESTORE, change_archive
from zimcore.service.discussion import DiscussionEvent
from zimcore.service.idempotency import idempotency_key
from zimcore.service.line_repository import LineRepository, LoadedLine
from zimcore.service.names import CATALOGUE, GameArchived, GameNamed, GameRestored, LineRenamed, NameEvent, Names
from zimcore.service.naming import head_of
from zimcore.service.operation_kinds import OperationKind, UndoEvent
from zimcore.service.places import parse_place
from zimcore.service.visibility import position_for, takeback_viewer
from zimcore.service.writer import Writer, WriteRequest, check_head


class LoggedOperation(NamedTuple):
    """An operation: its entry, and the meaning of one event of that entry."""

    entry: Entry
    meaning: OperationKind

    @property
    def id(self) -> str:
        """The id of the operation: the digest of its entry, so all operations of one append share it."""
        return self.entry.digest.hex()


def operations(lines: LineRepository, loaded_line: LoadedLine) -> Sequence[Operation]:
    """All operations on a line, on the names of its match and on requests, oldest first."""
    return [
        Operation(
            each.id,
            each.meaning.what,
            each.meaning.source,
            each.meaning.target,
            each.entry.seal.by,
            each.entry.seal.at,
            each.meaning.before.hex(),
            each.meaning.after.hex(),
        )
        for each in _all_done(lines, loaded_line)
    ]


def _all_done(lines: LineRepository, loaded_line: LoadedLine) -> Sequence[LoggedOperation]:
    # Four streams, each in order. They have no common revision, so they are merged by time.
    parts = (
        _on_line(lines, loaded_line),
        _on_names(lines, loaded_line.match),
        _on_game(lines, loaded_line.match),
        _request_operations(lines, loaded_line),
    )
    return list(merge(*parts, key=lambda each: each.entry.seal.at))


def _on_line(lines: LineRepository, loaded_line: LoadedLine) -> Iterator[LoggedOperation]:
    for entry in lines.store.read(loaded_line.line.stream):
        if entry.is_commit:
            yield LoggedOperation(entry, operation_kinds.commit_operation(entry, loaded_line))
        for event in entry.events:
            if isinstance(event, HeadMoved) and event.source == event.target:
                continue  # such a move marks a binding (of a seat or of seals): the head stays
            if isinstance(event, HeadMoved | Forked):
                yield LoggedOperation(entry, operation_kinds.line_operation(event, loaded_line))


def _on_names(lines: LineRepository, match: str) -> Iterator[LoggedOperation]:
    names = Names(lines.find_game(match).game, match)
    for entry in lines.store.read(names.stream):
        for event in names.apply_events(entry):
            if meaning := operation_kinds.name_operation(event, names, entry.seal.by):
                yield LoggedOperation(entry, meaning)


def _on_game(lines: LineRepository, match: str) -> Sequence[LoggedOperation]:
    """The operations on the game itself: archived, deleted, restored."""
    catalogue, logged = Names(CATALOGUE), list[LoggedOperation]()
    for entry in lines.store.read(CATALOGUE):
        for event in catalogue.apply_events(entry):
            if isinstance(event, GameNamed) and event.name == match:
                logged = []  # earlier ones belong to a removed game of that name
            meaning = operation_kinds.name_operation(event, catalogue, entry.seal.by)
            if meaning and meaning.source == match:
                logged.append(LoggedOperation(entry, meaning))
    return logged


def _request_operations(lines: LineRepository, loaded_line: LoadedLine) -> Iterator[LoggedOperation]:
    """The takeback requests on a line, and the answers to them."""
    discussion = lines.discussion(loaded_line.match)
    for entry in lines.store.read(discussion.stream):
        if entry.revision not in discussion.changed:
            continue
        takeback = discussion.request_of(entry.revision)
        for event in entry.events if takeback.line == loaded_line.line.stream else ():
            if isinstance(event, DiscussionEvent) and (
                meaning := operation_kinds.request_operation(event, takeback, loaded_line)
            ):
                yield LoggedOperation(entry, meaning)


def take_back(writer: Writer, lines: LineRepository, place: str, operation: str, request: WriteRequest) -> Position:
    """Takes an operation back, which is an operation itself: nothing is deleted.

    `operation` is the beginning of its id, or "" for the last one. The head of the line returns to where it was, or the
    names become what they were. Returns the new position of the line, or of the current line if the line has lost its
    name. Raises `UnknownError`.
    """
    parsed_place, by, key = parse_place(place), request.by, request.key
    names = lines.names(parsed_place.match)
    if before := names.earlier_entry(by, key):
        renamed = {event.name: event.to for event in before.events if isinstance(event, LineRenamed)}
        name = names.name_of(names.stream_of(renamed.get(parsed_place.line, parsed_place.line)))
        return head_of(lines, parsed_place.match, name, request)
    of_game = request._replace(key=idempotency_key(key.id, "take back", operation, parsed_place.match))
    if lines.catalogue().earlier_entry(by, of_game.key):
        return head_of(lines, parsed_place.match, parsed_place.line, request)
    loaded_line = lines.at_head(place, key)
    if earlier := loaded_line.earlier_entries(by, key):
        return position_for(loaded_line.answer(earlier), request.viewer)
    check_head(loaded_line, request)
    done_operations = _all_done(lines, loaded_line)
    mine = [each for each in done_operations if not each.meaning.is_discussion and each.meaning.only in ("", by)]
    chosen = _choose_id(done_operations if operation else mine, operation)
    match _undoing([each for each in done_operations if each.id == chosen], by):
        case [HeadMoved(target=commit)]:
            takebacks, is_match = lines.discussion(loaded_line.match).takebacks, loaded_line.name == names.first
            writer.move(loaded_line, commit, by, takeback_viewer(request.viewer, takebacks, is_match=is_match), key)
        case [GameArchived() | GameRestored() as event]:
            change_archive(
                writer, lines, ARCHIVE if isinstance(event, GameArchived) else RESTORE, loaded_line.match, of_game
            )
        case undoing:
            events = [event for event in undoing if isinstance(event, NameEvent)]

            # The events come from the log; check that they still apply to the names of now.
            def choose(now: Names) -> Sequence[NameEvent]:
                now.check(*events)
                return events

            writer.append_chosen(lambda: lines.names(loaded_line.match), choose, by, key)
    names = lines.names(loaded_line.match)
    return head_of(lines, loaded_line.match, names.name_of(loaded_line.line.stream), request)


def _choose_id(logged: Sequence[LoggedOperation], beginning: str) -> str:
    ids = list(dict.fromkeys(each.id for each in logged if each.id.startswith(beginning)))
    if ids and not beginning:
        return ids[-1]
    if len(ids) == 1:
        return ids[0]
    what = f"{beginning} could be more than one operation" if ids else f"there is no operation {beginning}"
    raise UnknownError(what, "log --ops lists them", [each[:12] for each in ids or [logged[-1].id]])


def _undoing(done: Sequence[LoggedOperation], by: str) -> Sequence[UndoEvent]:
    """The events that undo the operations of one entry, in reverse order, except for other people's current lines.

    Raises `GameError` if nothing is left to undo, or if one of them can't be undone.
    """
    undoings, who = list[UndoEvent](), done[0].entry.seal.by
    mine = [each.meaning for each in done if each.meaning.only in ("", by)]
    if not mine:
        raise GameError(
            f"this can't be taken back by {by}", f"only {who} chooses the current line of {who}", ["log --ops"]
        )
    for meaning in mine:
        if isinstance(meaning.undo, GameError):
            raise meaning.undo
        undoings += meaning.undo
    if not undoings:
        raise GameError(
            "this can't be taken back", "it notes how imported moves differ from today's rules", ["log --ops"]
        )
    return undoings[::-1]
