"""How far monuments and craftsmen are from any squares, in hubs: looked up, not searched for every square."""

from __future__ import annotations

from zimcore.game import Seat
from zimcore.games.zimbabwe.board import Squares
from zimcore.games.zimbabwe.commands import Square
from zimcore.games.zimbabwe.components import CONSTANTS, Type
from zimcore.games.zimbabwe.state import Craftsman, State

Rings = tuple[Squares, ...]
"""What is reached over 0, 1, 2 ... hubs."""


class Distances:
    """The distances of a position. The way there is the way back (R-RNG-08), so each thing is searched from once."""

    def __init__(self, state: State) -> None:
        self.state = state
        self._rings: dict[Squares, Rings] = {}

    def _around(self, zone: Squares) -> Rings:
        if zone not in self._rings:
            state = self.state
            self._rings[zone] = tuple(state.board.hub_rings(zone, state.steps, state.monument_squares))
        return self._rings[zone]

    def hubs(self, zone: Squares, target: Squares) -> int | None:
        """The fewest hubs from a zone to a target; None where there is no way. Searched from the target."""
        return next((hubs for hubs, reached in enumerate(self._around(target)) if reached & zone), None)

    def monuments(self, zone: Squares) -> dict[Square, int]:
        """The hubs to each monument that can still grow and be reached."""
        found = (
            (square, self.hubs(zone, self.state.board.square[square]))
            for square, monument in self.state.monuments.items()
            if monument.level < CONSTANTS.max_level
        )
        return {square: hubs for square, hubs in found if hubs is not None}

    def craftsmen(self, zone: Squares) -> dict[Craftsman, int]:
        """The hubs to each craftsman that can be reached."""
        found = ((craftsman, self.hubs(zone, craftsman.zone)) for craftsman in self.state.craftsmen)
        return {craftsman: hubs for craftsman, hubs in found if hubs is not None}

    def customers(self, type_: Type, seat: Seat) -> int:
        """How many monuments of others reach a craftsman of a type of a player's."""
        zones = [craftsman.zone for craftsman in self.state.of_type(type_) if craftsman.owner == seat]
        served = {square for zone in zones for square in self.monuments(zone)}
        return sum(self.state.monuments[square].owner != seat for square in served)
