"""The shapes of the documents that `--json` answers with, one Struct each. What a shape has it keeps; it may only grow.

`zim schema` prints them as JSON Schema. The tests hold every answer against its shape.
"""

from __future__ import annotations

from inspect import cleandoc
from typing import Any

import msgspec

from zimcli.trouble import Trouble
from zimcore.documents.differences import SquareDifference
from zimcore.game import Board, Overlay, Refusal, Rule, Table
from zimcore.history import Balance, Chapter
from zimcore.service import Audit, GameInfo, LineInfo, Operation
from zimcore.service.certificates import Signature

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
    """A board with what is laid over it; a picture of a game that has no board has none."""

    position: Where
    board: Board | None
    overlay: Overlay | None


class Logged(Shape):
    """The commits on the way to a position; with `--ops` what moved instead."""

    position: Where
    commits: list[Played] = []
    operations: list[Operation] = []


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
    """What `verify` found: of a line, of all lines with `--all`, of a file its signatures and the forged among them."""

    audit: Audit | None = None
    audits: list[Audit] = []
    signatures: list[Signature] = []
    forged: list[Signature] = []


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


class NoLonger(Shape):
    """A commit whose command does not stand any more, and why."""

    commit: Played
    refusals: list[Refusal]


class Rewritten(Shape):
    """What was played again: whether it is kept, and what no longer stands."""

    stored: bool
    played: list[Played]
    conflicts: list[NoLonger]
    position: Where


class Turned(Shape):
    """A commit after which something is so, or not any more: the figures before and after it."""

    number: int
    digest: str
    seat: str
    text: str
    holds: bool
    before: dict[str, Any]
    after: dict[str, Any]


class Bisected(Shape):
    """Whether an expression holds at the start and at the end, and where that changed: first to true, and all times."""

    bisect: str
    at_start: bool
    at_end: bool
    first: Turned | None
    turns: list[Turned]
    position: Where


class Posted(Shape):
    """An event that changed something: as it is stored, as it is told, and the value before and after it."""

    number: int
    digest: str
    seat: str
    event: dict[str, Any]
    told: str
    before: Any
    after: Any
    change: int | None


class Reasoned(Shape):
    """Why something is so: its value, and the events that made it so, the newest first."""

    why: str
    value: Any
    postings: list[Posted]
    position: Where


class Planned(Shape):
    """What the game says of plans."""

    position: Where
    plan: list[Table]


class Previewed(Shape):
    """What the game says would come."""

    position: Where
    preview: list[Table]


class Reached(Shape):
    """What the game says is in reach."""

    position: Where
    reach: list[Table]


class Counted(Shape):
    """The statistics of a game."""

    position: Where
    stats: list[Table]


class Broken(Shape):
    """A rule that a command breaks, with the reason here."""

    code: str
    reason: str
    text: str
    section: str


class Explained(Shape):
    """A legal command with what it comes to, or one that is not with the rules that it breaks."""

    position: Where
    explain: str
    legal: bool | None
    summary: str = ""
    facts: list[str] = []
    preview: list[Table] = []
    broken: list[Broken] = []
    hints: list[str] = []


class Story(Shape):
    """A game round by round."""

    position: Where
    story: list[Chapter]


class Exported(Shape):
    """A certificate that was written; with `--jsonl` the file itself is the answer."""

    certificate: dict[str, Any]
    file: str


class Imported(Shape):
    """How many entries there are, or where the line of a certificate stands."""

    entries: int | None = None
    position: Where | None = None


class Signed(Shape):
    """All signatures under a certificate."""

    signatures: list[Signature]


class Key(Shape):
    """Who signs, the public half of the key (64 hex digits), and the file that has both."""

    by: str
    key: str
    file: str


class Store(Shape):
    """The store that was made ready."""

    store: str


class Settings(Shape):
    """The settings of the prompt, the file that they are read from, and whether it is there."""

    file: str
    there: bool
    settings: dict[str, Any]


class Completing(Shape):
    """The script that makes a shell complete zim's words."""

    shell: str
    script: str


class Helped(Shape):
    """The help of a command; the cards and rules about something; or all commands by group, and the topics."""

    help: str | None = None
    about: str | None = None
    cards: list[Table] = []
    rules: list[Rule] = []
    commands: dict[str, dict[str, str]] = {}
    topics: list[str] = []


class Error(Shape):
    """What went wrong; it goes to stderr."""

    error: Trouble


ANSWERS: dict[str, type[Shape]] = {
    **dict.fromkeys(("new", "undo", "redo", "goto", "fork", "switch", "rename", "forget"), Arrived),
    **dict.fromkeys(("amend", "pick"), Rewritten),
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
    "bisect": Bisected,
    "why": Reasoned,
    "plan": Planned,
    "preview": Previewed,
    "reach": Reached,
    "stats": Counted,
    "explain": Explained,
    "story": Story,
    "export": Exported,
    "import": Imported,
    "sign": Signed,
    "key": Key,
    "db": Store,
    "config": Settings,
    "completion": Completing,
    "help": Helped,
}
"""By command. The others answer with the documents of the commands that they run, and `schema` with these shapes."""


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
