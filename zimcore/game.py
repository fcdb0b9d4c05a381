"""The contract of a game: small protocols, and the few words that all games share.

A game is a pure decider: `decide(state, seat, command)` says what happens, `evolve(state, event)` applies it. These two
are all that is needed to play. How a game shows itself to clients that know no rule, what it answers, and who may know
what are parts of their own, each loaded when it is first asked for. What a game does not bring is made from the fields
of its commands, facts and state by `zimcore.toolkit`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import msgspec

Seat: TypeAlias = str
"""Who plays: `kilwa`. Not who types (`by`): one person may play all seats."""


class Command(msgspec.Struct, frozen=True, tag_field="do", omit_defaults=True):
    """What a player asks for, in the imperative. Its tag carries a version, as it is stored: `give.1`."""


class Event(msgspec.Struct, frozen=True, tag_field="event", omit_defaults=True):
    """What happened, in the past tense: no ids, no times. Its tag carries a version: `gift_given.1`."""


class Played(Event, frozen=True):
    """The first event of every commit: who asked for what. Each game narrows `command` to its own commands."""

    seat: Seat
    command: Any


class Hidden(str):
    """A reason that is no verdict: what a rule asks about is hidden from whoever looks."""

    __slots__ = ()


class Refusal(msgspec.Struct, frozen=True, omit_defaults=True):
    """One rule that a command breaks.

    `code` is the rule's name (`R-CRA-05`), `reason` one sentence with the figures involved. What the rule asks about
    may be `hidden` from whoever looks: then nobody says that it is broken.
    """

    code: str
    reason: str
    hidden: bool = False


class Refused(msgspec.Struct, frozen=True):
    """The answer to a command that the rules forbid: everything that it breaks, and what to type next."""

    refusals: tuple[Refusal, ...]
    hints: tuple[str, ...] = ()

    @property
    def untold(self) -> bool:
        """Whether it can't be told, as all that speaks against the command is hidden."""
        return all(refusal.hidden for refusal in self.refusals)


class Rule(msgspec.Struct, frozen=True):
    """A rule as it can be looked up: its code, one sentence, where it stands in the rulebook, what it guards."""

    code: str
    text: str
    section: str
    guards: tuple[str, ...] = ()


class Accepted(msgspec.Struct, frozen=True):
    """The answer to a command that stands: its facts in order, without `Played`, and the state after them."""

    events: tuple[Event, ...]
    state: Any


class Outcome(msgspec.Struct, frozen=True):
    """How a match stands or has ended.

    `ranking` has the seats from the best to the last, those who share a place together; `scores` what each seat counts
    by, None where it can't be seen.
    """

    over: bool
    ranking: tuple[tuple[Seat, ...], ...] = ()
    scores: Mapping[Seat, int | None] = {}

    @property
    def winners(self) -> tuple[Seat, ...]:
        """Who has won: nobody before the end, several where they share the first place."""
        return self.ranking[0] if self.over and self.ranking else ()

    @property
    def winner(self) -> Seat | None:
        """Who has won alone, if anybody has."""
        return self.winners[0] if len(self.winners) == 1 else None


class GameError(ValueError):
    """Something typed could not be taken: `what` was wrong, `why`, and `hints`, what to type next."""

    def __init__(self, what: str, why: str = "", hints: Sequence[str] = ()) -> None:
        super().__init__(what, why, tuple(hints))
        self.what = what
        self.why = why
        self.hints = tuple(hints)

    def __str__(self) -> str:
        return f"{self.what}: {self.why}" if self.why else self.what


class NotationError(GameError):
    """A text that is no command of the game."""


class AmbiguousError(NotationError):
    """A text that could be more than one command; the hints list them."""


class OptionError(GameError):
    """Options of a new game that the game cannot take."""


class HiddenError(GameError):
    """What is asked for hangs on something that whoever asks can't see. Nothing is made up in its place."""


class UnknownError(GameError):
    """A game, line or position that is not there, or a name that is taken; the hints say what there is."""


class Cell(msgspec.Struct, frozen=True):
    """One square as it is shown.

    `text` is at most 3 plain characters; `role` says what stands there (`void`, `water`, `land`, `start`,
    `resource`, `monument`, `craftsman`; on a board that is no ground `place`, `path`, `border`, `symbol`), `kind` which
    one (`clay`, `potter`; of a symbol its colours: `gray orange`), `owner` whose it is. A piece that covers several
    squares is named by its first one: `piece`.
    """

    square: str
    text: str
    role: str
    kind: str = ""
    owner: Seat = ""
    marks: int = 0
    piece: str = ""


class Board(msgspec.Struct, frozen=True):
    """The board as rows of cells, with the names of its columns and rows and a legend (text, meaning).

    `paths` are lines over cells, each by the column and row of its ends and bends: a picture draws them, where a text
    has cells with the role `path`.
    """

    columns: tuple[str, ...]
    rows: tuple[str, ...]
    cells: tuple[tuple[Cell, ...], ...]
    legend: tuple[tuple[str, str], ...] = ()
    paths: tuple[tuple[tuple[int, int], ...], ...] = ()


class Overlay(msgspec.Struct, frozen=True):
    """Something shown on top of a board: what it is, and the squares that it marks.

    Each with a text of at most 3 characters, to be shown instead of what stands there; "" leaves that as it is.
    """

    title: str
    squares: dict[str, str]


class Table(msgspec.Struct, frozen=True):
    """A small table: a title, the heads of its columns, rows of texts; `seats` colours the rows, where given."""

    title: str
    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    seats: tuple[Seat, ...] = ()


class Legal(Protocol):
    """The legal commands of a seat: a view, nothing is made before it is asked for."""

    def __iter__(self) -> Iterator[Any]: ...
    def __contains__(self, command: object) -> bool: ...
    def __bool__(self) -> bool: ...
    def count(self) -> int:
        """How many there are."""
        ...

    def texts(self, beginning: str = "") -> Iterable[str]:
        """The commands in notation, those whose words begin like these: `cra pot d`."""
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
        """By the tags of yesterday; for ever, as what was stored is."""
        ...

    @property
    def MARKS(self) -> Mapping[type[Event], Callable[[Any, Any], str | None]]:  # noqa: N802
        """The events that begin something, and how the position is called that a commit with one ends in: `r4`.

        Each is told the event, and the state after the commit.
        """
        ...

    def initial(self) -> Any:
        """The state before anything happened."""
        ...

    def evolve(self, state: Any, event: Event) -> None:
        """Applies an event to the state given. `Played` changes nothing: only facts do."""
        ...

    def copy(self, state: Any) -> Any:
        """The same state, free to be changed."""
        ...

    def canonical(self, state: Any) -> bytes:
        """The bytes that stand for the state: equal for equal positions, on any machine."""
        ...

    def seats(self, state: Any) -> tuple[Seat, ...]:
        """All players, in the order of the seats."""
        ...

    def to_move(self, state: Any) -> tuple[Seat, ...]:
        """Who may act now, in the order of the seats: nobody before set-up and after the end."""
        ...

    def outcome(self, state: Any) -> Outcome:
        """Whether it is over, who is ahead or has won, and what everybody counts by."""
        ...


class Rules(Protocol):
    """What may be played, and what follows from it. Pure: a state that is given stays as it is."""

    @property
    def OPTIONS(self) -> Mapping[str, str]:  # noqa: N802
        """The options of a new match, each with a sentence of help; `seed` is everybody's and need not be there."""
        ...

    def set_up(self, options: Mapping[str, str], seed: int) -> Command:
        """The command that sets a match up. Raises `OptionError`."""
        ...

    def decide(self, state: Any, seat: Seat, command: Any) -> Accepted | Refused:
        """What follows from a command, or all the rules that it breaks.

        The facts are without `Played`, which whoever stores them puts in front. Raises `HiddenError` on a concealed
        state, where it needs what is hidden.
        """
        ...

    def legal(self, state: Any, seat: Seat) -> Legal:
        """What a seat can play now; nothing for one who is not to move."""
        ...

    def commute(self, state: Any, one: Played, other: Played) -> bool:
        """Whether two commands of different seats, both decided on this state, come to the same in either order.

        Then the second is no conflict: it is decided again after the first, and stored.
        """
        ...


class Notation(Protocol):
    """Commands and events as text."""

    def parse(self, text: str, state: Any) -> tuple[Seat | None, Any]:
        """The seat named (`zulu: bid 3`), if any, and the command. Raises `NotationError`."""
        ...

    def format(self, command: Any) -> str:
        """The command in canonical notation."""
        ...

    def describe(self, event: Event) -> str:
        """The event in a few words: `kilwa pays 2 to zulu/potter (potter)`."""
        ...

    def summary(self, events: Sequence[Event]) -> str:
        """What a commit's events came to, in one short line for a log: `+2 VP, 4 cattle`."""
        ...

    def tell(self, events: Sequence[Event]) -> str:
        """What a seat did in a row, in a sentence; the events are those of all its commits."""
        ...


class Display(Protocol):
    """A position as it is shown, each thing by itself: who asks for a status draws no board."""

    @property
    def MONEY(self) -> Sequence[str]:  # noqa: N802
        """Which figures of a seat are paid with, or laid by to be had later: `cattle`, `on_cards`."""
        ...

    @property
    def OVERLAYS(self) -> Mapping[str, str]:  # noqa: N802
        """What can be laid over the board, each with its words and a sentence of help: `{"reach": "SQUARE: ..."}`."""
        ...

    def status(self, state: Any) -> str:
        """One line: the round, and what is to be done by whom. Any state has one, also in the middle of a commit."""
        ...

    def toolbar(self, state: Any) -> str:
        """A few words about everybody, for the foot of a screen."""
        ...

    def colours(self, state: Any) -> Mapping[Seat, str]:
        """The colour of each seat."""
        ...

    def common(self, state: Any) -> Mapping[str, Any]:
        """The figures that belong to nobody: `{"round": 4}`. They are asked for often, after every event."""
        ...

    def figures(self, state: Any, seat: Seat) -> Mapping[str, Any]:
        """The figures of a seat, by names of one or more parts: `{"vp": 3, "potter": {"price": 2}}`.

        The first is what the game counts by.
        """
        ...

    def tables(self, state: Any) -> Sequence[Table]:
        """All there is to see beside the board; the first one has the standings."""
        ...

    def board(self, state: Any) -> Board | None:
        """The board; None for a game that has none."""
        ...

    def overlay(self, state: Any, name: str, words: Sequence[str]) -> Overlay:
        """One of the overlays for these words. Raises `NotationError`."""
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

    def statistics(self, events: Sequence[Event]) -> Sequence[Table]:
        """What came of the events of a match, from its beginning: who earned, spent and scored what, when and how."""
        ...


class Secrets(Protocol):
    """Who may know what, in a game with hidden things. A seat of "" is a spectator, who knows what everybody does."""

    def conceal(self, state: Any, seat: Seat) -> Any:
        """The position as a seat knows it, free to be changed. Whatever is done with it can tell nothing more."""
        ...

    def hides(self, state: Any, seat: Seat) -> bool:
        """Whether a concealed position lacks something of what a seat could play with."""
        ...

    def redact(self, event: Event, seat: Seat) -> Event:
        """The event as a seat may know it. Evolving such events leads to the concealed position."""
        ...

    def redeal(self, seat: Seat, seed: int) -> Command:
        """A command that deals anew what a seat does not know, for a line of its own in which it can't peek.

        Raises `GameError` in a game that can't do that.
        """
        ...


class Texts(Protocol):
    """What there is to read about a game; nothing where it has none."""

    def rules(self) -> Sequence[Rule]:
        """All rules, in the order of the rulebook."""
        ...

    def demo(self) -> str:
        """A whole match as a script, for `zim demo`."""
        ...

    def tutorial(self) -> str:
        """A script for one who learns: comments say what is going on; a line that names a player is not for them."""
        ...


class Art(Protocol):
    """How a board looks in a picture: SVG as text, 44 units to a square (`zimcore.toolkit.svg`).

    `ink` and `paper` are the colours of whoever owns what is drawn, as SVG takes them: `#fdfaf3`, `#b3261e`.
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
        """Who may know what; None where everybody sees everything."""
        ...

    @property
    def texts(self) -> Texts:
        """What there is to read."""
        ...

    @property
    def art(self) -> Art | None:
        """How its pieces look in a picture; None where their letters have to do."""
        ...


def figures(game: Game, state: Any) -> dict[str, Any]:
    """All figures of a position, which expressions speak of: `{"round": 4, "kilwa": {"vp": 3}}`."""
    return {
        **game.display.common(state),
        **{seat: game.display.figures(state, seat) for seat in game.evolution.seats(state)},
    }
