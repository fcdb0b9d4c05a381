"""What a position is and how events change it: all that is needed to replay a match."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from zimcore.game import Event, Outcome, Seat, Upcaster
from zimcore.games.africana.events import EVENTS, RoundBegun, TurnBegun
from zimcore.games.africana.evolve import evolve
from zimcore.games.africana.scoring import standing, vp
from zimcore.games.africana.state import State

__all__ = ["EVENTS", "MARKS", "UPCASTERS", "canonical", "copy", "evolve", "initial", "outcome", "seats", "to_move"]

UPCASTERS: Mapping[str, Upcaster] = {
    # Nobody was named then, and later options were as they are by default.
    "game_set_up.1": lambda fields: ("game_set_up.2", fields),
}
MARKS: Mapping[type[Event], Callable[[Any, State], str]] = {
    RoundBegun: lambda begun, state: f"r{begun.round}",
    TurnBegun: lambda begun, state: f"r{state.round}.{begun.seat}",
}
CANONICAL = msgspec.msgpack.Encoder(order="sorted")
ESSENCE = tuple(name for name in State.__struct_fields__ if name not in ("atlas", "house", "joined"))
"""Everything that a later decision can depend on; the atlas is made of the set-up."""

initial = State


def copy(state: State) -> State:
    """A copy of the position, which may be changed."""
    return state.copy()


def canonical(state: State) -> bytes:
    """All that makes the position, in a form that depends on nothing else.

    What only a house rule asks for is there where it is played: else digests stay what they were before there was one.
    """
    by_house = [state.house, state.joined] if state.house else []
    return CANONICAL.encode([*(getattr(state, name) for name in ESSENCE), *by_house])


def seats(state: State) -> tuple[Seat, ...]:
    """All players."""
    return state.seats


def to_move(state: State) -> tuple[Seat, ...]:
    """The seat to move: never more than one."""
    return (state.actor,) if state.actor else ()


def outcome(state: State) -> Outcome:
    """Players by their VP and then their silver (A-SCORE-08), at the end or as if it were now."""
    return Outcome(state.phase == "over", standing(state), {seat: vp(state, seat) for seat in state.seats})
