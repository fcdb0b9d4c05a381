"""What a position is and how events change it: all that is needed to replay a match."""

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
    # Nobody was named then, and later options were as they are by default.
    "game_set_up.1": lambda fields: ("game_set_up.2", fields),
}
MARKS: Mapping[type[Event], Callable[[Any, State], str]] = {
    RoundBegun: lambda begun, state: f"r{begun.round}",
    TurnBegun: lambda begun, state: f"r{state.round}.{begun.seat}",
}
CANONICAL = msgspec.msgpack.Encoder(order="sorted")

initial = State


def copy(state: State) -> State:
    """A copy of the position, which may be changed."""
    return state.copy()


def canonical(state: State) -> bytes:
    """All that makes the position, in a form that depends on nothing else."""
    return CANONICAL.encode(_essence(state))


def seats(state: State) -> tuple[Seat, ...]:
    """All players."""
    return state.seats


def to_move(state: State) -> tuple[Seat, ...]:
    """The seat to move: never more than one."""
    return (state.actor,) if state.actor else ()


def outcome(state: State) -> Outcome:
    """Players by R-END-02, best first; each counts VP above VR, below zero until they have reached their VR."""
    best = sorted(ranking(state), key=lambda seat: seat != state.winner)
    scores = {seat: state.vp[seat] - state.vr[seat] for seat in best}
    return Outcome(state.phase == "over", tuple((seat,) for seat in best), scores)


def _essence(state: State) -> tuple[object, ...]:
    """Everything that a later decision can depend on; what is derived from it is left out.

    What only a house rule asks for is there where it is played: else digests stay what they were before there was one.
    """
    return (*_always(state), state.house, state.used_by, state.raised) if state.house else _always(state)


def _always(state: State) -> tuple[object, ...]:
    board, adorers = state.board, {god: seat for seat, god in state.adores.items()}
    return (
        state.setup,
        state.phase,
        state.round,
        state.vp,
        state.vr,
        state.queue,
        # Lists, as the order matters: accounts and cards are listed and collect revenues in the order of their making.
        list(state.cattle.items()),
        {god: adorers.get(god) for god in state.setup.gods},
        list(state.specialists.items()),
        list(state.technologies.items()),
        (state.plaques, state.given, state.gift, state.givers, state.passed, state.bidder),
        state.order,
        state.turn,
        state.monuments,
        [(craftsman.type, craftsman.owner, craftsman.squares) for craftsman in state.craftsmen],
        state.used,
        {resource: board.names(squares) for resource, squares in state.resources.items()},
        board.names(board.water),
        state.tiles,
        state.water_tiles,
        state.reached,
        state.winner,
    )
