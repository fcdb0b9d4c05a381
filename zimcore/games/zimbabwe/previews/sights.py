"""What can be seen from a square: each thing on the map with its distance in steps and hubs."""

from __future__ import annotations

import msgspec

from zimcore.game import Seat
from zimcore.games.zimbabwe.board import Squares
from zimcore.games.zimbabwe.commands import Square
from zimcore.games.zimbabwe.components import GODS, NO_GOD
from zimcore.games.zimbabwe.state import State

RANGES = (NO_GOD.range, max(god.range for god in GODS.values()))
"""The usual range, and that of the god with the longest (R-RNG-06), in steps."""


class Sight(msgspec.Struct, frozen=True):
    """A thing on the map: `description` (a resource, `monument 2`, a type of craftsman), its square and owner.

    `steps` is its distance (R-RNG-01), None beyond the longest range. `hubs` are the fewest hubs on the way for each of
    `RANGES`, None if there is no way. Hubs do not lead to resources (R-HUB-07).
    """

    description: str
    square: Square
    owner: Seat
    steps: int | None
    hubs: tuple[int | None, ...] = ()

    def is_within(self, steps: int) -> bool:
        """Whether it is within a range."""
        return self.steps is not None and self.steps <= steps


def sights_from(state: State, square: Square) -> list[Sight]:
    """All resources, craftsmen and monuments, seen from a square or from the craftsman on it; the nearest first."""
    craftsman = state.craftsman_at(square)
    zone = craftsman.zone if craftsman else state.board.square[square]
    sights = [
        Sight(
            description,
            target_square,
            owner,
            _steps_to_target(state, zone, target, owner),
            _hubs_by_range(state, zone, target) if owner else (),
        )
        for description, target_square, owner, target in _targets(state)
        if not target & zone
    ]
    return sorted(sights, key=lambda sight: (sight.steps is None, sight.steps))


def _targets(state: State) -> list[tuple[str, Square, Seat, Squares]]:
    board = state.board
    resources = [
        (kind, square, "", board.square[square])
        for kind, squares in state.resources.items()
        for square in board.names(squares)
    ]
    craftsmen = [(craftsman.type, craftsman.at, craftsman.owner, craftsman.zone) for craftsman in state.craftsmen]
    monuments = [
        (f"monument {monument.level}", square, monument.owner, board.square[square])
        for square, monument in state.monuments.items()
    ]
    return [*resources, *craftsmen, *monuments]


def _steps_to_target(state: State, zone: Squares, target: Squares, owner: Seat) -> int | None:
    """The steps to a target; to a resource, which has no owner, with the range of resources (R-RNG-07)."""
    squares_in_range = state.board.ball if owner else state.squares_in_range
    return next((steps for steps in range(1, RANGES[-1] + 1) if squares_in_range(zone, steps) & target), None)


def _hubs_by_range(state: State, zone: Squares, target: Squares) -> tuple[int | None, ...]:
    return tuple(state.board.hubs(zone, target, steps, state.monument_squares) for steps in RANGES)
