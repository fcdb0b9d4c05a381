"""Hidden roles for the kit of authors: seats unmask each other. `True` and a member of an `Enum` carry no label."""

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
    liars: dict[Seat, bool]
    roles: dict[Seat, Role]


class Unmask(Command, frozen=True, tag="unmask.1"):
    on: Seat


class Dealt(Event, frozen=True, tag="dealt.1"):
    liars: dict[Seat, bool]
    roles: dict[Seat, Role]


class Unmasked(Event, frozen=True, tag="unmasked.1"):
    on: Seat
    is_liar: bool
    role: Role


class State(msgspec.Struct):
    seats: tuple[Seat, ...] = ()
    liars: dict[Seat, bool] = {}
    roles: dict[Seat, Role] = {}
    unmasked_liars: dict[Seat, bool] = {}
    unmasked_roles: dict[Seat, Role] = {}


SECRETS = {
    State: {"liars": OWNER, "roles": OWNER},
    SetUp: {"liars": OWNER, "roles": OWNER},
    Dealt: {"liars": OWNER, "roles": OWNER},
}


def set_up(options: Mapping[str, str], chance: Random) -> SetUp:
    return SetUp(
        {seat: chance.random() < 0.5 for seat in SEATS}, dict(zip(SEATS, chance.sample([*Role], 4), strict=True))
    )


def to_move(state: State) -> list[Seat]:
    return [state.seats[len(state.unmasked_liars)]] if len(state.unmasked_liars) < len(state.seats) else []


def moves(state: State, seat: Seat) -> Iterator[Unmask]:
    return (Unmask(other_seat) for other_seat in state.seats if other_seat not in state.unmasked_liars)


def follow(draft: Draft, seat: Seat, command: SetUp | Unmask) -> None:
    if isinstance(command, SetUp):
        draft.happen(Dealt(command.liars, command.roles))
    else:
        draft.happen(Unmasked(command.on, draft.state.liars[command.on], draft.state.roles[command.on]))


def on_dealt(state: State, event: Dealt) -> None:
    state.seats, state.liars, state.roles = SEATS, dict(event.liars), dict(event.roles)


def on_unmasked(state: State, event: Unmasked) -> None:
    state.unmasked_liars[event.on], state.unmasked_roles[event.on] = event.is_liar, event.role
    state.liars.pop(event.on)
    state.roles.pop(event.on)


def outcome(state: State) -> Outcome:
    return outcome_by_score(
        bool(state.seats) and len(state.unmasked_liars) == len(state.seats),
        {seat: int(state.unmasked_liars.get(seat, False)) for seat in state.seats},
    )


GAME = Bundle(__name__, "roles", "Roles", version="1")
