"""The state, its events, and the outcome: all that replaying a match needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from zimcore.game import Event, Outcome, Seat, Upcaster
from zimcore.games.zimbabwe.events import EVENTS, RoundBegun, TurnBegun
from zimcore.games.zimbabwe.evolve import evolve
from zimcore.games.zimbabwe.ranking import ranking
from zimcore.games.zimbabwe.state import State

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

initial = State


def copy(state: State) -> State:
    """A copy of the state, which can be changed."""
    return state.copy()


def canonical(state: State) -> bytes:
    """The state as bytes that are the same for equal states."""
    return CANONICAL_ENCODER.encode(_canonical_fields(state))


def seats(state: State) -> tuple[Seat, ...]:
    """The seats of all players."""
    return state.seats


def to_move(state: State) -> tuple[Seat, ...]:
    """The seat to move, at most one."""
    return (state.actor,) if state.actor else ()


def outcome(state: State) -> Outcome:
    """The ranking by R-END-02; scores are VP - VR, negative until a player reaches their VR."""
    ranked_seats = sorted(ranking(state), key=lambda seat: seat != state.winner)
    score_by_seat = {seat: state.vp[seat] - state.vr[seat] for seat in ranked_seats}
    return Outcome(state.phase == "over", tuple((seat,) for seat in ranked_seats), score_by_seat)


def _canonical_fields(state: State) -> tuple[object, ...]:
    """The fields on which later decisions can depend, without those derived from others.

    Fields that only a house rule needs are included only if one is in play, so that older digests stay the same.
    """
    return (
        (*_usual_fields(state), state.house, state.used_markers_by_seat, state.prices_raised)
        if state.house
        else _usual_fields(state)
    )


def _usual_fields(state: State) -> tuple[object, ...]:
    board, adorer_by_god = state.board, {god: seat for seat, god in state.adores.items()}
    return (
        state.setup,
        state.phase,
        state.round,
        state.vp,
        state.vr,
        state.queue,
        # Lists, as the order matters: accounts and cards are listed, and collect revenues, in the order of creation.
        list(state.cattle.items()),
        {god: adorer_by_god.get(god) for god in state.setup.gods},
        list(state.specialists.items()),
        list(state.technologies.items()),
        (state.plaques, state.cattle_given, state.gift, state.givers, state.passed_seats, state.bidder),
        state.order,
        state.turn,
        state.monuments,
        [(craftsman.type, craftsman.owner, craftsman.squares) for craftsman in state.craftsmen],
        state.used_markers,
        {resource: board.names(squares) for resource, squares in state.resources.items()},
        board.names(board.water),
        state.tiles,
        state.water_tiles,
        state.seats_at_vr,
        state.winner,
    )
