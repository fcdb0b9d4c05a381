"""A small game for the terminal to show: kilwa and zulu take cattle from a herd, and build on the 3x3 board with them.

It fulfils the contract of `zimcore.game`, so that what the terminal prints can be tested without any rules of Zimbabwe.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, TypeGuard

import msgspec

from tests.whole import Whole, WholeTexts
from zimcore.game import (
    Accepted,
    AmbiguousError,
    Board,
    Cell,
    Command,
    Event,
    Legal,
    NotationError,
    OptionError,
    Outcome,
    Overlay,
    Played,
    Refusal,
    Refused,
    Rule,
    Seat,
    Table,
)
from zimcore.toolkit.words import begin

SEATS = ("kilwa", "zulu")
SQUARES = tuple(f"{column}{row}" for row in "123" for column in "abc")


class SetUp(Command, frozen=True, tag="set_up.1"):
    herd: int


class Take(Command, frozen=True, tag="take.1"):
    number: int


class Build(Command, frozen=True, tag="build.1"):
    square: str


class HerdMet(Event, frozen=True, tag="herd_met.1"):
    herd: int


class Taken(Event, frozen=True, tag="taken.1"):
    seat: Seat
    number: int


class Built(Event, frozen=True, tag="built.1"):
    seat: Seat
    square: str


class RoundBegun(Event, frozen=True, tag="round_begun.1"):
    round: int


class HerdPlayed(Played, frozen=True, tag="played.1"):
    command: SetUp | Take | Build


class State(msgspec.Struct):
    herd: int = 0
    round: int = 0
    turn: int = 0
    cattle: dict[Seat, int] = {}
    squares: dict[str, Seat] = {}


class Moves:
    def __init__(self, state: State) -> None:
        self.state = state

    def __iter__(self) -> Iterator[Any]:
        taken = range(1, min(3, self.state.herd) + 1)
        yield from (Take(number) for number in taken)
        if self.state.cattle[SEATS[self.state.turn]]:
            yield from (Build(square) for square in SQUARES if square not in self.state.squares)

    def __contains__(self, command: object) -> bool:
        return command in list(self)

    def __bool__(self) -> bool:
        return self.count() > 0

    def count(self) -> int:
        return len(list(self))

    def sample(self, rng: Random) -> Any | None:
        found = list(self)
        return rng.choice(found) if found else None

    def texts(self, beginning: str = "") -> Iterable[str]:
        return (text for text in map(GAME.format, self) if begin(text.split(), beginning.split()))


class HerdTexts(WholeTexts):
    def rules(self) -> Sequence[Rule]:
        return (
            Rule("R-TUR-01", "Empires move in turn.", "Turns", ("take", "build")),
            Rule("R-HER-01", "1 to 3 cattle are taken, no more than there are.", "The herd", ("take",)),
            Rule("R-HER-02", "To build costs 1.", "The herd", ("build",)),
        )

    def demo(self) -> str:
        return DEMO

    def tutorial(self) -> str:
        return TUTORIAL


class Herd(Whole):
    name = "herd"
    title = "The Herd"
    texts = HerdTexts()
    MONEY: Sequence[str] = ("cattle",)
    OPTIONS: Mapping[str, str] = {"herd": "how many cattle there are, 1 to 99 (9)"}
    EVENTS: Sequence[type[Event]] = (HerdPlayed, HerdMet, Taken, Built, RoundBegun)
    OVERLAYS: Mapping[str, str] = {"houses": "whose houses stand where", "row": "SQUARE: the row of a square"}
    QUESTIONS: Mapping[str, str] = {"plan": "what is worth taking", "preview": "COMMAND: what is left after it"}

    def initial(self) -> State:
        return State()

    def set_up(self, options: Mapping[str, str], seed: int) -> Command:
        for key in options:
            if key not in self.OPTIONS:
                raise OptionError(f"no option {key}", "the options are " + ", ".join(self.OPTIONS))
        return SetUp(int(options.get("herd", 9)))

    def decide(self, state: State, seat: Seat, command: Any) -> Accepted | Refused:
        refusals = [] if isinstance(command, SetUp) else list(self.breaks(state, seat, command))
        if refusals:
            return Refused(tuple(refusals), ("legal take",))
        return self.accepted(state, *self.facts(state, seat, command))

    def breaks(self, state: State, seat: Seat, command: Any) -> Iterator[Refusal]:
        if seat != self.actor(state):
            yield Refusal("R-TUR-01", f"it is {self.actor(state) or 'nobody'}'s turn, not {seat}'s")
        if isinstance(command, Take) and not 1 <= command.number <= min(3, state.herd):
            yield Refusal("R-HER-01", f"1 to 3 of the {state.herd} cattle, not {command.number}")
        if isinstance(command, Build) and not state.cattle[seat]:
            yield Refusal("R-HER-02", f"to build costs 1 and {seat} has 0")

    def facts(self, state: State, seat: Seat, command: Any) -> Iterator[Event]:
        match command:
            case SetUp(herd=herd):
                yield HerdMet(herd)
                yield RoundBegun(1)
                return
            case Take(number=number):
                yield Taken(seat, number)
            case Build(square=square):
                yield Built(seat, square)
        if state.turn == 1:
            yield RoundBegun(state.round + 1)

    def evolve(self, state: State, event: Event) -> None:
        match event:
            case HerdMet(herd=herd):
                state.herd, state.cattle = herd, dict.fromkeys(SEATS, 0)
            case Taken(seat=seat, number=number):
                state.herd -= number
                state.cattle[seat] += number
            case Built(seat=seat, square=square):
                state.cattle[seat] -= 1
                state.squares[square] = seat
            case RoundBegun(round=number):
                state.round, state.turn = number, 0
                return
        state.turn = 1 if isinstance(event, (Taken, Built)) else state.turn

    def copy(self, state: State) -> State:
        return msgspec.structs.replace(state, cattle=dict(state.cattle), squares=dict(state.squares))

    def canonical(self, state: State) -> bytes:
        return msgspec.json.encode(state, order="deterministic")

    def actor(self, state: State) -> Seat | None:
        return SEATS[state.turn] if state.herd else None

    def seats(self, state: State) -> tuple[Seat, ...]:
        return SEATS

    MARKS: Mapping[type[Event], Callable[[Any, Any], str | None]] = {RoundBegun: lambda begun, _: f"r{begun.round}"}

    def to_move(self, state: State) -> tuple[Seat, ...]:
        return (SEATS[state.turn],) if state.herd else ()

    def outcome(self, state: State) -> Outcome:
        scores = {seat: score(state, seat) for seat in SEATS}
        best = leader(state)
        return Outcome(not state.herd, ((best,), *((seat,) for seat in SEATS if seat != best)), scores)

    def parse(self, text: str, state: State) -> tuple[Seat | None, Any]:
        seat, _, rest = text.rpartition(":")
        if seat and seat not in SEATS:
            raise NotationError(f"no empire: {seat}", "they are " + ", ".join(SEATS))
        match rest.split():
            case ["t" | "b" as word]:
                raise AmbiguousError(word, "more is needed", ("take 1", "build a1"))
            case ["boom"]:
                raise RuntimeError("boom")
            case [word, number] if "take".startswith(word) and number.isdigit():
                return seat or None, Take(int(number))
            case [word, square] if "build".startswith(word) and square in SQUARES:
                return seat or None, Build(square)
        raise NotationError(rest.strip(), "a move is take NUMBER or build SQUARE", ("legal",))

    def format(self, command: Any) -> str:
        match command:
            case Take(number=number):
                return f"take {number}"
            case Build(square=square):
                return f"build {square}"
        return f"set up herd={command.herd}"

    def describe(self, event: Event) -> str:
        match event:
            case HerdMet(herd=herd):
                return f"a herd of {herd} is met"
            case Taken(seat=seat, number=number):
                return f"{seat} takes {number}"
            case Built(seat=seat, square=square):
                return f"{seat} builds on {square}"
            case RoundBegun(round=number):
                return f"round {number} begins"
            case HerdPlayed(seat=seat, command=command):
                return f"{seat}: {self.format(command)}"
        return ""

    def summary(self, events: Sequence[Event]) -> str:
        return ", ".join(f"+{event.number} cattle" for event in events if isinstance(event, Taken))

    def legal(self, state: State, seat: Seat) -> Legal:
        return Moves(state)

    def status(self, state: State) -> str:
        actor = self.actor(state)
        return f"round {state.round} · {actor.title()} to move" if actor else f"{leader(state).title()} wins"

    def tables(self, state: State) -> Sequence[Table]:
        rows = tuple((one, str(state.cattle.get(one, 0)), str(score(state, one))) for one in SEATS)
        return (Table("Standings", ("empire", "cattle", "VP"), rows, SEATS),)

    def colours(self, state: State) -> Mapping[Seat, str]:
        return {"kilwa": "red", "zulu": "yellow"}

    def names(self, state: Any) -> Mapping[Seat, str]:
        return {}

    def toolbar(self, state: State) -> str:
        return f"herd {state.herd}"

    def board(self, state: State) -> Board:
        return board(state)

    def common(self, state: State) -> dict[str, Any]:
        winner = None if self.actor(state) else leader(state)
        return {"round": state.round, "herd": state.herd, "winner": winner}

    def figures(self, state: State, seat: Seat) -> dict[str, Any]:
        return {"vp": score(state, seat), "cattle": state.cattle.get(seat, 0)}

    def overlay(self, state: State, name: str, words: Sequence[str]) -> Overlay:
        match name, *words:
            case ["houses"]:
                return Overlay("whose house", {square: seat[:2].title() for square, seat in state.squares.items()})
            case ["row", square] if square in SQUARES:
                return Overlay(f"the row of {square}", {each: "" for each in SQUARES if each[1] == square[1]})
        raise NotationError(" ".join((name, *words)), "the overlays are houses and row SQUARE", ["board --row a1"])

    def ask(self, state: State, question: str, words: Sequence[str]) -> Sequence[Table]:
        match question, *words:
            case ["plan"]:
                return [Table("Worth taking", ("cattle",), (("3",), ("2",)))]
            case ["preview", "take", number]:
                return [Table("", ("left",), ((str(state.herd - int(number)),),))]
            case ["preview", *_]:
                return []
        raise NotationError(" ".join((question, *words)), "the herd grazes", ["plan"])

    def statistics(self, events: Sequence[Event]) -> Sequence[Table]:
        taken = {seat: sum(event.number for event in events if is_by(event, seat)) for seat in SEATS}
        return [Table("Cattle taken", ("empire", "cattle"), tuple((s, str(n)) for s, n in taken.items()), SEATS)]


def is_by(event: Event, seat: Seat) -> TypeGuard[Taken]:
    return isinstance(event, Taken) and event.seat == seat


def score(state: State, seat: Seat) -> int:
    return list(state.squares.values()).count(seat)


def leader(state: State) -> Seat:
    return max(SEATS, key=lambda seat: score(state, seat))


def board(state: State) -> Board:
    def cell(square: str) -> Cell:
        owner = state.squares.get(square, "")
        if owner:
            return Cell(square, f"{owner[0].upper()}1", "monument", "monument", owner)
        return Cell(square, "~", "water") if square == "b2" else Cell(square, ".", "land")

    rows = tuple(tuple(cell(f"{column}{row}") for column in "abc") for row in "123")
    return Board(tuple("abc"), tuple("123"), rows, (("K1", "a house of Kilwa"), ("~", "water")))


DEMO = """\
new herd-demo herd=5   # a small herd
take 2
take 2
build a1
fork @r2 what-if
take 1
compare main what-if
switch main
expect kilwa.vp == 1
verify
"""

TUTORIAL = """\
# You are Kilwa, and there is a herd.
new tutorial herd=7
# Take some of it.
take 2
# Zulu does the same.
zulu: take 1
# How do you stand?
show
build a1
# That is all.
"""

GAME = Herd()
