"""Nim with nothing but its rules: seats take 1 to 3 stones in turn; who takes the last one wins.

Each of its three releases stored what is taken in another form: see `tests/service/nim_releases.py`.
"""

from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import Any

import msgspec

from zimcore.game import Command, Deal, Event, Outcome, Played, Seat
from zimcore.toolkit.bundle import Bundle
from zimcore.toolkit.rules import Draft, number

SEATS = ("ann", "ben", "cid")
MAX_TAKEN = 3
OPTIONS = {"stones": "how many lie in the heap, 1 to 99999 (10)", "players": "how many take from it, 2 or 3 (2)"}


class SetUp(Deal, frozen=True, tag="set_up.1"):
    stones: int
    players: int = 2


class Take(Command, frozen=True, tag="take.1"):
    stones: int


class NimPlayed(Played, frozen=True, tag="played.1"):
    command: SetUp | Take


class HeapLaid(Event, frozen=True, tag="heap_laid.1"):
    seats: tuple[Seat, ...]
    stones: int


class RoundBegun(Event, frozen=True, tag="round_begun.1"):
    round: int


class StonesTaken(Event, frozen=True, tag="stones_taken.1"):
    seat: Seat
    stones: int
    heap: str = "the heap"


class State(msgspec.Struct):
    seats: tuple[Seat, ...] = ()
    stones: int = 0
    round: int = 0
    turn: int = 0


def set_up(options: Mapping[str, str], chance: Random) -> SetUp:
    stones = number(options, "stones", 10, least=1, most=99999)
    return SetUp(stones, number(options, "players", 2, least=2, most=3))


def to_move(state: State) -> list[Seat]:
    return [state.seats[state.turn % len(state.seats)]] if state.stones else []


def moves(state: State, seat: Seat) -> Iterator[Take]:
    return map(Take, range(1, min(MAX_TAKEN, state.stones) + 1))


def why_not(state: State, seat: Seat, command: Take) -> str:
    return f"1 to {MAX_TAKEN} of {state.stones} stones, not {command.stones}"


def follow(draft: Draft, seat: Seat, command: SetUp | Take) -> None:
    if isinstance(command, SetUp):
        draft.happen(HeapLaid(SEATS[: command.players], command.stones))
        draft.happen(RoundBegun(1))
        return
    draft.happen(StonesTaken(seat, command.stones))
    if draft.state.stones and draft.state.turn == len(draft.state.seats):
        draft.happen(RoundBegun(draft.state.round + 1))


def on_heap_laid(state: State, event: HeapLaid) -> None:
    state.seats, state.stones = event.seats, event.stones


def on_round_begun(state: State, event: RoundBegun) -> None:
    state.round, state.turn = event.round, 0


def on_stones_taken(state: State, event: StonesTaken) -> None:
    state.stones -= event.stones
    state.turn += 1


def outcome(state: State) -> Outcome:
    if not state.seats or state.stones:
        return Outcome(over=False)
    winner = state.seats[state.turn - 1]
    return Outcome(True, ((winner,), tuple(seat for seat in state.seats if seat != winner)))


def turn_mark(_: StonesTaken, state: State) -> str | None:
    return f"r{state.round}.{state.seats[state.turn]}" if 0 < state.turn < len(state.seats) else None


MARKS: Mapping[type[Event], Callable[[Any, State], str | None]] = {
    RoundBegun: lambda event, _: f"r{event.round}",
    StonesTaken: turn_mark,
}


def to_taken_2(fields: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    return "taken.2", {"seat": fields["seat"], "stones": fields["n"]}


def to_stones_taken(fields: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    return "stones_taken.1", {"seat": fields["seat"], "stones": fields["stones"]}


UPCASTERS = {"taken.1": to_taken_2, "taken.2": to_stones_taken}
GAME = Bundle(__name__, "nim", "Nim", version="3")
