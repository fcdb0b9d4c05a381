"""The contract of a game: the protocols that a game implements, and the types that all games share.

A game is a pure decider: `decide(state, seat, command)` returns the events, `evolve(state, event)` applies one. These
two are enough to play. Display, questions, secrets and so on are separate parts, each loaded when first needed. For
parts that a game does not bring, `zimcore.toolkit` has defaults made from the fields of its commands, events and state.

In other words: command handler, fold.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from importlib import import_module
from random import Random
from types import ModuleType
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

import msgspec

Seat: TypeAlias = str
"""A seat at the table: `kilwa`. Not the person (`by`): one person may play several seats."""
PROGRAM_AUTHOR_PREFIX = "bot "
"""How the author of a program's moves begins in a log; its level follows."""


class _GameModule(ModuleType):
    """The module of the contract; called, it is the library's word for a match in memory."""

    def __call__(self, kind: str, **options: object) -> Any:
        """A match in memory: `zim.game("zimbabwe", players=2)` is `zim.Match("zimbabwe", players=2)`."""
        return import_module("zimcore.library").Match(kind, **options)


sys.modules[__name__].__class__ = _GameModule


class Command(msgspec.Struct, frozen=True, tag_field="do", omit_defaults=True):
    """What a player wants to do, in the imperative. Its tag has a version, as it is stored: `give.1`."""


class Deal(Command, frozen=True):
    """A command without a seat: it sets up a match, or deals hidden cards again. Only the service issues one."""


class Event(msgspec.Struct, frozen=True, tag_field="event", omit_defaults=True):
    """What happened, in the past tense, without ids and times. Its tag has a version: `gift_given.1`."""


class Played(Event, frozen=True):
    """The first event of every commit: the seat and its command. Each game narrows the type of `command`."""

    seat: Seat
    command: Any


class Hidden(str):
    """A reason for a rule that may be broken or not, as it depends on information hidden from the viewer."""

    __slots__ = ()


class Refusal(msgspec.Struct, frozen=True, omit_defaults=True):
    """One rule that a command breaks.

    `code` is the rule's name (`R-CRA-05`), `reason` one sentence with the figures involved. `hidden`: it is not known
    whether the rule is broken, as it depends on information hidden from the viewer.
    """

    code: str
    reason: str
    hidden: bool = False


class Refused(msgspec.Struct, frozen=True):
    """The answer to a command that the rules forbid: all rules that it breaks, and hints with what to type next."""

    refusals: tuple[Refusal, ...]
    hints: tuple[str, ...] = ()

    @property
    def all_hidden(self) -> bool:
        """Whether the command may be legal after all: every refusal depends on hidden information."""
        return all(refusal.hidden for refusal in self.refusals)


class Reading(msgspec.Struct, frozen=True):
    """A passage of the rulebook that can be read in two ways: its words, and the reading (`other`) not used by default.

    `options` of a new match choose the other reading: `xango=absolute`; `usual` choose the default one. If there is no
    such option, `no_option` says why, as part of a sentence.
    """

    words: str
    other: str
    options: tuple[str, ...] = ()
    usual: tuple[str, ...] = ()
    no_option: str = ""


class Overruled(msgspec.Struct, frozen=True):
    """A clause of a rule's text that an option overrules (`xango=absolute`), and the words that hold instead."""

    option: str
    clause: str
    words: str


class Rule(msgspec.Struct, frozen=True):
    """A rule for look-up: its code, one sentence, its section of the rulebook, and the verbs that it guards.

    `source` is `rulebook`, or `reading` for an interpretation of what the rulebook leaves open; a game may have further
    sources. `reading` has the disputed words, which `words` quote with ` ... ` for omissions, and the other
    interpretation. `overruled` are the clauses that options overrule. For a match, `house` has its options among
    them, and `text` goes on with what they say (`zimcore.rule_texts`).
    """

    code: str
    text: str
    section: str
    guards: tuple[str, ...] = ()
    source: str = "rulebook"
    reading: Reading | None = None
    words: str = ""
    house: tuple[str, ...] = ()
    overruled: tuple[Overruled, ...] = ()


class Word(msgspec.Struct, frozen=True):
    """A word that beginners ask about: other words for it, what it means, and the codes of the rules that say so."""

    name: str
    also: tuple[str, ...]
    text: str
    rules: tuple[str, ...]


class PrimerSection(msgspec.Struct, frozen=True):
    """A section of a primer: paragraphs, a question, the command that answers it, and words of what it prints.

    `reason` is the answer in a sentence. `shown` is a position of the game's demo that a picture shows, by its number;
    None for no picture.
    """

    title: str
    text: str
    question: str
    command: str
    answer: str
    reason: str
    shown: int | None = None


class Task(msgspec.Struct, frozen=True):
    """A task of a lesson: what `seat` is to reach in a position of the game's demo, after `move` moves.

    `goal` is an expression that is true once the task is solved; the moves of `solution` are one way there. After the
    seat's moves others play their `replies`, as far as they are legal.
    """

    lesson: str
    text: str
    move: int
    seat: Seat
    goal: str
    solution: tuple[str, ...]
    replies: tuple[str, ...] = ()


class Example(msgspec.Struct, frozen=True):
    """A position in which a rule matters, and a command to try there.

    `script` begins a match and plays to the position. `move` is the position's number if the script is the game's demo.
    `look` says in a sentence what to look at.
    """

    code: str
    script: str
    line: str
    look: str
    move: int | None = None


class Accepted(msgspec.Struct, frozen=True):
    """The answer to a legal command: its events in order, without `Played`, and the state after them."""

    events: tuple[Event, ...]
    state: Any


class Outcome(msgspec.Struct, frozen=True):
    """The standings of a match, or its result.

    `ranking` has the seats from first to last, tied seats together. `scores` has the points of each seat, None where
    they are hidden.
    """

    over: bool
    ranking: tuple[tuple[Seat, ...], ...] = ()
    scores: Mapping[Seat, int | None] = {}

    @property
    def winners(self) -> tuple[Seat, ...]:
        """The winning seats: () before the end, several if they share the first place."""
        return self.ranking[0] if self.over and self.ranking else ()

    @property
    def winner(self) -> Seat | None:
        """The only winner, if there is one."""
        return self.winners[0] if len(self.winners) == 1 else None

    def victory(self, seat: Seat) -> float:
        """A seat's share of the victory, from 0 to 1: winners share it equally; 0 before the end."""
        return (seat in self.winners) / max(len(self.winners), 1)


class GameError(ValueError):
    """A request can't be fulfilled: `what` is wrong, `why`, and `hints` with what to type next."""

    def __init__(self, what: str, why: str = "", hints: Sequence[str] = ()) -> None:
        super().__init__(what, why, tuple(hints))
        self.what = what
        self.why = why
        self.hints = tuple(hints)

    def __str__(self) -> str:
        return f"{self.what}: {self.why}" if self.why else self.what


class NotationError(GameError):
    """A text that is not a command of the game. With `in_place` each hint can replace `what` in the text."""

    def __init__(self, what: str, why: str = "", hints: Sequence[str] = (), *, in_place: bool = False) -> None:
        super().__init__(what, why, hints)
        self.in_place = in_place


class AmbiguousError(NotationError):
    """A text that could be more than one command; the hints list them."""


class OptionError(GameError):
    """Options that are not valid for a new game."""


class RefusedError(GameError):
    """Raised for a command that the rules forbid; `refused` has all rules that it breaks."""

    def __init__(self, what: str, refusal_answer: Refused) -> None:
        reasons = (f"{each.code} {each.reason}".strip() for each in refusal_answer.refusals)
        super().__init__(what, "; ".join(reasons), refusal_answer.hints)
        self.refused = refusal_answer


class HiddenError(GameError):
    """The answer depends on information hidden from the viewer."""


class UnknownError(GameError):
    """A game, line or position that does not exist, or a name that is taken. The hints list what exists."""


class Cell(msgspec.Struct, frozen=True):
    """One square of a board for display.

    `text` is at most 3 ASCII characters. `role` says what is there: a role of `GROUND`, `void` for no part of the
    board, or a piece: `piece`, or the game's own word for it (`tower`). On a map it is `place`, `path`, `arrow`,
    `border` or `symbol`. `kind` says which one (`clay`, `potter`; the colours of a symbol: `gray orange`), `owner` is
    its seat. `marks` are the level of an owned piece, and say how often one without an owner was used. If a piece
    covers several squares, `piece` is the first of them. The owner's letter is shown before the text of a `square` and
    a `piece`.
    """

    square: str
    text: str
    role: str
    kind: str = ""
    owner: Seat = ""
    marks: int = 0
    piece: str = ""


GROUND = ("square", "land", "water", "start")
"""The roles of squares without a piece; the last three have a look of their own."""
NO_PIECE = (*GROUND, "void", "place", "path", "arrow", "border", "symbol")
"""The roles of cells that are not pieces."""


class Arrow(msgspec.Struct, frozen=True):
    """An arrow from one square to another: an expedition, or a good that was delivered to a monument.

    `text` is at most 3 characters that name it; `seat` is its owner, if it has one.
    """

    start: str
    end: str
    text: str = ""
    seat: Seat = ""


class Transfer(msgspec.Struct, frozen=True, omit_defaults=True):
    """An amount that passed from one seat to another; "" stands for the bank, the supply or a pool that no seat owns.

    `amount` is None where it is hidden, `what` names its unit: `cattle`. `arrow` shows the payment on the board, if it
    has places there.
    """

    source: Seat
    target: Seat
    amount: int | None
    what: str
    arrow: Arrow | None = None


class Board(msgspec.Struct, frozen=True):
    """The board as rows of cells, with the names of its columns and rows, and a legend of (text, meaning).

    `paths` are polylines over cells, each by the (column, row) of its ends and bends, and `arrows` lead from one square
    to another. They are for pictures: text output uses the cells with the roles `path` and `arrow` instead.
    """

    columns: tuple[str, ...]
    rows: tuple[str, ...]
    cells: tuple[tuple[Cell, ...], ...]
    legend: tuple[tuple[str, str], ...] = ()
    paths: tuple[tuple[tuple[int, int], ...], ...] = ()
    arrows: tuple[Arrow, ...] = ()


class Overlay(msgspec.Struct, frozen=True):
    """An overlay of a board: its title, and the squares that it marks.

    Each square has a text of at most 3 characters that replaces its own; "" keeps its own text.
    """

    title: str
    squares: dict[str, str]


class Table(msgspec.Struct, frozen=True):
    """A table: its title, the heads of its columns, rows of texts; `seats`, if given, are the owners of the rows.

    `numbers` are the heads of numeric columns: each text is a whole number, or a sign for none or hidden.
    """

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    seats: tuple[Seat, ...] = ()
    numbers: tuple[str, ...] = ()

    def __str__(self) -> str:
        """The table as lines of text.

        >>> print(Table("Standings", ("player", "score"), (("ann", "3"),)))
        Standings
        player  score
        ann     3
        """
        rows = (self.heads, *self.rows)
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)) for row in rows)
        return "\n".join([self.title, *map(str.rstrip, lines)])

    def frame(self) -> Any:
        """The table as columns, a `zim.Frame`: numbers where it has them, None for a text that means nothing."""
        return import_module("zimcore.documents.tables").table_frame(self)

    def _repr_html_(self) -> str:
        """The table for a notebook."""
        from html import escape  # slow, and only a notebook asks

        heads = "".join(f"<th>{escape(head)}</th>" for head in self.heads)
        rows = ("".join(f"<td>{escape(text)}</td>" for text in row) for row in self.rows)
        body = "".join(f"<tr>{row}</tr>" for row in (heads, *rows))
        return f"<table><caption>{escape(self.title)}</caption>{body}</table>"


class Step(msgspec.Struct, frozen=True):
    """A part of a turn: its name, its status in a few words, and whether it is done or no longer possible.

    `Step("god", "not yet", done=False)`, `Step("specialist", "herd used", done=True)`.
    """

    name: str
    text: str
    done: bool


class Advice(msgspec.Struct, frozen=True):
    """A legal command worth considering, in notation, and its effects in a few words each, most important first."""

    text: str
    brings: tuple[str, ...] = ()


class RecordedMove(msgspec.Struct, frozen=True):
    """A command of a recorded match: the number of its entry there (from 0), and its time, if that is known."""

    entry: int
    seat: Seat
    command: Any
    at: datetime | None = None


Departing: TypeAlias = Literal["left", "resigned", "replaced", "kicked_out"]
"""How a player leaves a match for good."""


class RecordedLeaver(msgspec.Struct, frozen=True):
    """A player of a recorded match has left: before which entry, when, and how; the seat that has won by it, if any."""

    entry: int
    seat: Seat
    at: datetime | None
    how: Departing
    winner: Seat = ""


class RecordedRemark(msgspec.Struct, frozen=True):
    """A message of a recorded match: its author as named there, its time if known, and its text."""

    author: str
    at: datetime | None
    text: str


class Misstatement(msgspec.Struct, frozen=True):
    """What a recorded match states wrongly in an entry: the figure (`VP of kilwa`), its value there, the true one."""

    entry: int
    what: str
    stated: str
    true: str


class StoppedAt(msgspec.Struct, frozen=True):
    """Where reading a recorded match stopped: the entry, its command in notation ("" if it can't be read), and why.

    `refusals` are the rules that it breaks. `sheet` names the house rules by which it goes on, if any.
    """

    entry: int
    text: str
    seat: Seat
    refusals: tuple[Refusal, ...]
    sheet: str = ""


class Deviation(msgspec.Struct, frozen=True):
    """Where a program played otherwise than the rules: the entry that shows it, the option to play so, what it says.

    The option is "" if the game has none for it.
    """

    entry: int
    option: str
    text: str


class Recording(msgspec.Struct, frozen=True, kw_only=True):
    """A match that another program has recorded, as read and played: its set-up, its moves, and what it says of itself.

    `site` has its program, `name` its name there. Position `mark/57` is the one that the program shows at `address` +
    `57`: after entry 56 of its `entries`.
    `state` is the position after all moves. `players` are the names of the players by seat. `deviations` are the
    rules of the program that the match needs: those among its options, and the one at which reading stopped.
    """

    site: str
    mark: str
    name: str
    address: str
    setup: Command
    first_state: Any
    moves: tuple[RecordedMove, ...]
    entries: int
    state: Any
    players: Mapping[Seat, str] = {}
    remarks: tuple[RecordedRemark, ...] = ()
    leavers: tuple[RecordedLeaver, ...] = ()
    wrong: tuple[Misstatement, ...] = ()
    stopped_at: StoppedAt | None = None
    deviations: tuple[Deviation, ...] = ()


class Consequence(msgspec.Struct, frozen=True):
    """What a command changes at a square of the board, for a drawing.

    `kind`: the seat `gains` it, `serves` it (a customer), `shares` it with a rival, or `loses` it (it gets out of use).
    `start` is the square from which it is reached; `text` is at most 3 characters: the hubs on the way.
    """

    kind: str
    square: str
    start: str = ""
    text: str = ""


class Legal(Protocol):
    """The legal commands of a seat, as a lazy view: a command is made only when it is read.

    Ask whether a command is `in` it, or its text, as it is written in the log.
    """

    def __iter__(self) -> Iterator[Any]: ...
    def __contains__(self, command: object) -> bool: ...
    def __bool__(self) -> bool: ...
    def count(self) -> int:
        """The number of legal commands."""
        ...

    def texts(self, beginning: str = "") -> Iterable[str]:
        """The commands in notation, whose words begin with these: `cra pot d`."""
        ...

    def sample(self, rng: Random) -> Any | None:
        """A random legal command, drawn without listing all if possible; None if nothing is legal.

        Every command can be drawn, but not all with the same probability. The same state of `rng` draws the same one.
        """
        ...


Upcaster: TypeAlias = Callable[[dict[str, Any]], tuple[str, dict[str, Any]]]
"""Takes the fields of an event stored under an old tag, returns the next tag and its fields."""


class Evolution(Protocol):
    """The state of a game, and how events change it: all that a replay needs. It does not check rules."""

    @property
    def EVENTS(self) -> Sequence[type[Event]]:  # noqa: N802 - a constant of the module
        """The current types of all its events, its own `Played` first."""
        ...

    @property
    def UPCASTERS(self) -> Mapping[str, Upcaster]:  # noqa: N802
        """The upcasters by old tag. They are never removed, since stored events never change."""
        ...

    @property
    def MARKS(self) -> Mapping[type[Event], Callable[[Any, Any], str | None]]:  # noqa: N802
        """For events that begin a part of the match, a function that names the position after their commit: `r4`.

        It is called with the event and the state after the commit, and may return None.
        """
        ...

    def initial(self) -> Any:
        """The state before anything happened."""
        ...

    def evolve(self, state: Any, event: Event) -> None:
        """Applies an event to a state, in place. `Played` changes nothing: only the events after it do."""
        ...

    def copy(self, state: Any) -> Any:
        """An independent copy of the state."""
        ...

    def canonical(self, state: Any) -> bytes:
        """The state as bytes: equal for equal positions, on any machine."""
        ...

    def seats(self, state: Any) -> tuple[Seat, ...]:
        """All players, in the order of the seats."""
        ...

    def to_move(self, state: Any) -> tuple[Seat, ...]:
        """The seats that may act now, in seat order: () before set-up and after the end."""
        ...

    def outcome(self, state: Any) -> Outcome:
        """Whether the match is over, the ranking, and the points of all seats."""
        ...


class Rules(Protocol):
    """The rules: which commands are legal, and which events follow. Pure functions: they never change a given state."""

    @property
    def OPTIONS(self) -> Mapping[str, str]:  # noqa: N802
        """The options of a new match, each with a sentence of help. `seed`, which every game has, is not listed."""
        ...

    def set_up(self, options: Mapping[str, str], seed: int) -> Command:
        """The command that sets a match up. Raises `OptionError`."""
        ...

    def decide(self, state: Any, seat: Seat, command: Any) -> Accepted | Refused:
        """The events of a command and the state after them, or all rules that it breaks.

        The events are without `Played`: the service adds it when it stores them. Raises `HiddenError` on a concealed
        state, if the answer needs hidden information.
        """
        ...

    def apply(self, state: Any, seat: Seat, command: Any) -> Accepted:
        """Like `decide`, for a command that is known to be legal: no rule is checked. For programs that look ahead."""
        ...

    def legal(self, state: Any, seat: Seat) -> Legal:
        """The legal commands of a seat; none for a seat that is not to move."""
        ...

    def flip_house_rule(self, events: Sequence[Event], option: str) -> Sequence[Event]:
        """The events of a set-up, `Played` first, with one option changed to the other reading of a rule.

        The readings in `Texts.rules` name these options. Later commands can be decided again after these events.
        """
        ...

    def are_independent(self, state: Any, one: Played, other: Played) -> bool:
        """Whether two commands of different seats that are both legal here lead to the same state in either order.

        Then they do not conflict: if both are sent at once, the second is decided again after the first, and stored.
        """
        ...


class Notation(Protocol):
    """Commands and events as text."""

    @property
    def SYNTAX(self) -> Mapping[str, str]:  # noqa: N802
        """The syntax of each command by its first word: examples separated by ` · `, or placeholders in capitals."""
        ...

    def verbs(self, state: Any) -> Sequence[str]:
        """The first words of the commands of this part of the match, in a fixed order, legal now or not."""
        ...

    def parse(self, text: str, state: Any) -> tuple[Seat | None, Any]:
        """The seat in the text (`zulu: bid 3`), None without one, and the command. Raises `NotationError`."""
        ...

    def continues(self, command: str, part: str) -> bool:
        """Whether a part after `;` still belongs to the command before it, as the next monument of a raise does.

        If not, it is a command of its own: `build d7; end`.
        """
        ...

    def format(self, command: Any) -> str:
        """The command in canonical notation."""
        ...

    def describe(self, event: Event) -> str:
        """The event in a few words: `kilwa pays 2 to zulu/potter (potter)`."""
        ...

    def summary(self, events: Sequence[Event]) -> str:
        """The result of a commit's events, in one short line for a log: `-4 cattle, +2 VP`."""
        ...

    def describe_turn(self, events: Sequence[Event]) -> str:
        """A sentence about consecutive commits of one seat, from all their events."""
        ...


class Display(Protocol):
    """A position for display, in separate parts: a status is made without drawing the board."""

    @property
    def MONEY(self) -> Sequence[str]:  # noqa: N802
        """The names of the figures of a seat that are money, in hand or set aside: `cattle`, `on_cards`."""
        ...

    @property
    def HOLDINGS(self) -> Mapping[str, str]:  # noqa: N802
        """The figures of a seat that name cards it holds, and the word for such a card: `{"gods": "god"}`."""
        ...

    @property
    def HAND(self) -> str:  # noqa: N802
        """The figure of a seat that lists the cards in its hand, as words of its commands; "" if there are no hands."""
        ...

    @property
    def GOAL(self) -> str:  # noqa: N802
        """The figure that says how many points a seat needs to win; "" if there is none."""
        ...

    @property
    def OVERLAYS(self) -> Mapping[str, str]:  # noqa: N802
        """The overlays of the board, each with its arguments and a sentence of help: `{"reach": "SQUARE: ..."}`."""
        ...

    @property
    def HEADINGS(self) -> Mapping[str, str]:  # noqa: N802
        """Explanations of heads of tables, where needed: `{"VR": "victory requirement: ..."}`."""
        ...

    @property
    def RANKING(self) -> str:  # noqa: N802
        """The code of the rule by which the players are ranked in the end; "" for none."""
        ...

    @property
    def SERIES(self) -> Sequence[str]:  # noqa: N802
        """The names of the figures of a seat to show in a graph over the match: `vp`, `vr`, `cattle`."""
        ...

    def status(self, state: Any) -> str:
        """One line: the round, the seat to move and what it has to do. Works for every state, also within a commit."""
        ...

    def toolbar(self, state: Any) -> str:
        """A few words about each player, for the bottom of the screen."""
        ...

    def turn(self, state: Any) -> Sequence[Step]:
        """What the current turn has done, and what is still open; empty if no seat is to move."""
        ...

    def colours(self, state: Any) -> Mapping[Seat, str]:
        """The colour of each seat."""
        ...

    def names(self, state: Any) -> Mapping[Seat, str]:
        """The names of the players, by seat, as far as they were given."""
        ...

    def common(self, state: Any) -> Mapping[str, Any]:
        """The figures that belong to no seat: `{"round": 4}`. Must be fast: they are read after every event."""
        ...

    def figures(self, state: Any, seat: Seat) -> Mapping[str, Any]:
        """The figures of a seat by name, possibly nested: `{"vp": 3, "potter": {"price": 2}}`.

        The first is the one that decides the game.
        """
        ...

    def tables(self, state: Any) -> Sequence[Table]:
        """The tables that are shown next to the board; the first has the standings."""
        ...

    def board(self, state: Any) -> Board | None:
        """The board; None for a game without one."""
        ...

    def overlay(self, state: Any, name: str, words: Sequence[str]) -> Overlay:
        """An overlay for these arguments. Raises `NotationError`."""
        ...

    def arrows(self, events: Sequence[Event]) -> Sequence[Arrow]:
        """The arrows for what moved on the board in a commit, from its events with `Played`."""
        ...

    def transfers(self, events: Sequence[Event]) -> Sequence[Transfer]:
        """Who paid whom in a commit, from its events with `Played`, which may be redacted.

        What stays with a seat, such as cattle that it puts on its own cards, is no transfer.
        """
        ...


class Questions(Protocol):
    """Questions about a position or a match, and advice."""

    @property
    def QUESTIONS(self) -> Mapping[str, str]:  # noqa: N802
        """The questions, each with its arguments and a sentence of help: `plan`, `reach`, `preview`, `cards`."""
        ...

    def ask(self, state: Any, question: str, words: Sequence[str]) -> Sequence[Table]:
        """The answer to a question with these arguments. Raises `NotationError`."""
        ...

    def advice(self, state: Any, seat: Seat, beginning: str = "") -> Sequence[Advice]:
        """Legal commands worth considering, whose words begin with these, best first.

        Empty for a seat that is not to move, and if too much of the position is hidden.
        """
        ...

    def describe_effects(self, state: Any, seat: Seat, command: Any) -> tuple[str, ...]:
        """The effects of a legal command for its seat, in a few words each, costs first, as in `Advice.brings`.

        Empty for the obvious, such as the end of a turn.
        """
        ...

    def consequences(self, state: Any, seat: Seat, command: Any) -> Sequence[Consequence]:
        """What a legal command claims on the board, whom it serves, and what it shares or loses."""
        ...

    def waste(self, state: Any, seat: Seat, command: Any) -> str:
        """What a legal command wastes, in a few words: a main action that `end` leaves unused; "" for nothing."""
        ...

    def hindsight(self, events: Sequence[Event], seat: Seat) -> Mapping[str, str]:
        """What commands would have brought a seat by now, if played before the first of these events.

        A few words for each beginning of a command: `{"adore engai": "would have brought 9 cattle so far"}`.
        """
        ...

    def statistics(self, events: Sequence[Event]) -> Sequence[Table]:
        """Statistics over the events of a match from its beginning: what each seat earned, spent and scored."""
        ...


class Secrets(Protocol):
    """Hidden information: what each seat may know. The seat "" is a spectator.

    With `OPENS_AT_END` everybody sees everything as soon as a match is over.
    """

    OPENS_AT_END: bool

    def conceal(self, state: Any, seat: Seat) -> Any:
        """A copy of the state as a seat knows it: it contains nothing that is hidden from the seat."""
        ...

    def hides(self, state: Any, seat: Seat) -> bool:
        """Whether something is hidden in a concealed state that the seat would need in order to play."""
        ...

    def redact(self, event: Event, seat: Seat) -> Event:
        """The event as a seat may know it. Applying all redacted events leads to the concealed state."""
        ...

    def redeal(self, seat: Seat, seed: int) -> Command:
        """A command that deals everything again that a seat does not know, for a fork that reveals nothing.

        Raises `GameError` if the game can't do that.
        """
        ...


@runtime_checkable
class Stock(Protocol):
    """Further members of `Secrets`: what no seat knows, such as a pile of cards. With them a draw is a chance move."""

    def known_together(self, state: Any) -> Any:
        """A copy of the state as all seats together know it."""
        ...

    def shuffled(self, state: Any, seed: int) -> Any:
        """A copy of the state in which what no seat knows is dealt again."""
        ...


class Directive(msgspec.Struct, frozen=True):
    """What a standing order does at a position: play a `command`, or wait if it is None.

    `over` means that the order is finished; `why` gives the reason, unless it was carried out.
    """

    command: Command | None = None
    over: bool = False
    why: str = ""


class Orders(Protocol):
    """The standing orders of a game, besides plain commands: what to play when a seat's turn comes."""

    @property
    def ORDERS(self) -> Mapping[str, str]:  # noqa: N802
        """The syntax of each order, with placeholders in capitals, and what it does."""
        ...

    def directive(self, text: str, state: Any, seat: Seat, played_count: int) -> Directive | None:
        """What an order does at a position where its seat is to move.

        `played_count` is the number of commands that the order has played. None for a text that is no order.
        """
        ...


class Strategy(Protocol):
    """What a bot needs to play well: which commands are worth trying, and an evaluation of positions.

    All states are concealed: as the seat knows them.
    """

    @property
    def FEATURES(self) -> Sequence[str]:  # noqa: N802
        """The names of the `features`, each a word that a player would recognise."""
        ...

    @property
    def WEIGHTS(self) -> Mapping[str, float]:  # noqa: N802
        """The weight of each feature, tuned by play; 0 if missing."""
        ...

    def candidates(self, state: Any, seat: Seat) -> Iterable[Sequence[Command]]:
        """A few plans worth trying, at least one.

        Each is a legal command, or several that belong together and are legal one after the other. If it is legal to
        pass, or to end the turn, this is one of the plans.
        """
        ...

    def features(self, state: Any, seat: Seat) -> Sequence[float]:
        """The features of a position for a seat, in the order of `FEATURES`."""
        ...

    def baseline(self, state: Any, seat: Seat) -> Command:
        """The command of a simple fixed rule: the baseline against which bots are measured."""
        ...


@runtime_checkable
class RatedStrategy(Strategy, Protocol):
    """A strategy whose bots can be weakened to an Elo rating."""

    @property
    def SLIPS(self) -> Mapping[int, float]:  # noqa: N802
        """By Elo rating, the highest first: the share of its commands that the bot "strong" plays at random to have it.

        Measured by play.
        """
        ...


class Chances(Protocol):
    """The features from which a seat's chance to win is computed.

    Called for positions where a seat is about to bid, or begins a turn.
    """

    @property
    def FEATURES(self) -> Sequence[str]:  # noqa: N802
        """The names of the `features`, each a word that a player would recognise."""
        ...

    @property
    def TERMS(self) -> Mapping[str, Sequence[str]]:  # noqa: N802
        """Groups of features, by a player's word for them: `{"cattle": ("cattle", "income")}`."""
        ...

    @property
    def MODEL(self) -> bytes:  # noqa: N802
        """The model trained by `scripts/calibrate`, as JSON; it names the runs that made it."""
        ...

    def features(self, state: Any) -> Mapping[Seat, Sequence[float]]:
        """The features of each seat, also relative to the others, in the order of `FEATURES`."""
        ...

    def forced_winner(self, state: Any) -> Seat:
        """The seat that wins whatever the others play, if that can be proven quickly; otherwise ""."""
        ...

    def winning_turn(self, state: Any) -> Sequence[Command]:
        """Commands to the end of its turn with which the seat to move wins by force; none if none are found."""
        ...


class Encoded(msgspec.Struct, frozen=True, gc=False):
    """A position as numbers, in the order of the encoding's `planes` and `figures`.

    Each plane is a bit mask over places: bit 0 is the first place.
    """

    planes: Sequence[int]
    figures: Sequence[float]


class Encoding(Protocol):
    """Positions and commands as numbers, for machine learning. The shape depends only on the number of players.

    An action is a number below the sum of `actions`. A command is one action, or several in sequence; `begun` are the
    first actions of a command that is not complete yet. All states are concealed: as the seat knows them.
    """

    def shape(self, players: int) -> tuple[int, ...]:
        """The shape of a plane: rows and columns of a board, or one number of places."""
        ...

    def planes(self, players: int) -> Sequence[str]:
        """The meaning of each plane. Seats are numbered in seat order, from 0 for the seat that observes."""
        ...

    def figures(self, players: int) -> Sequence[str]:
        """The meaning of each figure."""
        ...

    def actions(self, players: int) -> Mapping[str, int]:
        """The kinds of actions with the number of each, in the order of the action numbers."""
        ...

    def observe(self, state: Any, seat: Seat, begun: Sequence[int] = ()) -> Encoded:
        """A position as a seat sees it."""
        ...

    def mask(self, state: Any, seat: Seat, begun: Sequence[int] = ()) -> int:
        """The legal actions of a seat as a bit mask; 0 for a seat that is not to move."""
        ...

    def command(self, state: Any, seat: Seat, actions: Sequence[int]) -> Command | None:
        """The command that a sequence of legal actions stands for; None while it is incomplete."""
        ...


class Texts(Protocol):
    """Texts about a game: rules, a demo, a tutorial; empty where it has none."""

    def rules(self) -> Sequence[Rule]:
        """All rules, in the order of the rulebook."""
        ...

    def demo(self) -> str:
        """A whole match as a script, for `zim demo`."""
        ...

    def tutorial(self) -> str:
        """A script for a learner: comments explain; Zim plays the lines that name a player."""
        ...


class Panel(msgspec.Struct, frozen=True):
    """A drawing next to the board: its title, its height in SVG units, and its SVG text, with the corner at (0, 0)."""

    title: str
    height: float
    drawing: str


class Art(Protocol):
    """The drawings of a game as SVG text, 44 units to a square (`zimcore.toolkit.svg`).

    `ink` and `paper` are the owner's colours, as SVG takes them: `#fdfaf3`, `#b3261e`. Use the attributes `TEXT_STYLE`,
    `FAINT_STYLE` and `LINE_STYLE` of `zimcore.toolkit.svg` for drawings that must be readable on light and dark
    backgrounds.
    """

    def ground(self, board: Board) -> Iterable[str]:
        """The background of the board, with its top left corner at (0, 0)."""
        ...

    def piece(self, cell: Cell, size: tuple[int, int], ink: str, paper: str) -> str:
        """The drawing of a cell's content, centred on (0, 0); `size` is how many squares it covers, across and down.

        "" means: draw the cell's text.
        """
        ...

    def emblem(self, ink: str, paper: str) -> str:
        """The sign of a seat, shown next to its name: centred on (0, 0), about as large as a square."""
        ...

    def card(self, name: str) -> str:
        """A card of a hand, 26 by 34 units, centred on (0, 0)."""
        ...

    def icon(self, verb: str) -> str:
        """The icon of a command, by its first word: lines in `currentColor`, centred on (0, 0), 24 units across.

        "" means: the word alone.
        """
        ...

    def panels(self, state: Any, styles: Mapping[Seat, tuple[str, str]], width: float) -> Sequence[Panel]:
        """The panels next to the board, `width` units wide: cards, tracks. Without panels, tables are shown.

        `styles` are the ink and the paper of each seat.
        """
        ...


class Recordings(Protocol):
    """Matches of the game that other programs have recorded."""

    @property
    def SHEETS(self) -> Mapping[str, Mapping[str, str]]:  # noqa: N802
        """The house rules by which programs play otherwise than the rules, as options, by the name of the sheet."""
        ...

    def read(self, text: str, options: Mapping[str, str]) -> Iterator[Recording]:
        """The matches in a text, set up with these further options; none if it has none, such as a log of moves.

        The text is parsed and nothing in it is run. Raises `GameError` for a match that can't be read.
        """
        ...

    def is_history(self, text: str) -> bool:
        """Whether a text is what a program shows of a match, which has too little to be played."""
        ...

    def differences(self, text: str, commits: Iterable[Sequence[Event]]) -> Sequence[Misstatement]:
        """Where such a text differs from the commits of a match; the entry of each is the index of its line."""
        ...


class Game(Protocol):
    """A game: its name, and its parts."""

    @property
    def name(self) -> str:
        """The name for `zim new --game`: one word."""
        ...

    @property
    def title(self) -> str:
        """The title, as printed on the box."""
        ...

    @property
    def version(self) -> str:
        """The version of the rules. A certificate names the version it was played by."""
        ...

    @property
    def evolution(self) -> Evolution:
        """The state, and how events change it."""
        ...

    @property
    def rules(self) -> Rules:
        """The rules: legal commands, and their events."""
        ...

    @property
    def notation(self) -> Notation:
        """Commands and events as text."""
        ...

    @property
    def display(self) -> Display:
        """Positions for display."""
        ...

    @property
    def questions(self) -> Questions:
        """Questions about positions and matches, and advice."""
        ...

    @property
    def secrets(self) -> Secrets | None:
        """What each seat may know; None for a game without hidden information."""
        ...

    @property
    def orders(self) -> Orders:
        """The standing orders."""
        ...

    @property
    def texts(self) -> Texts:
        """Rules, demo and tutorial."""
        ...

    @property
    def art(self) -> Art | None:
        """The drawings for a picture of the board; None to draw cells as letters."""
        ...

    @property
    def strategy(self) -> Strategy | None:
        """What a bot needs to play well; None if bots can only play at random."""
        ...

    @property
    def chances(self) -> Chances | None:
        """The features of a seat's chance to win; None for a game without a model."""
        ...

    @property
    def encoding(self) -> Encoding | None:
        """Positions and commands as numbers; None for a game without an encoding."""
        ...

    @property
    def recordings(self) -> Recordings | None:
        """Reads what other programs have recorded; None if the game knows no such program."""
        ...


def figures(game: Game, state: Any) -> dict[str, Any]:
    """All figures of a position, as expressions use them: `{"round": 4, "kilwa": {"vp": 3}}`."""
    return {
        **game.display.common(state),
        **{seat: game.display.figures(state, seat) for seat in game.evolution.seats(state)},
    }


def parts(notation: Notation, text: str) -> Iterator[str]:
    """Splits a text into its commands at `;`, except where a command continues after it: see `Notation.continues`."""
    prefix = ""
    for part in filter(None, map(str.strip, text.split(";"))):
        if prefix and not notation.continues(prefix, part):
            yield prefix
            prefix = ""
        prefix = f"{prefix}; {part}" if prefix else part
    if prefix:
        yield prefix
