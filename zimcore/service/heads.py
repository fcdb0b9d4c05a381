"""Moving the head of a line, and what is appended to a line that others may append to as well."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from event_store import ConflictError, Entry, HeadMoved
from event_store.lines import fork_of, refresh, stepped
from zimcore.game import Event, Seat, UnknownError
from zimcore.service.answers import Position
from zimcore.service.appending import Appender
from zimcore.service.names import LineNamed, LineSwitched, Names
from zimcore.service.open_lines import OpenLine, OpenLines
from zimcore.service.seeing import check_going_back


def check_head(found: OpenLine, expected: str | None) -> None:
    """Raises `ConflictError` if the head is another than the one that was seen; it is named by a digest."""
    head = found.line.head.hex()
    if expected and not head.startswith(expected):
        newest = found.commit(found.line.head)
        why = f"{newest.by} has brought it to @{newest.number}: {newest.text}"
        raise ConflictError(f"{found.place} has moved on", why, [f"log {found.place}"], head=head)


def extend(append: Appender, found: OpenLine, write: Callable[[], Entry]) -> Entry:
    """Appends to a line and reads it forward; a race that was lost is the caller's to know."""
    try:
        entry = write()
    except ConflictError as error:
        raise ConflictError(
            f"{found.place} has moved on", error.why, [f"log {found.place}"], head=error.head
        ) from error
    refresh(append.store.read, found.line)
    return entry


def move(append: Appender, found: OpenLine, target: bytes, by: str, eyes: Seat | None) -> Position:
    """Moves the head of a line to a commit. Raises `GameError` where these eyes can't unsee what they would leave."""
    line = found.line
    check_going_back(found, target, eyes)
    if target != line.head:
        moved = [HeadMoved(line.head, target)]
        extend(append, found, lambda: append.entry(line.stream, line.revision, moved, by))
    return found.position(target)


def step(append: Appender, found: OpenLine, steps: int, by: str, eyes: Seat | None) -> Position:
    """Moves the head so many commits on; back when negative. Raises `UnknownError` where there is no such commit."""
    target = stepped(found.line, steps)
    if target is None:
        verb = "undo" if steps < 0 else "redo"
        line = found.line
        left = line.numbers[line.head] if steps < 0 else line.numbers[line.tip] - line.numbers[line.head]
        what = f"there is no more than {left} to {verb}" if left else f"there is nothing to {verb}"
        hints = [f"{verb} {found.place} {left}"] if left else [f"log {found.place} --all"]
        raise UnknownError(what, f"{found.place} is {found.standing()}", hints)
    return move(append, found, target, by, eyes)


def begin_line(
    append: Appender,
    lines: OpenLines,
    at: tuple[OpenLine, bytes],
    name: str,
    commits: Sequence[tuple[Sequence[Event], bytes]],
    by: str,
    command_id: str = "",
) -> OpenLine:
    """Begins a line at a commit, with more commits (events, digest of the state) if there are any; it becomes current.

    The name comes last: until all of it is there, nothing of it is seen.
    """
    found, digest = at
    stream = append.ids()
    fork = append.draft([fork_of(found.line, digest)], by)
    drafts = append.drafts(commits, by, command_id)
    append.store.append_all(stream, -1, [fork, *drafts], digest)

    def choose(names: Names) -> Sequence[Event]:
        events = [LineNamed(name, stream), LineSwitched(name)]
        names.after(events)
        return events

    append.names(lambda: lines.names(found.game), choose, by)
    return lines.begin(found, name, stream)
