"""Looks up components by name: locations, their neighbours, and cards."""

from __future__ import annotations

from zimcore.games.africana.components import Adventure, Components, Expedition, Half, Location, LocationName


class Atlas:
    """Indexes of a box of components; each game makes them once."""

    __slots__ = ("adventures", "box", "expeditions", "locations", "neighbours")

    def __init__(self, box: Components) -> None:
        self.box = box
        self.locations: dict[LocationName, Location] = {location.name: location for location in box.locations}
        self.expeditions: dict[str, Expedition] = {card.id: card for card in box.expeditions}
        self.adventures: dict[str, Adventure] = {card.id: card for card in box.adventures}
        self.neighbours: dict[LocationName, tuple[LocationName, ...]] = {
            place: self._find_neighbours(place) for place in self.locations
        }

    def _find_neighbours(self, place: LocationName) -> tuple[LocationName, ...]:
        route_ends = (route.ends for route in self.box.routes if place in route.ends)
        return tuple(sorted(end for ends in route_ends for end in ends if end != place))

    def half(self, place: LocationName) -> Half:
        """The half of the map where a location is (A-COMP-01)."""
        return self.locations[place].half

    def title(self, place: LocationName) -> str:
        """The location's printed name."""
        return self.locations[place].title
