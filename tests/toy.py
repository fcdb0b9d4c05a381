"""Nim, the smallest game that fulfils the contract: seats take 1 to 3 stones in turn; who takes the last one wins.

It proves that the service knows no particular game. `V1`, `V2` and `V3` are three releases of it, which store the
same fact in three forms; `STRICT` is a release with other rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import Any

import msgspec

from tests.whole import Whole, WholeTexts
from zimcore.game import (
    Accepted,
    Command,
    Event,
    Game,
    NotationError,
    OptionError,
    Outcome,
    Played,
    Refusal,
    Refused,
    Seat,
    Upcaster,
)

SEATS = ("ann", "ben", "cid")


class SetUp(Command, frozen=True, tag="set_up.1"):
    seats: tuple[Seat, ...]
    stones: int
    seed: int = 0


class Take(Command, frozen=True, tag="take.1"):
    stones: int


class NimPlayed(Played, frozen=True, tag="played.1"):
    command: SetUp | Take


class HeapLaid(Event, frozen=True, tag="heap_laid.1"):
    seats: tuple[Seat, ...]
    stones: int


class RoundBegun(Event, frozen=True, tag="round_begun.1"):
    round: int


class TakenV1(Event, frozen=True, tag="taken.1"):
    seat: Seat
    n: int


class TakenV2(Event, frozen=True, tag="taken.2"):
    seat: Seat
    stones: int


class StonesTaken(Event, frozen=True, tag="stones_taken.1"):
    seat: Seat
    stones: int
    heap: str = "the heap"


class Won(Event, frozen=True, tag="won.1"):
    seat: Seat


class State(msgspec.Struct):
    seats: tuple[Seat, ...] = ()
    stones: int = 0
    turn: int = 0
    round: int = 0
    winner: Seat = ""


def to_v2(fields: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    return "taken.2", {"seat": fields["seat"], "stones": fields["n"]}


def to_v3(fields: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    return "stones_taken.1", {"seat": fields["seat"], "stones": fields["stones"]}


class Moves:
    def __init__(self, most: int) -> None:
        self.most = most

    def __iter__(self) -> Iterator[Take]:
        return map(Take, range(1, self.most + 1))

    def __contains__(self, command: object) -> bool:
        return command in tuple(self)

    def __bool__(self) -> bool:
        return self.most > 0

    def count(self) -> int:
        return self.most

    def sample(self, rng: Random) -> Any | None:
        found = list(self)
        return rng.choice(found) if found else None

    def texts(self, beginning: str = "") -> Iterable[str]:
        return (text for n in range(1, self.most + 1) if (text := f"take {n}").startswith(beginning))


class NimTexts(WholeTexts):
    def demo(self) -> str:
        return "new nim\ntake 3"

    def tutorial(self) -> str:
        return "# Take.\nnew nim\ntake 3"


class Nim(Whole):
    title = "Nim"
    texts = NimTexts()
    OPTIONS: Mapping[str, str] = {"stones": "how many lie in the heap", "players": "2 or 3"}

    def __init__(
        self, version: str, taken: Callable[[Seat, int], Event], upcasters: Mapping[str, Upcaster], most: int = 3
    ) -> None:
        self.name = "nim"
        self.version = version
        self.taken = taken
        self.most = most
        self.EVENTS: Sequence[type[Event]] = (NimPlayed, HeapLaid, RoundBegun, type(taken("", 0)), Won)
        self.UPCASTERS = upcasters

    def initial(self) -> State:
        return State()

    def set_up(self, options: Mapping[str, str], seed: int) -> Command:
        if set(options) - set(self.OPTIONS):
            raise OptionError("an option that Nim does not have", hints=list(self.OPTIONS))
        return SetUp(SEATS[: int(options.get("players", 2))], int(options.get("stones", 10)), seed)

    def decide(self, state: State, seat: Seat, command: SetUp | Take) -> Accepted | Refused:
        if isinstance(command, SetUp):
            return self.accepted(state, HeapLaid(command.seats, command.stones), RoundBegun(1))
        broken = tuple(self._broken(state, seat, command))
        if broken:
            return Refused(broken, ("take 1",))
        facts = [self.taken(seat, command.stones)]
        if command.stones == state.stones:
            facts.append(Won(seat))
        elif seat == state.seats[-1]:
            facts.append(RoundBegun(state.round + 1))
        return self.accepted(state, *facts)

    def _broken(self, state: State, seat: Seat, command: Take) -> Iterator[Refusal]:
        if seat != self.actor(state):
            yield Refusal("N-1", f"it is not {seat}'s turn")
        if not 1 <= command.stones <= min(self.most, state.stones):
            yield Refusal("N-2", f"1 to {self.most} of {state.stones} stones, not {command.stones}")

    def evolve(self, state: State, event: Event) -> None:
        match event:
            case HeapLaid(seats, stones):
                state.seats, state.stones = seats, stones
            case RoundBegun(number):
                state.round, state.turn = number, 0
            case TakenV1(_, n) | TakenV2(_, n) | StonesTaken(_, n, _):
                state.stones -= n
                state.turn += 1
            case Won(seat):
                state.winner = seat

    def copy(self, state: State) -> State:
        return msgspec.structs.replace(state)

    def canonical(self, state: State) -> bytes:
        return msgspec.msgpack.encode(state)

    def actor(self, state: State) -> Seat | None:
        return state.seats[state.turn] if state.seats and not state.winner else None

    def seats(self, state: State) -> tuple[Seat, ...]:
        return state.seats

    def to_move(self, state: State) -> tuple[Seat, ...]:
        seat = self.actor(state)
        return (seat,) if seat else ()

    def outcome(self, state: State) -> Outcome:
        others = tuple(seat for seat in state.seats if seat != state.winner)
        return Outcome(bool(state.winner), ((state.winner,), others) if state.winner else ())

    @property
    def MARKS(self) -> Mapping[type[Event], Callable[[Any, State], str | None]]:  # noqa: N802
        def turn(_: Event, state: State) -> str | None:
            return f"r{state.round}.{self.actor(state)}" if state.turn and state.turn < len(state.seats) else None

        return {RoundBegun: lambda begun, _: f"r{begun.round}", **dict.fromkeys((TakenV1, TakenV2, StonesTaken), turn)}

    def parse(self, text: str, state: State) -> tuple[Seat | None, Take]:
        seat, colon, rest = text.rpartition(":")
        word, _, number = rest.strip().partition(" ")
        if word != "take" or not number.isdecimal():
            raise NotationError(f"no command of Nim: {text!r}", hints=["take 2"])
        return (seat if colon else None), Take(int(number))

    def format(self, command: SetUp | Take) -> str:
        return f"take {command.stones}" if isinstance(command, Take) else f"lay {command.stones}"

    def summary(self, events: Sequence[Event]) -> str:
        return next((f"{event.seat} wins" for event in events if isinstance(event, Won)), "")

    def legal(self, state: State, seat: Seat) -> Moves:
        return Moves(min(self.most, state.stones) if seat == self.actor(state) else 0)

    def status(self, state: State) -> str:
        return f"{state.stones} stones, {self.actor(state)} to take"

    def common(self, state: State) -> dict[str, Any]:
        return {"stones": state.stones, "round": state.round, "winner": state.winner}


V1: Game = Nim("1", TakenV1, {})
V2: Game = Nim("2", TakenV2, {"taken.1": to_v2})
V3: Game = Nim("3", StonesTaken, {"taken.1": to_v2, "taken.2": to_v3})
STRICT: Game = Nim("4", StonesTaken, V3.evolution.UPCASTERS, most=2)

NIM = {"nim": "tests.toy:V3"}
"""For a service's `games`."""
