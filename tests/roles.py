"""Hidden roles for the kit of authors: seats unmask each other. A truth and a member of an `Enum` carry no label."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import Enum
from random import Random

import msgspec

from zimcore.game import Command, Deal, Event, Outcome, Seat
from zimcore.toolkit.bundle import Bundle
from zimcore.toolkit.rules import Draft, outcome_by_score
from zimcore.toolkit.secrets import OWNER

SEATS = ("ann", "ben", "cid", "dot")
OPTIONS: Mapping[str, str] = {}


class Role(Enum):
    GUARD = "guard"
    COOK = "cook"
    BARD = "bard"
    SMITH = "smith"


class SetUp(Deal, frozen=True, tag="set_up.1"):
    false: dict[Seat, bool]
    roles: dict[Seat, Role]


class Unmask(Command, frozen=True, tag="unmask.1"):
    on: Seat


class Dealt(Event, frozen=True, tag="dealt.1"):
    false: dict[Seat, bool]
    roles: dict[Seat, Role]


class Unmasked(Event, frozen=True, tag="unmasked.1"):
    on: Seat
    false: bool
    role: Role


class State(msgspec.Struct):
    seats: tuple[Seat, ...] = ()
    false: dict[Seat, bool] = {}
    roles: dict[Seat, Role] = {}
    seen: dict[Seat, bool] = {}
    known: dict[Seat, Role] = {}


SECRETS = {
    State: {"false": OWNER, "roles": OWNER},
    SetUp: {"false": OWNER, "roles": OWNER},
    Dealt: {"false": OWNER, "roles": OWNER},
}


def set_up(options: Mapping[str, str], chance: Random) -> SetUp:
    return SetUp(
        {seat: chance.random() < 0.5 for seat in SEATS}, dict(zip(SEATS, chance.sample([*Role], 4), strict=True))
    )


def to_move(state: State) -> list[Seat]:
    return [state.seats[len(state.seen)]] if len(state.seen) < len(state.seats) else []


def moves(state: State, seat: Seat) -> Iterator[Unmask]:
    return (Unmask(each) for each in state.seats if each not in state.seen)


def follow(draft: Draft, seat: Seat, command: SetUp | Unmask) -> None:
    if isinstance(command, SetUp):
        draft.happen(Dealt(command.false, command.roles))
    else:
        draft.happen(Unmasked(command.on, draft.state.false[command.on], draft.state.roles[command.on]))


def on_dealt(state: State, event: Dealt) -> None:
    state.seats, state.false, state.roles = SEATS, dict(event.false), dict(event.roles)


def on_unmasked(state: State, event: Unmasked) -> None:
    state.seen[event.on], state.known[event.on] = event.false, event.role
    state.false.pop(event.on)
    state.roles.pop(event.on)


def outcome(state: State) -> Outcome:
    return outcome_by_score(
        bool(state.seats) and len(state.seen) == len(state.seats),
        {seat: int(state.seen.get(seat, False)) for seat in state.seats},
    )


GAME = Bundle(__name__, "roles", "Roles", version="1")
