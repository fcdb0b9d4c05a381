"""The state, its events, and the outcome: all that replaying a match needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from zimcore.game import Event, Outcome, Seat, Upcaster
from zimcore.games.africana.events import EVENTS, RoundBegun, TurnBegun
from zimcore.games.africana.evolve import evolve
from zimcore.games.africana.scoring import ranking, vp
from zimcore.games.africana.state import State

__all__ = ["EVENTS", "MARKS", "UPCASTERS", "canonical", "copy", "evolve", "initial", "outcome", "seats", "to_move"]

UPCASTERS: Mapping[str, Upcaster] = {
    # Version 1 had no names of players and none of the later options: defaults are right.
    "game_set_up.1": lambda fields: ("game_set_up.2", fields),
}
MARKS: Mapping[type[Event], Callable[[Any, State], str]] = {
    RoundBegun: lambda event, state: f"r{event.round}",
    TurnBegun: lambda event, state: f"r{state.round}.{event.seat}",
}
CANONICAL_ENCODER = msgspec.msgpack.Encoder(order="sorted")
HOUSE_FIELDS = ("house", "joined_this_turn", "recoloured_assistants")
CANONICAL_FIELDS = tuple(name for name in State.__struct_fields__ if name not in ("atlas", *HOUSE_FIELDS))
"""The fields on which later decisions can depend; the atlas follows from the set-up."""

initial = State


def copy(state: State) -> State:
    """A copy of the state, which can be changed."""
    return state.copy()


def canonical(state: State) -> bytes:
    """The state as bytes that are the same for equal states.

    Fields that only a house rule needs are included only if one is in play, so that older digests stay the same.
    """
    house_fields = [state.house, state.joined_this_turn] if state.house else []
    if state.has_house_rule("recoloured_assistants"):
        house_fields.append(state.recoloured_assistants)
    return CANONICAL_ENCODER.encode([*(getattr(state, name) for name in CANONICAL_FIELDS), *house_fields])


def seats(state: State) -> tuple[Seat, ...]:
    """The seats of all players."""
    return state.seats


def to_move(state: State) -> tuple[Seat, ...]:
    """The seat to move, at most one."""
    return (state.actor,) if state.actor else ()


def outcome(state: State) -> Outcome:
    """The ranking by VP and then silver (A-SCORE-08), at the end or as if the game ended now."""
    return Outcome(state.phase == "over", ranking(state), {seat: vp(state, seat) for seat in state.seats})
