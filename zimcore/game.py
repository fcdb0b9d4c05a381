"""The contract that every game fulfils, and the few words that all games share.

A game is a pure decider: `decide(state, seat, command)` says what happens, `evolve(state, event)` lets it happen.
Everything else here is how a game shows itself (notation, legal commands, a view as data) to clients that know no rule.
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
    """A rule as it can be looked up: its code, one sentence, where it stands in the rulebook, what it guards.

    `accepting` and `refusing` name the tests that show it kept, and a command being refused by it.
    """

    code: str
    text: str
    section: str
    guards: tuple[str, ...] = ()
    accepting: tuple[str, ...] = ()
    refusing: tuple[str, ...] = ()


class Outcome(msgspec.Struct, frozen=True):
    """The answer to a command that stands: its facts in order, and the state after them."""

    events: tuple[Event, ...]
    state: Any


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


class View(msgspec.Struct, frozen=True):
    """All that one may see of a position, as data; a terminal only has to draw it.

    `status` is one line: the round and what is to be done by whom. `toolbar` has a few words for the foot of a
    screen. `colours` names each seat's colour.
    """

    status: str
    actor: Seat | None
    over: bool
    board: Board
    tables: tuple[Table, ...]
    colours: dict[Seat, str]
    toolbar: str = ""


class Legal(Protocol):
    """The legal commands of a position: a view, nothing is made before it is asked for."""

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
        """A command that deals anew what a seat does not know, for a line of its own in which it can't peek."""
        ...


class Game(Protocol):
    """A game, as the service and the questions to history see it. Its methods are pure."""

    name: str
    title: str
    version: str
    """Of the rules: a certificate says which rules it was played by."""
    events: Sequence[type[Event]]
    """Today's forms of all its events, its own `Played` first."""
    money: Sequence[str]
    """Which figures of a seat are paid with, or laid by to be had later: `cattle`, `on_cards`."""
    upcasters: Mapping[str, Upcaster]
    """By the tags of yesterday; for ever, as what was stored is."""

    secrets: Secrets | None
    """None where everybody sees everything."""
    overlays: Mapping[str, str]
    """What can be laid over the board, each with its words and a sentence of help: `{"reach": "SQUARE: ..."}`."""
    questions: Mapping[str, str]
    """What can be asked of a position, the same way: `plan`, `reach`, `preview`, as far as the game knows them."""

    @property
    def options(self) -> Mapping[str, str]:
        """The options of a new game, each with a sentence of help: `zim new kilwa-7 players=4 seed=7`."""
        ...

    def initial(self) -> Any:
        """The state before anything happened."""
        ...

    def set_up(self, options: Mapping[str, str], seed: int) -> Command:
        """The command that sets a game up. Raises `OptionError`."""
        ...

    def decide(self, state: Any, seat: Seat, command: Any) -> Outcome | Refused:
        """What follows from a command; the state given is left as it is."""
        ...

    def evolve(self, state: Any, event: Event) -> None:
        """Lets an event happen to the state given: every event of a commit, `Played` too."""
        ...

    def copy(self, state: Any) -> Any:
        """The same state, free to be changed."""
        ...

    def canonical(self, state: Any) -> bytes:
        """The bytes that stand for the state: equal for equal positions, on any machine."""
        ...

    def actor(self, state: Any) -> Seat | None:
        """Whose turn it is; nobody's before set-up and after the end."""
        ...

    def seats(self, state: Any) -> tuple[Seat, ...]:
        """All players, in the order of the seats."""
        ...

    @property
    def marks(self) -> Mapping[type[Event], Callable[[Any], str | None]]:
        """The events that begin something, and the name of the position after one: `r4`, `r4.zulu`."""
        ...

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

    def legal(self, state: Any) -> Legal:
        """What the actor can play now."""
        ...

    def view(self, state: Any, seat: Seat | None = None) -> View:
        """The position as it is seen from a seat, or by somebody who sees all.

        Any state has one: the initial one, and those between the events of a commit.
        """
        ...

    def values(self, state: Any, seat: Seat | None = None) -> dict[str, Any]:
        """What expressions speak of, by names of one or more parts: `{"round": 4, "kilwa": {"vp": 3}}`.

        Seen as a view is, and often: `why` asks after every event, also where a commit goes on.
        """
        ...

    def overlay(self, state: Any, name: str, words: Sequence[str]) -> Overlay:
        """One of the overlays for these words. Raises `NotationError`."""
        ...

    def ask(self, state: Any, question: str, words: Sequence[str]) -> Sequence[Table]:
        """The answer to one of the questions with these words. Raises `NotationError`."""
        ...

    def statistics(self, events: Sequence[Event]) -> Sequence[Table]:
        """What came of the events of a game, from its beginning: who earned, spent and scored what, when and how."""
        ...

    def rules(self) -> Sequence[Rule]:
        """All rules, in the order of the rulebook."""
        ...

    def demo(self) -> str:
        """A whole game as a script, for `zim demo`."""
        ...

    def tutorial(self) -> str:
        """A script for one who learns: comments say what is going on; a line that names a player is not for them."""
        ...
