"""A game of deduction: seats hold cards of guests, ask each other in secret, and accuse the guest that is missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from random import Random

import msgspec

from zimcore.game import Command, Deal, Event, Outcome, Seat
from zimcore.toolkit.bundle import Bundle
from zimcore.toolkit.rules import Draft
from zimcore.toolkit.secrets import NOBODY, OWNER

SEATS = ("kim", "lou", "max")
GUESTS = ("baker", "clerk", "diver", "earl", "fiddler", "groom", "hatter")
OPTIONS: Mapping[str, str] = {}


class SetUp(Deal, frozen=True, tag="set_up.1"):
    hands: dict[Seat, tuple[str, ...]]
    missing: str
    plans: tuple[int, ...]


class Ask(Command, frozen=True, tag="ask.1"):
    of: Seat
    guest: str


class Scheme(Command, frozen=True, tag="scheme.1"):
    pass


class Accuse(Command, frozen=True, tag="accuse.1"):
    guest: str


class Dealt(Event, frozen=True, tag="dealt.1"):
    hands: dict[Seat, tuple[str, ...]]
    missing: str
    plans: tuple[int, ...]


class Answered(Event, frozen=True, tag="answered.1"):
    seat: Seat
    of: Seat
    guest: str
    is_held: bool


class PlanDrawn(Event, frozen=True, tag="plan_drawn.1"):
    seat: Seat
    plan: int


class Accused(Event, frozen=True, tag="accused.1"):
    seat: Seat
    guest: str
    is_right: bool


class State(msgspec.Struct):
    seats: tuple[Seat, ...] = ()
    hands: dict[Seat, tuple[str, ...]] = {}
    missing: str = ""
    plans: tuple[int, ...] = ()
    drawn: dict[Seat, int] = {}
    notes: dict[Seat, tuple[bool, ...]] = {}
    turn: int = 0
    out: tuple[Seat, ...] = ()
    winner: Seat = ""


SECRETS = {
    State: {"hands": OWNER, "missing": NOBODY, "plans": NOBODY, "drawn": OWNER, "notes": OWNER},
    SetUp: {"hands": OWNER, "missing": NOBODY, "plans": NOBODY},
    Dealt: {"hands": OWNER, "missing": NOBODY, "plans": NOBODY},
    Answered: {"is_held": OWNER},
    PlanDrawn: {"plan": OWNER},
}
DISCLOSES = {Accused: {"is_right"}}


def set_up(options: Mapping[str, str], chance: Random) -> SetUp:
    guests = chance.sample(GUESTS, len(GUESTS))
    hands = {seat: tuple(sorted(guests[2 * index : 2 * index + 2])) for index, seat in enumerate(SEATS)}
    return SetUp(hands, guests[-1], tuple(chance.randint(1, 6) for _ in range(6)))


def to_move(state: State) -> list[Seat]:
    waiting = [seat for seat in state.seats if seat not in state.out]
    return [] if state.winner or not waiting or state.turn >= 24 else [waiting[state.turn % len(waiting)]]


def moves(state: State, seat: Seat) -> Iterator[Ask | Scheme | Accuse]:
    yield from (Ask(other, guest) for other in state.seats if other != seat for guest in GUESTS)
    if seat not in state.drawn and state.plans:
        yield Scheme()
    yield from map(Accuse, GUESTS)


def follow(draft: Draft, seat: Seat, command: SetUp | Ask | Scheme | Accuse) -> None:
    state = draft.state
    if isinstance(command, SetUp):
        draft.happen(Dealt(command.hands, command.missing, command.plans))
    elif isinstance(command, Ask):
        draft.happen(Answered(seat, command.of, command.guest, command.guest in state.hands[command.of]))
    elif isinstance(command, Scheme):
        draft.happen(PlanDrawn(seat, state.plans[0]))
    else:
        draft.happen(Accused(seat, command.guest, command.guest == state.missing))


def on_dealt(state: State, event: Dealt) -> None:
    state.seats, state.hands, state.missing, state.plans = SEATS, dict(event.hands), event.missing, event.plans
    state.notes = dict.fromkeys(SEATS, ())


def on_answered(state: State, event: Answered) -> None:
    state.notes[event.seat] += (event.is_held,)
    state.turn += 1


def on_plan_drawn(state: State, event: PlanDrawn) -> None:
    state.drawn[event.seat], state.plans = event.plan, state.plans[1:]
    state.turn += 1


def on_accused(state: State, event: Accused) -> None:
    if event.is_right:
        state.winner = event.seat
    else:
        state.out += (event.seat,)


def outcome(state: State) -> Outcome:
    if not state.seats or to_move(state):
        return Outcome(False, (), dict.fromkeys(state.seats))
    others = tuple(seat for seat in state.seats if seat != state.winner)
    return Outcome(True, ((state.winner,), others) if state.winner else (others,))


GAME = Bundle(__name__, "guests", "Guests", version="1")
