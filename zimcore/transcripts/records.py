"""The record of a game in a log: its set-up, the moves on the line of its head, and those that were taken back.

A record is a tree where its log has `undo`, `redo`, `goto`, `fork` or `switch`, or where the numbers of its moves fall.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

import msgspec

from zimcore.game import Command, Event

CONTROL = re.compile(
    r"(?P<undo>undo|take back)(?: (?P<steps>\d{1,5}))?|(?P<redo>redo)(?: (?P<again>\d{1,5}))?"
    r"|(?P<goto>goto) @?(?:(?P<move>\d{1,5})|end|start)|(?P<fork>fork)(?: @(?P<at>\d{1,5}))? (?P<name>[\w-]+)"
    r"|switch (?P<line>[\w-]+)",
    re.IGNORECASE,
)
"""What moves the head: commands of a script, and what people say who have none."""
Setup: TypeAlias = Command | Mapping[str, str] | tuple[Event, ...]
"""A set-up: its command, its options or, where a part of it is hidden, the events that it has led to."""
ROOT = -1
"""The index of the position after the set-up."""
TO_THE_END = 100_000
"""More moves than a log has."""
MAX_REPEATED_SHARE = 0.25
"""In a table without digests up to this share of the numbers may repeat or fall; otherwise they count turns."""


class LogLine(msgspec.Struct, frozen=True):
    """A move in a log: a line, or one of several moves on a line.

    `number` is the line number in the file, from 1. `seat` is the player in a column of its own, "" for none. `amounts`
    are the results that the line states: `+2 vp`. With `is_expectation` the text is not a move but an
    expression that must be true there.
    """

    number: int
    text: str
    seat: str = ""
    amounts: tuple[str, ...] = ()
    is_expectation: bool = False


class Branch(NamedTuple):
    """Moves that were taken back: they were played after the first `after` lines of the line of the head."""

    after: int
    lines: tuple[LogLine, ...]


class Transcript(msgspec.Struct, frozen=True):
    """A parsed log: its set-up (None if missing), and its moves up to the head.

    `skipped` are the numbers of lines without a move, `preface` those before the set-up, which are skipped, too.
    `branches` are the moves that were taken back. `first_line` is the number of the line of the set-up, 0 for none.
    """

    kind: str
    setup: Setup | None
    lines: tuple[LogLine, ...]
    skipped: tuple[int, ...] = ()
    preface: tuple[int, ...] = ()
    branches: tuple[Branch, ...] = ()
    first_line: int = 0


class Control(NamedTuple):
    """A line that moves the head.

    `undo` and `redo` go `amount` moves, `goto` goes to the position after so many moves, `fork` and `switch` go to the
    line `name`.
    """

    verb: str
    amount: int = 1
    name: str = ""


class Row(NamedTuple):
    """The moves of a row that has a number, and perhaps digests of its commit and of the one before.

    With `is_undone` it says itself that it is not on the line of the head.
    """

    lines: tuple[LogLine, ...]
    number: int = 0
    digest: str = ""
    parent: str = ""
    is_undone: bool = False


def control_of(text: str) -> Control | None:
    """The control that a line is; None for another line.

    >>> control_of("Undo 2"), control_of("goto @3")
    (Control(verb='undo', amount=2, name=''), Control(verb='goto', amount=3, name=''))
    >>> control_of("undone"), control_of("fork @1 b")
    (None, Control(verb='fork', amount=1, name='b'))
    """
    found = CONTROL.fullmatch(" ".join(text.rstrip(".! ").split()))
    if not found:
        return None
    if found["undo"]:
        return Control("undo", int(found["steps"] or 1))
    if found["redo"]:
        return Control("redo", int(found["again"] or 1))
    if found["goto"]:
        return Control("goto", int(found["move"] or (TO_THE_END if found[0].lower().endswith("end") else 0)))
    if found["fork"]:
        return Control("fork", int(found["at"] or TO_THE_END), found["name"].lower())
    return Control("switch", name=found["line"].lower())


class Tree:
    """The moves of a log as they are read, and its head."""

    def __init__(self) -> None:
        self.lines = list[LogLine]()
        self.head = ROOT
        self._parents = list[int]()
        self._undone = list[int]()
        self._line_name, self._heads = "main", dict[str, int]()

    def path(self, index: int) -> list[int]:
        """The indexes of the lines up to one of them, the first one first."""
        path = list[int]()
        while index != ROOT:
            path.append(index)
            index = self._parents[index]
        return path[::-1]

    def add(self, line: LogLine) -> None:
        """Plays a move after the head."""
        self.lines.append(line)
        self._parents.append(self.head)
        self.head, self._undone = len(self.lines) - 1, []

    def move_head(self, control: Control) -> None:
        """Moves the head."""
        if control.verb == "undo":
            self._undo(control.amount)
        elif control.verb == "redo":
            self._redo(control.amount)
        elif control.verb == "goto":
            self._go_to(control.amount)
        else:
            self._heads[self._line_name] = self.head
            self._line_name = control.name
            if control.verb == "switch":
                self.head = self._heads.get(control.name, self.head)
            elif control.amount != TO_THE_END:
                self._go_to(control.amount)
            self._undone = []

    def _undo(self, steps: int) -> None:
        while steps > 0 and self.head != ROOT:
            self._undone.append(self.head)
            steps -= not self.lines[self.head].is_expectation
            self.head = self._parents[self.head]

    def _redo(self, steps: int) -> None:
        while steps > 0 and self._undone:
            self.head = self._undone.pop()
            steps -= not self.lines[self.head].is_expectation

    def _go_to(self, move: int) -> None:
        move_count = sum(not self.lines[index].is_expectation for index in self.path(self.head))
        self._undo(move_count - move)
        self._redo(move - move_count)

    def transcript(
        self,
        kind: str,
        setup: Setup | None,
        skipped: Sequence[int] = (),
        preface: Sequence[int] = (),
        first_line: int = 0,
    ) -> Transcript:
        """The record of these moves up to the head."""
        lines = tuple(self.lines[index] for index in self.path(self.head))
        return Transcript(kind, setup, lines, tuple(skipped), tuple(preface), tuple(self._branches()), first_line)

    def _branches(self) -> Iterator[Branch]:
        """What was taken back: a branch for each of its ends."""
        kept, inner = {*self.path(self.head)}, {*self._parents}
        for end in range(len(self.lines)):
            if end not in kept and end not in inner:
                path = self.path(end)
                after = sum(index in kept for index in path)
                yield Branch(after, tuple(self.lines[index] for index in path[after:]))


def play_rows(rows: Iterable[Row | Control], root_digest: str = "", head_digests: Collection[str] = ()) -> Tree:
    """Plays rows where they say: after the commit of their `parent`, or after the last move with the number before.

    The head goes to the commit of which a digest is given, otherwise to the last move that is not undone.
    """
    rows, tree = [*rows], Tree()
    is_numbered = _numbers_moves([row for row in rows if isinstance(row, Row)])
    after_digest, after_number, last_number, head = {root_digest: ROOT}, {0: ROOT}, 0, ROOT
    for row in rows:
        if isinstance(row, Control):
            tree.move_head(row)
        else:
            if row.parent and row.parent in after_digest:
                tree.head = after_digest[row.parent]
            elif is_numbered and row.number <= last_number:
                tree.head = after_number.get(row.number - 1, tree.head)
            for line in row.lines:
                tree.add(line)
            last_number = row.number
            after_number[row.number] = after_digest[row.digest] = tree.head
        head = head if isinstance(row, Row) and row.is_undone else tree.head
    tree.head = next((after_digest[digest] for digest in head_digests if digest in after_digest), head)
    return tree


def _numbers_moves(rows: Sequence[Row]) -> bool:
    """Whether the numbers of rows count moves from 1, and fall only where moves were taken back."""
    numbers = [row.number for row in rows]
    steps = [number - previous for previous, number in zip([0, *numbers], numbers, strict=False)]
    falls = sum(step < 1 for step in steps)
    if any(row.parent or row.is_undone for row in rows):
        return True
    return all(step <= 1 for step in steps) and falls <= MAX_REPEATED_SHARE * len(rows)
