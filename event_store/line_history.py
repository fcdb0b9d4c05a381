"""Lines of play: their commits, where the head is, and what undo, redo and fork do to them.

A line is a fold over the entries of its stream. Nothing is removed: a commit that was undone stays reachable. A fork
refers to its parent stream and copies nothing: its line is a fold over that stream up to the fork, then over its own.

In other words: branch.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import chain
from typing import Protocol

import msgspec

from event_store.chain import Entry
from event_store.errors import damaged_error


class HeadMoved(msgspec.Struct, frozen=True, tag_field="event", tag="head_moved.1"):
    """The head of a line moved from one commit (digest) to another: an undo, a redo or a goto."""

    source: bytes = msgspec.field(name="from")
    target: bytes = msgspec.field(name="to")


class Forked(msgspec.Struct, frozen=True, tag_field="event", tag="forked.1"):
    """The first entry of a fork. It continues from `commit`, the entry at `revision` of the stream `line`."""

    line: str
    revision: int
    commit: bytes


FORKED_TOPIC, HEAD_MOVED_TOPIC = "store.forked.1", "store.head_moved.1"
"""The topics of `Forked` and `HeadMoved`."""
HEAD_TOPICS = frozenset((FORKED_TOPIC, HEAD_MOVED_TOPIC))


class Line(msgspec.Struct, eq=False):
    """A line after its entry at `revision`. Commits are identified by their digests.

    `commits` are all reachable commits, in the order they were made. `commit_numbers` count them from the start of the
    game, which is 0. `head` is the current commit. `last_digest` is that of the last entry, which may be a move of the
    head. `path` leads from the start through the head to the `tip`, and redo follows it. The tip is the last commit
    played, or the commit that the head moved back from.

    `by_command_id` has the entries made by each request, by its command id: one request may make several commits.
    """

    stream: str
    revision: int = -1
    commits: dict[bytes, Entry] = {}
    commit_numbers: dict[bytes, int] = {}
    head: bytes = b""
    last_digest: bytes = b""
    path: list[bytes] = []
    fork_event: Forked | None = None
    by_command_id: dict[str, tuple[Entry, ...]] = {}

    @property
    def tip(self) -> bytes:
        """The last commit on the current path, where redo ends."""
        return self.path[-1] if self.path else b""

    @property
    def newest_commit(self) -> bytes:
        """The last commit ever made on the line."""
        return next(reversed(self.commits), b"")


class EntryReader(Protocol):
    """A function that reads the entries of a stream after one revision, up to another."""

    def __call__(self, stream: str, after: int = -1, until: int | None = None) -> Iterable[Entry]:
        """See `EventStore.read`."""
        ...


def advance(line: Line, entry: Entry) -> None:
    """Applies the next entry to a line. Raises `DamagedError` if it can't follow."""
    seal = entry.seal
    if entry.is_commit:
        digest, parent = seal.digest, seal.parent
        if parent != line.head:
            raise damaged_error(entry.stream, entry.revision, "this commit does not build on the head")
        line.commits[digest] = entry
        number = line.commit_numbers[digest] = line.commit_numbers[parent] + 1 if parent else 0
        line.path[number:] = (digest,)
        line.head = digest
    elif _has_head_event(entry):
        for event in entry.events:
            if isinstance(event, HeadMoved):
                _move_head(line, entry, event)
            elif isinstance(event, Forked):
                _apply_fork(line, entry, event)
    if seal.request:
        line.by_command_id[seal.id] = (*line.by_command_id.get(seal.id, ()), entry)
    line.revision, line.last_digest = entry.revision, seal.digest


def _has_head_event(entry: Entry) -> bool:
    """Whether an entry has a `HeadMoved` or `Forked`. It decodes no event: most entries have neither."""
    return any(topic in HEAD_TOPICS for _, topic, _ in entry.rows)


def _move_head(line: Line, entry: Entry, head_moved: HeadMoved) -> None:
    if head_moved.source != line.head or head_moved.target not in line.commits:
        raise damaged_error(entry.stream, entry.revision, "the head can't move like this")
    if not _is_on_current_path(line, head_moved.target):
        line.path = path_to(line, head_moved.target)
    line.head = head_moved.target


def _apply_fork(line: Line, entry: Entry, fork_event: Forked) -> None:
    if fork_event.commit not in line.commits:
        raise damaged_error(entry.stream, entry.revision, "the commit that this line was forked from is missing")
    shared_path = path_to(line, fork_event.commit)
    if len(shared_path) < len(line.commits):
        for digest in line.commits.keys() - shared_path:
            del line.commits[digest], line.commit_numbers[digest]
    # Requests for the shared commits count on both lines; requests that came after the fork belong to the parent only.
    line.by_command_id = {
        command_id: entries for command_id, entries in line.by_command_id.items() if entries[0].digest in line.commits
    }
    line.path = shared_path
    line.head = fork_event.commit
    line.fork_event = fork_event


def path_to(line: Line, digest: bytes) -> list[bytes]:
    """The path from the start to a commit, both included."""
    path = []
    while digest and not _is_on_current_path(line, digest):
        path.append(digest)
        digest = line.commits[digest].parent
    return line.path[: line.commit_numbers[digest] + 1 if digest else 0] + path[::-1]


def is_on_path(line: Line, digest: bytes, end: bytes) -> bool:
    """Whether a commit is on the path from the start to `end`."""
    number = line.commit_numbers[digest]
    while line.commit_numbers[end] > number and not _is_on_current_path(line, end):
        end = line.commits[end].parent
    return (line.path[number] if line.commit_numbers[end] > number else end) == digest


def _is_on_current_path(line: Line, digest: bytes) -> bool:
    """Whether a commit is on the path from the start through the head to the tip."""
    return line.path[line.commit_numbers[digest] : line.commit_numbers[digest] + 1] == [digest]


def commit_at(line: Line, number: int) -> bytes | None:
    """The digest of the commit with this number on the path from the start to the tip; None if there is none."""
    return line.path[number] if 0 <= number < len(line.path) else None


def commit_after_steps(line: Line, steps: int) -> bytes | None:
    """The digest of the commit `steps` after the head (before it if negative) on the path; None if there is none."""
    return commit_at(line, line.commit_numbers[line.head] + steps)


def head_after(entries: Iterable[Entry]) -> bytes:
    """The head of a line after all entries of its stream; empty if the stream is not a line."""
    head = b""
    for entry in entries:
        if entry.is_commit:
            head = entry.digest
        elif _has_head_event(entry):
            for event in entry.events:
                match event:
                    case HeadMoved(target=commit) | Forked(commit=commit):
                        head = commit
    return head


def fork_event_at(line: Line, digest: bytes) -> Forked:
    """The event that starts a fork at a commit; it refers to the stream where the commit was made."""
    commit_entry = line.commits[digest]
    return Forked(line=commit_entry.stream, revision=commit_entry.revision, commit=digest)


def entries_of_line(read: EntryReader, stream: str) -> Iterator[Entry]:
    """All entries of a line: first those of the streams that it was forked from, oldest first, then its own."""
    return unread_entries(read, Line(stream))


def unread_entries(read: EntryReader, line: Line, known_lines: Collection[Line] = ()) -> Iterator[Entry]:
    """The entries of a new line (`Line(stream)`), oldest first; apply each to it before you take the next.

    If one of `known_lines` has the commit that the line was forked from, the line becomes a copy of that one first, and
    what they share is not read again. Otherwise the entries of the streams that it was forked from come first.
    """
    entries_by_stream: dict[str, Iterator[Entry]] = {}
    stream, until = line.stream, None
    while True:
        entries = iter(read(stream, until=until))
        first_entry = next(entries, None)
        entries_by_stream[stream] = chain([first_entry] if first_entry else [], entries)
        fork_event = _fork_event_in(first_entry)
        if fork_event is None:
            break
        if known_line := _line_with_fork(known_lines, fork_event):
            _copy_commits(known_line, line)
            break
        if fork_event.line in entries_by_stream:
            raise damaged_error(stream, 0, "the line was forked from itself")
        stream, until = fork_event.line, fork_event.revision
    for stream_entries in reversed(entries_by_stream.values()):
        yield from stream_entries


def _line_with_fork(lines: Iterable[Line], fork_event: Forked) -> Line | None:
    """The first of some lines that has the commit of a fork, where the fork says that it is; None if none has it."""
    for line in lines:
        entry = line.commits.get(fork_event.commit)
        if entry and (entry.stream, entry.revision) == (fork_event.line, fork_event.revision):
            return line
    return None


def _fork_event_in(first_entry: Entry | None) -> Forked | None:
    """The fork in the first entry of a stream; None if the stream is not a fork."""
    if first_entry is None or FORKED_TOPIC not in (topic for _, topic, _ in first_entry.rows[:1]):
        return None
    return next((event for event in first_entry.events if isinstance(event, Forked)), None)


def load_line(read: EntryReader, stream: str, known_lines: Collection[Line] = ()) -> Line:
    """The line of a stream. What it shares with `known_lines` is not read again. Raises `DamagedError`."""
    line = Line(stream)
    for entry in unread_entries(read, line, known_lines):
        advance(line, entry)
    return line


def line_with_ancestors(read: EntryReader, stream: str) -> list[Line]:
    """A line and the lines that it was forked from, oldest first; each stream is read once."""
    entries_by_stream: dict[str, list[Entry]] = {}
    while stream:
        if stream in entries_by_stream:
            raise damaged_error(stream, 0, "the line was forked from itself")
        entries_by_stream[stream] = list(read(stream))
        fork_event = _fork_event_in(next(iter(entries_by_stream[stream]), None))
        stream = fork_event.line if fork_event else ""
    lines: list[Line] = []
    for line_stream, entries in reversed(entries_by_stream.items()):
        line = copy_for_fork(lines[-1], line_stream) if lines else Line(line_stream)
        for entry in entries:
            advance(line, entry)
        lines.append(line)
    return lines


def copy_for_fork(parent: Line, stream: str) -> Line:
    """A fork before its first entry is applied, made from its parent so that nothing is read twice."""
    line = Line(stream)
    _copy_commits(parent, line)
    return line


def _copy_commits(source: Line, line: Line) -> None:
    """Gives a new line the commits of another one, before it is forked from one of them.

    The tables of commits and numbers are copied, since the two lines go separate ways; entries are shared.
    """
    line.commits, line.commit_numbers = source.commits.copy(), source.commit_numbers.copy()
    line.path, line.by_command_id = source.path, source.by_command_id


def refresh(read: EntryReader, line: Line) -> None:
    """Reads and applies the entries appended to a line since it was last read."""
    for entry in read(line.stream, after=line.revision):
        advance(line, entry)
