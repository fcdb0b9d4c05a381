"""Distances in hubs from any squares to monuments and craftsmen, cached instead of searched for each square."""

from __future__ import annotations

from zimcore.game import Seat
from zimcore.games.zimbabwe.board import Squares
from zimcore.games.zimbabwe.commands import Square
from zimcore.games.zimbabwe.components import CONSTANTS, CraftsmanType
from zimcore.games.zimbabwe.state import Craftsman, State

Rings = tuple[Squares, ...]
"""The squares reached over 0, 1, 2 ... hubs."""


class Distances:
    """The distances in a position. They are symmetric (R-RNG-08), so each target is searched from once."""

    def __init__(self, state: State) -> None:
        self.state = state
        self._rings: dict[Squares, Rings] = {}

    def _rings_from(self, zone: Squares) -> Rings:
        if zone not in self._rings:
            state = self.state
            self._rings[zone] = tuple(state.board.hub_rings(zone, state.range_in_steps, state.monument_squares))
        return self._rings[zone]

    def hubs(self, zone: Squares, target: Squares) -> int | None:
        """The fewest hubs from a zone to a target; None if there is no way. Searches from the target."""
        return next((hubs for hubs, ring in enumerate(self._rings_from(target)) if ring & zone), None)

    def hubs_to_monuments(self, zone: Squares) -> dict[Square, int]:
        """The hubs to each monument within reach that can still grow."""
        square_hub_pairs = (
            (square, self.hubs(zone, self.state.board.square[square]))
            for square, monument in self.state.monuments.items()
            if monument.level < CONSTANTS.max_level
        )
        return {square: hubs for square, hubs in square_hub_pairs if hubs is not None}

    def hubs_to_craftsmen(self, zone: Squares) -> dict[Craftsman, int]:
        """The hubs to each craftsman within reach."""
        craftsman_hub_pairs = ((craftsman, self.hubs(zone, craftsman.zone)) for craftsman in self.state.craftsmen)
        return {craftsman: hubs for craftsman, hubs in craftsman_hub_pairs if hubs is not None}

    def count_customers(self, type_: CraftsmanType, seat: Seat) -> int:
        """How many monuments of other players reach one of a seat's craftsmen of a type."""
        zones = [craftsman.zone for craftsman in self.state.craftsmen_of_type(type_) if craftsman.owner == seat]
        monuments_served = {square for zone in zones for square in self.hubs_to_monuments(zone)}
        return sum(self.state.monuments[square].owner != seat for square in monuments_served)
