"""The contract of a game: small protocols, and the few words that all games share.

A game is a pure decider: `decide(state, seat, command)` says what happens, `evolve(state, event)` applies it. These two
are all that is needed to play. How a game shows itself to clients that know no rule, which questions it answers, and
who may know what are separate parts, each loaded when it is first needed. What a game does not bring, `zimcore.toolkit`
makes from the fields of its commands, events and state.

In other words: command handler, fold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, Protocol, TypeAlias

import msgspec

Seat: TypeAlias = str
"""Who plays: `kilwa`. Not who types (`by`): one person may play all seats."""


class Command(msgspec.Struct, frozen=True, tag_field="do", omit_defaults=True):
    """What a player asks for, in the imperative. Its tag carries a version, as it is stored: `give.1`."""


class Deal(Command, frozen=True):
    """A command without a seat: it sets a match up, or deals hidden cards again. Only the service gives one."""


class Event(msgspec.Struct, frozen=True, tag_field="event", omit_defaults=True):
    """What happened, in the past tense: no ids, no times. Its tag carries a version: `gift_given.1`."""


class Played(Event, frozen=True):
    """The first event of every commit: who asked for what. Each game narrows `command` to its own commands."""

    seat: Seat
    command: Any


class Hidden(str):
    """A reason that leaves open whether the rule is broken: what it asks about is hidden from the viewer."""

    __slots__ = ()


class Refusal(msgspec.Struct, frozen=True, omit_defaults=True):
    """One rule that a command breaks.

    `code` is the rule's name (`R-CRA-05`), `reason` one sentence with the figures involved. If what the rule asks about
    is `hidden` from the viewer, the rule may be broken or not.
    """

    code: str
    reason: str
    hidden: bool = False


class Refused(msgspec.Struct, frozen=True):
    """The answer to a command that the rules forbid: everything that it breaks, and what to type next."""

    refusals: tuple[Refusal, ...]
    hints: tuple[str, ...] = ()

    @property
    def all_hidden(self) -> bool:
        """Whether the command may be legal after all: everything that a rule could object to is hidden."""
        return all(refusal.hidden for refusal in self.refusals)


class Reading(msgspec.Struct, frozen=True):
    """What can be read in two ways: the rulebook's words, and the way in which the rule does not read them.

    `options` are those of a new match that choose the other way: `xango=absolute`; `usual` are those that choose ours.
    Where there is none, `no_option` says why, as part of a sentence.
    """

    words: str
    other: str
    options: tuple[str, ...] = ()
    usual: tuple[str, ...] = ()
    no_option: str = ""


class Rule(msgspec.Struct, frozen=True):
    """A rule as it can be looked up: its code, one sentence, its section of the rulebook, what it guards.

    `source` says whether it is the rulebook's, or a `reading` of what that leaves open; a game may have words of its
    own for other sources. `words` are those of the rulebook that it rests on, ` ... ` where some are left out. A
    `reading` has the words in question and the other way to read them. Where it is asked about at a table, `house` are
    the options by which that table plays the other way.
    """

    code: str
    text: str
    section: str
    guards: tuple[str, ...] = ()
    source: str = "rulebook"
    reading: Reading | None = None
    words: str = ""
    house: tuple[str, ...] = ()


class Accepted(msgspec.Struct, frozen=True):
    """The answer to a legal command: its events in order, without `Played`, and the state after them."""

    events: tuple[Event, ...]
    state: Any


class Outcome(msgspec.Struct, frozen=True):
    """How a match stands or has ended.

    `ranking` has the seats from the best to the last, those who share a place together; `scores` has the points of each
    seat, None where they are hidden.
    """

    over: bool
    ranking: tuple[tuple[Seat, ...], ...] = ()
    scores: Mapping[Seat, int | None] = {}

    @property
    def winners(self) -> tuple[Seat, ...]:
        """Who has won: () before the end, several if they share the first place."""
        return self.ranking[0] if self.over and self.ranking else ()

    @property
    def winner(self) -> Seat | None:
        """The only winner, if there is one."""
        return self.winners[0] if len(self.winners) == 1 else None


class GameError(ValueError):
    """Something that was asked for can't be done: `what` was wrong, `why`, and `hints`, what to type next."""

    def __init__(self, what: str, why: str = "", hints: Sequence[str] = ()) -> None:
        super().__init__(what, why, tuple(hints))
        self.what = what
        self.why = why
        self.hints = tuple(hints)

    def __str__(self) -> str:
        return f"{self.what}: {self.why}" if self.why else self.what


class NotationError(GameError):
    """A text that is not a command of the game. With `in_place` its hints can stand where `what` stands in it."""

    def __init__(self, what: str, why: str = "", hints: Sequence[str] = (), *, in_place: bool = False) -> None:
        super().__init__(what, why, hints)
        self.in_place = in_place


class AmbiguousError(NotationError):
    """A text that could be more than one command; the hints list them."""


class OptionError(GameError):
    """Options of a new game that the game cannot take."""


class RefusedError(GameError):
    """A command that the rules forbid, where that is an exception: `refused` has all rules that it breaks."""

    def __init__(self, what: str, refused: Refused) -> None:
        reasons = (f"{each.code} {each.reason}".strip() for each in refused.refusals)
        super().__init__(what, "; ".join(reasons), refused.hints)
        self.refused = refused


class HiddenError(GameError):
    """The answer depends on something that is hidden from the viewer. Nothing is made up in its place."""


class UnknownError(GameError):
    """A game, line or position that does not exist, or a name that is taken; the hints say what there is."""


class Cell(msgspec.Struct, frozen=True):
    """One square as it is shown.

    `text` is at most 3 plain characters; `role` says what stands there (`void`, `water`, `land`, `start`,
    `resource`, `monument`, `craftsman`; on a board that is no ground `place`, `path`, `arrow`, `border`, `symbol`),
    `kind` which one (`clay`, `potter`; of a symbol its colours: `gray orange`), `owner` whose it is. A piece that
    covers several squares is named by its first one: `piece`.
    """

    square: str
    text: str
    role: str
    kind: str = ""
    owner: Seat = ""
    marks: int = 0
    piece: str = ""


class Arrow(msgspec.Struct, frozen=True):
    """From one square to another: where an expedition leads, where a good was made for a monument.

    `text` is at most 3 characters that name it; `seat` is its owner, if it has one.
    """

    start: str
    end: str
    text: str = ""
    seat: Seat = ""


class Board(msgspec.Struct, frozen=True):
    """The board as rows of cells, with the names of its columns and rows and a legend (text, meaning).

    `paths` are lines over cells, each by the column and row of its ends and bends, and `arrows` lead from one square to
    another: a picture draws them, where a text has cells with the roles `path` and `arrow`.
    """

    columns: tuple[str, ...]
    rows: tuple[str, ...]
    cells: tuple[tuple[Cell, ...], ...]
    legend: tuple[tuple[str, str], ...] = ()
    paths: tuple[tuple[tuple[int, int], ...], ...] = ()
    arrows: tuple[Arrow, ...] = ()


class Overlay(msgspec.Struct, frozen=True):
    """Something shown on top of a board: what it is, and the squares that it marks.

    Each square has a text of at most 3 characters that is shown in place of its own; "" leaves that as it is.
    """

    title: str
    squares: dict[str, str]


class Table(msgspec.Struct, frozen=True):
    """A small table: a title, the heads of its columns, rows of texts; `seats` colours the rows, where given.

    `numbers` are the heads of columns in which each text is a whole number, or says that there is none to be seen.
    """

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    seats: tuple[Seat, ...] = ()
    numbers: tuple[str, ...] = ()


class Step(msgspec.Struct, frozen=True):
    """A part of a turn: what it is called, how it stands in a few words, and whether it is done or closed.

    `Step("god", "not yet", done=False)`, `Step("specialist", "herd used", done=True)`.
    """

    name: str
    text: str
    done: bool


class Advice(msgspec.Struct, frozen=True):
    """A legal command worth a look, in notation, and what it brings, in a few words each, the weightiest first."""

    text: str
    brings: tuple[str, ...] = ()


class Legal(Protocol):
    """The legal commands of a seat, as a lazy view: each command is made when it is asked for."""

    def __iter__(self) -> Iterator[Any]: ...
    def __contains__(self, command: object) -> bool: ...
    def __bool__(self) -> bool: ...
    def count(self) -> int:
        """How many there are."""
        ...

    def texts(self, beginning: str = "") -> Iterable[str]:
        """The commands in notation, those whose words begin like these: `cra pot d`."""
        ...

    def sample(self, rng: Random) -> Any | None:
        """One of them, drawn without listing all where that can be; None where nothing is legal.

        Each can come, though not all as likely; the same state of `rng` draws the same.
        """
        ...


Upcaster: TypeAlias = Callable[[dict[str, Any]], tuple[str, dict[str, Any]]]
"""Takes the fields of an event stored under an old tag, gives its next tag and fields."""


class Evolution(Protocol):
    """What a state is, and how events change it: all that a replay needs. It decides nothing."""

    @property
    def EVENTS(self) -> Sequence[type[Event]]:  # noqa: N802 - a constant of the module
        """Today's forms of all its events, its own `Played` first."""
        ...

    @property
    def UPCASTERS(self) -> Mapping[str, Upcaster]:  # noqa: N802
        """By old tags. They are never removed, since stored events never change."""
        ...

    @property
    def MARKS(self) -> Mapping[type[Event], Callable[[Any, Any], str | None]]:  # noqa: N802
        """For events that begin something, the name of the position after their commit: `r4`, or None.

        Each function is called with the event and the state after the commit.
        """
        ...

    def initial(self) -> Any:
        """The state before anything happened."""
        ...

    def evolve(self, state: Any, event: Event) -> None:
        """Applies an event to a state, in place. `Played` changes nothing: only the events after it do."""
        ...

    def copy(self, state: Any) -> Any:
        """A copy that may be changed without changing this state."""
        ...

    def canonical(self, state: Any) -> bytes:
        """The state as bytes: equal for equal positions, on any machine."""
        ...

    def seats(self, state: Any) -> tuple[Seat, ...]:
        """All players, in the order of the seats."""
        ...

    def to_move(self, state: Any) -> tuple[Seat, ...]:
        """Who may act now, in the order of the seats: () before set-up and after the end."""
        ...

    def outcome(self, state: Any) -> Outcome:
        """Whether it is over, who is ahead or has won, and the points of all seats."""
        ...


class Rules(Protocol):
    """What may be played, and what follows from it. Pure functions: they never change a state that they are given."""

    @property
    def OPTIONS(self) -> Mapping[str, str]:  # noqa: N802
        """The options of a new match, each with a sentence of help; every game has `seed`, without listing it."""
        ...

    def set_up(self, options: Mapping[str, str], seed: int) -> Command:
        """The command that sets a match up. Raises `OptionError`."""
        ...

    def decide(self, state: Any, seat: Seat, command: Any) -> Accepted | Refused:
        """What follows from a command, or all the rules that it breaks.

        The events are without `Played`: the service adds it when it stores them. Raises `HiddenError` on a concealed
        state, where it needs what is hidden.
        """
        ...

    def apply(self, state: Any, seat: Seat, command: Any) -> Accepted:
        """The same for a command that is known to be legal: no guard is asked. For programs that look ahead."""
        ...

    def legal(self, state: Any, seat: Seat) -> Legal:
        """What a seat can play now; nothing for one who is not to move."""
        ...

    def otherwise(self, events: Sequence[Event], option: str) -> Sequence[Event]:
        """The facts of a set-up, `Played` first, if one option that decides a reading of the rules were the other way.

        Those options are named by the readings of `Texts.rules`. What follows a set-up can be decided anew after it.
        """
        ...

    def commute(self, state: Any, one: Played, other: Played) -> bool:
        """Whether two commands of different seats that are both legal here lead to the same state in either order.

        Then the second does not conflict with the first: it is decided again after it, and stored.
        """
        ...


class Notation(Protocol):
    """Commands and events as text."""

    @property
    def SYNTAX(self) -> Mapping[str, str]:  # noqa: N802
        """How each command is written, by its first word: examples with ` · ` between them, or words in capitals."""
        ...

    def parse(self, text: str, state: Any) -> tuple[Seat | None, Any]:
        """The seat named (`zulu: bid 3`), if any, and the command. Raises `NotationError`."""
        ...

    def continues(self, command: str, part: str) -> bool:
        """Whether what follows a command after `;` still belongs to it, as the next monument of a raise does.

        Else it is a command of its own: `build d7; end`.
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

    def tell(self, events: Sequence[Event]) -> str:
        """What a seat did in a row, in a sentence; the events are those of all its commits."""
        ...


class Display(Protocol):
    """A position as it is shown, in separate parts: a status is made without drawing the board."""

    @property
    def MONEY(self) -> Sequence[str]:  # noqa: N802
        """The figures of a seat that are money, in hand or put by for later: `cattle`, `on_cards`."""
        ...

    @property
    def OVERLAYS(self) -> Mapping[str, str]:  # noqa: N802
        """What can be laid over the board, each with its words and a sentence of help: `{"reach": "SQUARE: ..."}`."""
        ...

    @property
    def HEADINGS(self) -> Mapping[str, str]:  # noqa: N802
        """What the heads of tables mean, as far as they need it: `{"VR": "victory requirement: ..."}`."""
        ...

    @property
    def SERIES(self) -> Sequence[str]:  # noqa: N802
        """The figures of a seat that are worth following through a match, in a graph: `vp`, `vr`, `cattle`."""
        ...

    def status(self, state: Any) -> str:
        """One line: the round, and who is to do what. Every state has one, also in the middle of a commit."""
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
        """The people who play, by seat, as far as they were named."""
        ...

    def common(self, state: Any) -> Mapping[str, Any]:
        """The figures that belong to no seat: `{"round": 4}`. Should be fast: they are read after every event."""
        ...

    def figures(self, state: Any, seat: Seat) -> Mapping[str, Any]:
        """The figures of a seat, by names of one or more parts: `{"vp": 3, "potter": {"price": 2}}`.

        The first is what the game counts by.
        """
        ...

    def tables(self, state: Any) -> Sequence[Table]:
        """Everything to see beside the board; the first table has the standings."""
        ...

    def board(self, state: Any) -> Board | None:
        """The board; None for a game that has none."""
        ...

    def overlay(self, state: Any, name: str, words: Sequence[str]) -> Overlay:
        """One of the overlays for these words. Raises `NotationError`."""
        ...

    def arrows(self, events: Sequence[Event]) -> Sequence[Arrow]:
        """What went from where to where on the board in a commit, whose events are given with `Played`."""
        ...


class Questions(Protocol):
    """What can be asked of a position and of a match."""

    @property
    def QUESTIONS(self) -> Mapping[str, str]:  # noqa: N802
        """What can be asked, each with its words and a sentence of help: `plan`, `reach`, `preview`, `cards`."""
        ...

    def ask(self, state: Any, question: str, words: Sequence[str]) -> Sequence[Table]:
        """The answer to one of the questions with these words. Raises `NotationError`."""
        ...

    def advice(self, state: Any, seat: Seat, beginning: str = "") -> Sequence[Advice]:
        """Legal commands of a seat that are worth a look, those whose words begin like these, the best first.

        Nothing for a seat that is not to move, and where too little of the position is known.
        """
        ...

    def brings(self, state: Any, seat: Seat, command: Any) -> tuple[str, ...]:
        """What a legal command brings its seat, in a few words each, what it costs first: the words of the advice.

        Nothing for what goes without saying, such as the end of a turn.
        """
        ...

    def waste(self, state: Any, seat: Seat, command: Any) -> str:
        """What a legal command throws away, in a few words: the main action of a turn that `end` leaves unused.

        "" if nothing of value is lost.
        """
        ...

    def hindsight(self, events: Sequence[Event], seat: Seat) -> Mapping[str, str]:
        """What commands would have brought a seat, had they been played before the first of these events.

        In a few words, by the beginning of the command: `{"adore engai": "would have brought 9 cattle so far"}`.
        """
        ...

    def statistics(self, events: Sequence[Event]) -> Sequence[Table]:
        """Sums over the events of a match, from its beginning: who earned, spent and scored what, when and how."""
        ...


class Secrets(Protocol):
    """Who may know what, in a game with hidden information. The seat "" is a spectator."""

    def conceal(self, state: Any, seat: Seat) -> Any:
        """A copy of the position as a seat knows it: nothing that is hidden from the seat can be found in it."""
        ...

    def hides(self, state: Any, seat: Seat) -> bool:
        """Whether a concealed position lacks something that the seat could play with."""
        ...

    def redact(self, event: Event, seat: Seat) -> Event:
        """The event as a seat may know it. Applying all such events leads to the concealed position."""
        ...

    def redeal(self, seat: Seat, seed: int) -> Command:
        """A command that deals anew all that a seat does not know, for a fork in which its player can't peek.

        Raises `GameError` in a game that can't do that.
        """
        ...


class Directive(msgspec.Struct, frozen=True):
    """What a standing order says at a position: to play a `command`, or, without one, to wait.

    It is `over` when it says nothing any more; `why`, where that is not because it was carried out.
    """

    command: Command | None = None
    over: bool = False
    why: str = ""


class Orders(Protocol):
    """What a seat can order ahead, beside plain commands: what is to be played once it is to move."""

    @property
    def ORDERS(self) -> Mapping[str, str]:  # noqa: N802
        """How each order is written, with words in capitals for what is chosen, and what it does."""
        ...

    def directive(self, text: str, state: Any, seat: Seat, given: int) -> Directive | None:
        """What an order says at a position in which its seat is to move, after it has `given` so many commands.

        None for a text that is no order of this game.
        """
        ...


class Strategy(Protocol):
    """What a program has to know to play well: which commands are worth trying, and how good a position looks.

    It is asked about positions as a seat knows them.
    """

    @property
    def FEATURES(self) -> Sequence[str]:  # noqa: N802
        """What the numbers of `features` are, each a word that a player would recognise."""
        ...

    @property
    def WEIGHTS(self) -> Mapping[str, float]:  # noqa: N802
        """What each feature counts for; 0 where nothing is said. They were tuned by play."""
        ...

    def candidates(self, state: Any, seat: Seat) -> Iterable[Sequence[Command]]:
        """A few plans that are worth trying; never none.

        Each is a legal command, or several in a row that belong together and are legal one after the other. Passing, or
        ending the turn, is among them where it is legal.
        """
        ...

    def features(self, state: Any, seat: Seat) -> Sequence[float]:
        """How a position looks from a seat: the numbers that the weights are for."""
        ...

    def baseline(self, state: Any, seat: Seat) -> Command:
        """The command of a simple rule that is never tuned: others are measured against it."""
        ...


class Chances(Protocol):
    """The features from which a seat's chance to win is computed.

    It is called for positions in which a seat is to bid or begins a turn.
    """

    @property
    def FEATURES(self) -> Sequence[str]:  # noqa: N802
        """What the numbers of `features` are, each a word that a player would recognise."""
        ...

    @property
    def TERMS(self) -> Mapping[str, Sequence[str]]:  # noqa: N802
        """Features that belong together, by what a player calls them: `{"cattle": ("cattle", "income")}`."""
        ...

    @property
    def MODEL(self) -> bytes:  # noqa: N802
        """What was learned of them by `scripts/calibrate`, as JSON; it says which runs have made it."""
        ...

    def features(self, state: Any) -> Mapping[Seat, Sequence[float]]:
        """How each seat stands, among the others too: numbers in the order of `FEATURES`."""
        ...


class Encoded(msgspec.Struct, frozen=True, gc=False):
    """A position as numbers, in the order in which the encoding names them.

    Each of `planes` is a set of places as the bits of a number, the first place the lowest; `figures` are numbers.
    """

    planes: Sequence[int]
    figures: Sequence[float]


class Encoding(Protocol):
    """Positions and commands as numbers, for programs that learn: of one shape in all matches of so many players.

    An action is a number below the sum of `actions`. A command is one action, or several in a row that say it in parts;
    `begun` are those of a command that is not complete yet. Positions are asked about as a seat knows them.
    """

    def shape(self, players: int) -> tuple[int, ...]:
        """How many places there are: rows and columns of a board, or one number."""
        ...

    def planes(self, players: int) -> Sequence[str]:
        """What each of the planes says; seats count from the one that looks, 0, on in their order."""
        ...

    def figures(self, players: int) -> Sequence[str]:
        """What each of the figures says."""
        ...

    def actions(self, players: int) -> Mapping[str, int]:
        """The kinds of actions and how many there are of each, in the order of their numbers."""
        ...

    def observe(self, state: Any, seat: Seat, begun: Sequence[int] = ()) -> Encoded:
        """A position as a seat sees it."""
        ...

    def mask(self, state: Any, seat: Seat, begun: Sequence[int] = ()) -> int:
        """The actions that a seat may take now, as the bits of a number; none for one who is not to move."""
        ...

    def command(self, state: Any, seat: Seat, actions: Sequence[int]) -> Command | None:
        """The command that actions of the mask say; None while it is not complete."""
        ...


class Texts(Protocol):
    """What there is to read about a game; empty where it has nothing."""

    def rules(self) -> Sequence[Rule]:
        """All rules, in the order of the rulebook."""
        ...

    def demo(self) -> str:
        """A whole match as a script, for `zim demo`."""
        ...

    def tutorial(self) -> str:
        """A script for a learner: comments explain; a line that names a player is played by the program."""
        ...


class Panel(msgspec.Struct, frozen=True):
    """A drawing beside the board: its title, its height in units, and SVG as text, from (0, 0) on."""

    title: str
    height: float
    drawing: str


class Art(Protocol):
    """How a board looks in a picture: SVG as text, 44 units to a square (`zimcore.toolkit.svg`).

    `ink` and `paper` are the colours of the owner of what is drawn, as SVG takes them: `#fdfaf3`, `#b3261e`. What is
    drawn in the attributes `WRITTEN`, `SOFT` and `RULED` of `zimcore.toolkit.svg` can be read on light and on dark.
    """

    def ground(self, board: Board) -> Iterable[str]:
        """What everything stands on, with the top left corner of the board at (0, 0)."""
        ...

    def piece(self, cell: Cell, size: tuple[int, int], ink: str, paper: str) -> str:
        """What stands on a cell, around (0, 0); `size` is how many squares it covers, across and down.

        "" for a cell that is to be drawn as its text says.
        """
        ...

    def emblem(self, ink: str, paper: str) -> str:
        """The sign of a seat beside its name, around (0, 0), about as large as a square."""
        ...

    def panels(self, state: Any, styles: Mapping[Seat, tuple[str, str]], width: float) -> Sequence[Panel]:
        """What lies beside the board, so many units wide: cards, tracks. Where there is none, tables say it.

        `styles` are the ink and the paper of each seat.
        """
        ...


class Game(Protocol):
    """A game: what it is called, and its parts."""

    @property
    def name(self) -> str:
        """One word, which `zim new --game` takes."""
        ...

    @property
    def title(self) -> str:
        """As it is printed on the box."""
        ...

    @property
    def version(self) -> str:
        """Of the rules: a certificate says which rules it was played by."""
        ...

    @property
    def evolution(self) -> Evolution:
        """What a state is, and how events change it."""
        ...

    @property
    def rules(self) -> Rules:
        """What may be played, and what follows."""
        ...

    @property
    def notation(self) -> Notation:
        """Commands and events as text."""
        ...

    @property
    def display(self) -> Display:
        """Positions as they are shown."""
        ...

    @property
    def questions(self) -> Questions:
        """What can be asked."""
        ...

    @property
    def secrets(self) -> Secrets | None:
        """Who may know what; None for a game without hidden information."""
        ...

    @property
    def orders(self) -> Orders:
        """What can be ordered ahead."""
        ...

    @property
    def texts(self) -> Texts:
        """What there is to read."""
        ...

    @property
    def art(self) -> Art | None:
        """How its pieces look in a picture; None if they are drawn as letters."""
        ...

    @property
    def strategy(self) -> Strategy | None:
        """What a program has to know to play well; None where it can only play at random."""
        ...

    @property
    def chances(self) -> Chances | None:
        """The features of a seat's chance to win; None for a game without a model."""
        ...

    @property
    def encoding(self) -> Encoding | None:
        """Positions and commands as numbers; None for a game without an encoding."""
        ...


def figures(game: Game, state: Any) -> dict[str, Any]:
    """All figures of a position, which expressions speak of: `{"round": 4, "kilwa": {"vp": 3}}`."""
    return {
        **game.display.common(state),
        **{seat: game.display.figures(state, seat) for seat in game.evolution.seats(state)},
    }


def parts(notation: Notation, text: str) -> Iterator[str]:
    """The commands of a text that has several, with `;` between them: some go on after one, as `continues` says."""
    found = ""
    for part in filter(None, map(str.strip, text.split(";"))):
        if found and not notation.continues(found, part):
            yield found
            found = ""
        found = f"{found}; {part}" if found else part
    if found:
        yield found
