"""Nim with nothing but its rules: seats take 1 to 3 stones in turn; who takes the last one wins."""

from collections.abc import Iterator, Mapping
from random import Random

import msgspec

from zimcore.game import Command, Deal, Event, Outcome, Seat
from zimcore.toolkit.bundle import Bundle
from zimcore.toolkit.rules import Draft, number

OPTIONS = {"stones": "how many lie in the heap, 1 to 99 (10)"}


class SetUp(Deal, frozen=True, tag="set_up.1"):
    stones: int


class Take(Command, frozen=True, tag="take.1"):
    stones: int


class HeapLaid(Event, frozen=True, tag="heap_laid.1"):
    stones: int


class StonesTaken(Event, frozen=True, tag="stones_taken.1"):
    seat: Seat
    stones: int


class State(msgspec.Struct):
    seats: tuple[Seat, ...] = ()
    stones: int = 0
    turn: int = 0


def set_up(options: Mapping[str, str], chance: Random) -> SetUp:
    return SetUp(number(options, "stones", 10, least=1, most=99))


def to_move(state: State) -> list[Seat]:
    return [state.seats[state.turn % 2]] if state.stones else []


def moves(state: State, seat: Seat) -> Iterator[Take]:
    return map(Take, range(1, min(3, state.stones) + 1))


def follow(draft: Draft, seat: Seat, command: SetUp | Take) -> None:
    fact = HeapLaid(command.stones) if isinstance(command, SetUp) else StonesTaken(seat, command.stones)
    draft.happen(fact)


def on_heap_laid(state: State, event: HeapLaid) -> None:
    state.seats, state.stones = ("ann", "ben"), event.stones


def on_stones_taken(state: State, event: StonesTaken) -> None:
    state.stones -= event.stones
    state.turn += 1


def outcome(state: State) -> Outcome:
    if not state.seats or state.stones:
        return Outcome(over=False)
    to_take = state.seats[state.turn % 2]
    return Outcome(True, tuple((seat,) for seat in sorted(state.seats, key=to_take.__eq__)))


GAME = Bundle(__name__, "nim", "Nim", version="1")
