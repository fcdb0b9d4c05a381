"""Lines of play: which commits there are, where the head stands, what an undo, a redo or a fork leads to.

A line is a fold over the entries of its stream. Nothing is ever taken away: a commit that was undone stays reachable.
A fork refers to the stream that it left and copies nothing; its line is a fold over that stream up to the fork, then
over its own.

In other words: branch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Protocol

import msgspec

from event_store.chain import Entry
from event_store.errors import damaged_error


class HeadMoved(msgspec.Struct, frozen=True, tag_field="event", tag="head_moved.1"):
    """The head of a line went from one commit to another (digests): an undo, a redo, a goto."""

    source: bytes = msgspec.field(name="from")
    target: bytes = msgspec.field(name="to")


class Forked(msgspec.Struct, frozen=True, tag_field="event", tag="forked.1"):
    """The first entry of a fork: it goes on from a commit, which is the entry at that revision of another stream."""

    line: str
    revision: int
    commit: bytes


FORKED, HEAD_MOVED = "store.forked.1", "store.head_moved.1"
"""The topics of `Forked` and `HeadMoved`."""


class Line(msgspec.Struct, eq=False):
    """A line as it stands after its revision. Commits are named by their digests.

    `commits` are all that can be reached, in the order they were made; `numbers` counts them from the start, which
    is 0. `head` is where the line stands, `last` the digest of the last entry, which may be a move of the head. `ahead`
    is the way it is on, from the start over the head to the `tip`: the last commit played, or the end that the head
    moved back from; redo goes there.

    `asked` are the entries that were asked for with an id, by that id: several commits, where one request made them.
    """

    stream: str
    revision: int = -1
    commits: dict[bytes, Entry] = {}
    numbers: dict[bytes, int] = {}
    head: bytes = b""
    last: bytes = b""
    ahead: list[bytes] = []
    forked: Forked | None = None
    asked: dict[str, tuple[Entry, ...]] = {}

    @property
    def tip(self) -> bytes:
        """The far end of the way that the line is on."""
        return self.ahead[-1] if self.ahead else b""

    @property
    def end(self) -> bytes:
        """The last commit ever made on the line."""
        return next(reversed(self.commits), b"")


class EntryReader(Protocol):
    """How entries are read: those after one revision, up to another."""

    def __call__(self, stream: str, after: int = -1, until: int | None = None) -> Iterable[Entry]:
        """See `EventStore.read`."""
        ...


def advance(line: Line, entry: Entry) -> None:
    """Lets an entry happen to a line. Raises `DamagedError` for one that can't follow."""
    seal = entry.seal
    if seal.state:
        digest, parent = seal.digest, seal.parent
        if parent != line.head:
            raise damaged_error(entry.stream, entry.revision, "this commit does not build on the head")
        line.commits[digest] = entry
        number = line.numbers[digest] = line.numbers[parent] + 1 if parent else 0
        line.ahead[number:] = (digest,)
        line.head = digest
    else:
        for event in entry.events:
            if isinstance(event, HeadMoved):
                _move(line, entry, event)
            elif isinstance(event, Forked):
                _fork(line, entry, event)
    if seal.request:
        line.asked[seal.id] = (*line.asked.get(seal.id, ()), entry)
    line.revision, line.last = entry.revision, seal.digest


def _move(line: Line, entry: Entry, moved: HeadMoved) -> None:
    if moved.source != line.head or moved.target not in line.commits:
        raise damaged_error(entry.stream, entry.revision, "the head can't move like this")
    if not _is_ahead(line, moved.target):
        line.ahead = way(line, moved.target)
    line.head = moved.target


def _fork(line: Line, entry: Entry, forked: Forked) -> None:
    if forked.commit not in line.commits:
        raise damaged_error(entry.stream, entry.revision, "the commit that this line was forked from is missing")
    shared = way(line, forked.commit)
    for digest in line.commits.keys() - shared:
        del line.commits[digest], line.numbers[digest]
    # What was asked of the parent's head is not asked of this one; the commits that both have were asked for once.
    line.asked = {id_: made for id_, made in line.asked.items() if made[0].digest in line.commits}
    line.ahead = shared
    line.head = forked.commit
    line.forked = forked


def way(line: Line, digest: bytes) -> list[bytes]:
    """The commits from the start to this one, both included."""
    back = []
    while digest and not _is_ahead(line, digest):
        back.append(digest)
        digest = line.commits[digest].parent
    return line.ahead[: line.numbers[digest] + 1 if digest else 0] + back[::-1]


def is_on_way(line: Line, digest: bytes, end: bytes) -> bool:
    """Whether a commit is on the way from the start to another."""
    number = line.numbers[digest]
    while line.numbers[end] > number and not _is_ahead(line, end):
        end = line.commits[end].parent
    return (line.ahead[number] if line.numbers[end] > number else end) == digest


def _is_ahead(line: Line, digest: bytes) -> bool:
    """Whether a commit is on the way from the start over the head to the tip."""
    return line.ahead[line.numbers[digest] : line.numbers[digest] + 1] == [digest]


def commit_at(line: Line, number: int) -> bytes | None:
    """The commit with that number on the way from the start over the head to the tip."""
    return line.ahead[number] if 0 <= number < len(line.ahead) else None


def step_target(line: Line, steps: int) -> bytes | None:
    """The commit so many steps on from the head towards the tip; back when negative."""
    return commit_at(line, line.numbers[line.head] + steps)


def head_after(entries: Iterable[Entry]) -> bytes:
    """Where the entries of a stream have left the head of its line; empty where it is no line."""
    head = b""
    for entry in entries:
        if entry.is_commit:
            head = entry.digest
        elif entry.rows[0][1] in (FORKED, HEAD_MOVED):
            for event in entry.events:
                match event:
                    case HeadMoved(target=commit) | Forked(commit=commit):
                        head = commit
    return head


def fork_of(line: Line, digest: bytes) -> Forked:
    """The event that begins a fork at a commit; it refers to the stream where that commit was made."""
    made = line.commits[digest]
    return Forked(line=made.stream, revision=made.revision, commit=digest)


def lineage(read: EntryReader, stream: str) -> Iterator[Entry]:
    """All entries that make a line: those of the streams it was forked from, the oldest first, then its own."""
    parts: dict[str, Iterator[Entry]] = {}
    until: int | None = None
    while True:
        entries = iter(read(stream, until=until))
        first = next(entries, None)
        parts[stream] = chain([first] if first else [], entries)
        forked = _origin(first)
        if forked is None:
            break
        if forked.line in parts:
            raise damaged_error(stream, 0, "the line was forked from itself")
        stream, until = forked.line, forked.revision
    for part in reversed(parts.values()):
        yield from part


def _origin(first: Entry | None) -> Forked | None:
    """What the first entry of a stream says of a fork."""
    if first is None or FORKED not in (topic for _, topic, _ in first.rows[:1]):
        return None
    return next((event for event in first.events if isinstance(event, Forked)), None)


def load(read: EntryReader, stream: str) -> Line:
    """The line of a stream. Raises `DamagedError`."""
    line = Line(stream)
    for entry in lineage(read, stream):
        advance(line, entry)
    return line


def family(read: EntryReader, stream: str) -> list[Line]:
    """The lines that a line was forked from, the oldest first, and itself; each stream is read once."""
    own: dict[str, list[Entry]] = {}
    while stream:
        if stream in own:
            raise damaged_error(stream, 0, "the line was forked from itself")
        own[stream] = list(read(stream))
        forked = _origin(next(iter(own[stream]), None))
        stream = forked.line if forked else ""
    found: list[Line] = []
    for each, entries in reversed(own.items()):
        line = fork_from(found[-1], each) if found else Line(each)
        for entry in entries:
            advance(line, entry)
        found.append(line)
    return found


def fork_from(parent: Line, stream: str) -> Line:
    """A line before its first entry, which forks it from another: what they share is not read again.

    Its commits are copies, as both lines go on separately; the entries in them are shared.
    """
    commits, numbers = parent.commits.copy(), parent.numbers.copy()
    return Line(stream, commits=commits, numbers=numbers, ahead=parent.ahead, asked=parent.asked)


def refresh(read: EntryReader, line: Line) -> None:
    """Reads forward what was appended to a line since."""
    for entry in read(line.stream, after=line.revision):
        advance(line, entry)
