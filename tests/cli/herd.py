"""A small game for the terminal to show: kilwa and zulu take cattle from a herd, and build on the 3x3 board with them.

It replaces defaults of the toolkit where tests need more: refusals by rules, a board, questions.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

import msgspec

from zimcore.game import (
    Accepted,
    AmbiguousError,
    Board,
    Cell,
    Command,
    Deal,
    Event,
    NotationError,
    Outcome,
    Overlay,
    Refusal,
    Refused,
    Rule,
    Seat,
    Table,
)
from zimcore.toolkit.bundle import Bundle
from zimcore.toolkit.notation import Notation, commands_of
from zimcore.toolkit.rules import Draft, number

SEATS = ("kilwa", "zulu")
SQUARES = tuple(f"{column}{row}" for row in "123" for column in "abc")
OPTIONS = {"herd": "how many cattle there are, 1 to 99 (9)"}
MONEY = ("cattle",)
SERIES = ("vp", "cattle")


class SetUp(Deal, frozen=True, tag="set_up.1"):
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


class State(msgspec.Struct):
    herd: int = 0
    round: int = 0
    turn: int = 0
    cattle: dict[Seat, int] = {}
    squares: dict[str, Seat] = {}
    seats: tuple[Seat, ...] = SEATS


def set_up(options: Mapping[str, str], chance: Random) -> SetUp:
    return SetUp(number(options, "herd", 9, least=1, most=99))


def to_move(state: State) -> list[Seat]:
    return [SEATS[state.turn]] if state.herd else []


def moves(state: State, seat: Seat) -> Iterator[Command]:
    yield from map(Take, range(1, min(3, state.herd) + 1))
    if state.cattle.get(seat):
        yield from (Build(square) for square in SQUARES if square not in state.squares)


def decide(state: State, seat: Seat, command: Command) -> Accepted | Refused:
    refusals = tuple(broken_rules(state, seat, command))
    return Refused(refusals, ("legal take",)) if refusals else GAME.rules.apply(state, seat, command)


def broken_rules(state: State, seat: Seat, command: Command) -> Iterator[Refusal]:
    if isinstance(command, SetUp):
        return
    if seat not in to_move(state):
        yield Refusal("R-TUR-01", f"it is {' '.join(to_move(state)) or 'nobody'}'s turn, not {seat}'s")
    if isinstance(command, Take) and not 1 <= command.number <= min(3, state.herd):
        yield Refusal("R-HER-01", f"1 to 3 of the {state.herd} cattle, not {command.number}")
    if isinstance(command, Build) and command not in moves(state, seat):
        yield Refusal("R-HER-02", f"to build costs 1 and takes a free square; {seat} has {state.cattle.get(seat, 0)}")


def follow(draft: Draft, seat: Seat, command: Command) -> None:
    match command:
        case SetUp(herd):
            draft.happen(HerdMet(herd))
            draft.happen(RoundBegun(1))
            return
        case Take(taken):
            draft.happen(Taken(seat, taken))
        case Build(square):
            draft.happen(Built(seat, square))
    if seat == SEATS[-1]:
        draft.happen(RoundBegun(draft.state.round + 1))


def on_herd_met(state: State, event: HerdMet) -> None:
    state.herd, state.cattle = event.herd, dict.fromkeys(SEATS, 0)


def on_taken(state: State, event: Taken) -> None:
    state.herd -= event.number
    state.cattle[event.seat] += event.number
    state.turn = 1


def on_built(state: State, event: Built) -> None:
    state.cattle[event.seat] -= 1
    state.squares[event.square] = event.seat
    state.turn = 1


def on_round_begun(state: State, event: RoundBegun) -> None:
    state.round, state.turn = event.round, 0


def outcome(state: State) -> Outcome:
    squares = list(state.squares.values())
    ranking = tuple((seat,) for seat in sorted(SEATS, key=squares.count, reverse=True))
    return Outcome(bool(state.round) and not state.herd, ranking, {seat: squares.count(seat) for seat in SEATS})


DESCRIPTIONS = {
    HerdMet: "a herd of {herd} is met",
    Taken: "{seat} takes {number}",
    Built: "{seat} builds on {square}",
    RoundBegun: "round {round} begins",
}


def summary(events: Sequence[Event]) -> str:
    return ", ".join(f"+{event.number} cattle" for event in events if isinstance(event, Taken))


def parse(text: str, state: State) -> tuple[Seat | None, Command]:
    """Parses as the toolkit does; a verb alone is ambiguous, and `boom` raises an error that is a bug."""
    if text == "boom":
        raise RuntimeError("boom")
    if text in ("t", "b"):
        raise AmbiguousError(text, "more is needed", ("take 1", "build a1"))
    module = sys.modules[__name__]
    return Notation(module, commands_of(module)).parse(text, state)


def figures(state: State, seat: Seat) -> Mapping[str, Any]:
    return {"vp": outcome(state).scores[seat], "cattle": state.cattle.get(seat, 0)}


def toolbar(state: State) -> str:
    return f"herd {state.herd}"


def board(state: State) -> Board:
    def cell(square: str) -> Cell:
        owner = state.squares.get(square, "")
        if owner:
            return Cell(square, f"{owner[0].upper()}1", "monument", "monument", owner)
        return Cell(square, "~", "water") if square == "b2" else Cell(square, ".", "land")

    rows = tuple(tuple(cell(f"{column}{row}") for column in "abc") for row in "123")
    return Board(tuple("abc"), tuple("123"), rows, (("K1", "a house of Kilwa"), ("~", "water")))


OVERLAYS = {"houses": "whose houses stand where", "row": "SQUARE: the row of a square"}


def overlay(state: State, name: str, words: Sequence[str]) -> Overlay:
    match name, *words:
        case ["houses"]:
            return Overlay("whose house", {square: seat[:2].title() for square, seat in state.squares.items()})
        case ["row", square] if square in SQUARES:
            return Overlay(
                f"the row of {square}", {other_square: "" for other_square in SQUARES if other_square[1] == square[1]}
            )
    raise NotationError(" ".join((name, *words)), "the overlays are houses and row SQUARE", ["board --row a1"])


QUESTIONS = {"plan": "what is worth taking", "preview": "COMMAND: what is left after it"}


def ask(state: State, question: str, words: Sequence[str]) -> Sequence[Table]:
    match question, *words:
        case ["plan"]:
            return [Table("Worth taking", ("cattle",), (("3",), ("2",)), numbers=("cattle",))]
        case ["preview", "take", taken]:
            return [Table("", ("left",), ((str(state.herd - int(taken)),),), numbers=("left",))]
        case ["preview", *_]:
            return []
    raise NotationError(" ".join((question, *words)), "the herd grazes", ["plan"])


def statistics(events: Sequence[Event]) -> Sequence[Table]:
    taken_by_seat = dict.fromkeys(SEATS, 0)
    for event in events:
        if isinstance(event, Taken):
            taken_by_seat[event.seat] += event.number
    return [
        Table(
            "Cattle taken",
            ("empire", "cattle"),
            tuple((seat, str(cattle)) for seat, cattle in taken_by_seat.items()),
            SEATS,
            ("cattle",),
        )
    ]


def rules() -> Sequence[Rule]:
    return (
        Rule("R-TUR-01", "Empires move in turn.", "Turns", ("take", "build")),
        Rule("R-HER-01", "1 to 3 cattle are taken, no more than there are.", "The herd", ("take",)),
        Rule("R-HER-02", "To build costs 1.", "The herd", ("build",)),
    )


def demo() -> str:
    return """\
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


def tutorial() -> str:
    return """\
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


GAME = Bundle(__name__, "herd", "The Herd", version="1")
