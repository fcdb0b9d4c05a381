"""The shapes of the documents that `--json` answers with, one Struct each. What a shape has it keeps; it may only grow.

`zim schema` prints them as JSON Schema. The tests hold every answer against its shape.
"""

from __future__ import annotations

from inspect import cleandoc
from typing import Any

import msgspec

from zimcli.trouble import Trouble
from zimcore.game import Board, Overlay, Rule, Table
from zimcore.history import Balance
from zimcore.history.board import SquareDifference
from zimcore.service import Audit, GameInfo, LineInfo

VERSION = 1
"""Of all shapes together: it changes when one loses something."""


class Shape(msgspec.Struct, forbid_unknown_fields=True):
    """A document, or a part of one."""


class Where(Shape):
    """A position: the commit that it is after, who is to act, and the status in a line."""

    game: str
    line: str
    number: int
    digest: str
    state: str
    marks: list[str]
    actor: str | None
    over: bool
    status: str


class Played(Shape):
    """A commit: a command with all its facts, each as it is stored."""

    number: int
    digest: str
    parent: str
    state: str
    seat: str
    text: str
    summary: str
    by: str
    at: str
    events: list[dict[str, Any]]
    marks: list[str]


class Difference(Shape):
    """A figure of a seat that is not the same in two positions."""

    seat: str
    name: str
    a: float
    b: float


class Arrived(Shape):
    """Where a line stands now."""

    position: Where


class Done(Shape):
    """What was played, and where that leads."""

    played: list[Played]
    position: Where


class Tried(Shape):
    """What would happen."""

    tried: list[Played]
    position: Where
    changes: list[Difference]
    balance: Balance


class Listed(Shape):
    """What can be played; with `--count` only how many there are."""

    count: int
    legal: list[str] = []


class Shown(Shape):
    """A position with everything to be seen of it."""

    position: Where
    commit: Played
    values: dict[str, Any]
    tables: list[Table]


class Drawn(Shape):
    """A board with what is laid over it."""

    position: Where
    board: Board
    overlay: Overlay | None


class Logged(Shape):
    """The commits on the way to a position."""

    position: Where
    commits: list[Played]


class Facts(Shape):
    """The events on the way to a position, each with the number of its commit."""

    events: list[dict[str, Any]]


class Round(Shape):
    """A round of two lines: the numbers of their own moves in it, and what differs at its end."""

    name: str
    a: list[int]
    b: list[int]
    figures: list[Difference]
    paid: list[Difference]
    squares: list[SquareDifference]


class Compared(Shape):
    """Two positions: the last commit that they share, what only one has, and what differs."""

    a: Where
    b: Where
    parted: int | None
    only_a: list[Played]
    only_b: list[Played]
    rounds: list[Round]
    differences: list[Difference]


class Games(Shape):
    """The games of a store."""

    games: list[GameInfo]


class Lines(Shape):
    """The lines of a game."""

    lines: list[LineInfo]


class Verified(Shape):
    """What `verify` found."""

    audit: Audit


class Expected(Shape):
    """Whether something is so."""

    expect: str
    holds: bool


class Rules(Shape):
    """Rules as they can be looked up."""

    rules: list[Rule]


class Written(Shape):
    """A replay that was written."""

    position: Where
    file: str
    moves: int


class Error(Shape):
    """What went wrong; it goes to stderr."""

    error: Trouble


ANSWERS: dict[str, type[Shape]] = {
    **dict.fromkeys(("new", "undo", "redo", "goto", "fork", "switch"), Arrived),
    "do": Done,
    "try": Tried,
    "legal": Listed,
    "show": Shown,
    "board": Drawn,
    "log": Logged,
    "events": Facts,
    "compare": Compared,
    "games": Games,
    "lines": Lines,
    "verify": Verified,
    "expect": Expected,
    "rules": Rules,
    "replay": Written,
}
"""By command."""


def schema() -> dict[str, Any]:
    """All shapes as one JSON Schema; `answers` says which is whose."""
    shapes = [*dict.fromkeys(ANSWERS.values()), Error]
    references, components = msgspec.json.schema_components(shapes, ref_template="#/$defs/{name}")
    named = dict(zip(shapes, references, strict=True))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Answers of zim --json",
        "version": VERSION,
        "answers": {command: named[shape] for command, shape in ANSWERS.items()},
        "error": named[Error],
        "$defs": {name: _told(shape) for name, shape in components.items()},
    }


def _told(shape: dict[str, Any]) -> dict[str, Any]:
    """A shape whose description is indented alike in every version of Python."""
    return shape | {"description": cleandoc(shape["description"])} if "description" in shape else shape
