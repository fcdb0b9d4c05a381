"""The printed components as data from components.json: tiles, craftsmen, gods and specialists.

Rules are code, figures are data. A god is a row of modifiers that the rules read, so the rules name no god.
"""

from __future__ import annotations

import os
from typing import TypeAlias

import msgspec

CraftsmanType: TypeAlias = str
"""A type of craftsman, which is also the name of its technology and of its ritual good: `potter`."""

Resource: TypeAlias = str
"""`wood`, `clay`, `ivory` or `diamonds`."""


class Empire(msgspec.Struct, frozen=True):
    """A seat and the colour of its pieces."""

    name: str
    colour: str


class Constants(msgspec.Struct, frozen=True):
    """The figures that belong to no card. Prices and costs are in cattle."""

    players: tuple[int, int]
    start_cattle: int
    start_vr: int
    max_vr: int
    max_level: int
    max_price: int
    hub_cost: int
    gods_in_play: int
    craftsmen_per_type: int
    cards_per_type: int
    water_tiles: int
    level_vp: tuple[int, ...]
    """VP of a monument by its level, 0 to `max_level`."""


class ResourceKind(msgspec.Struct, frozen=True):
    """A kind of resource: its letter on the map, and how many tiles of it the Shaman can place in a game."""

    letter: str
    tiles: int


class Craftsman(msgspec.Struct, frozen=True):
    """A type of craftsman; `cost` is in cattle, `vp` are for placing one.

    `size` is width and height in squares (1x2 tiles can be turned); `vr` are those of the first and second card.
    """

    resource: Resource
    size: tuple[int, int]
    cost: int
    vp: int
    vr: tuple[int, ...]
    needs: CraftsmanType | None = None
    """The primary type whose good a secondary craftsman works on."""


class God(msgspec.Struct, frozen=True):
    """A god's modifiers; the defaults are the rules for all others."""

    vr: int = 0
    range: int = 3
    """Range in steps, in its adorer's turn (R-RNG-06)."""
    plaque: bool = False
    """Adds a second plaque at the front of the queue (R-BID-01)."""
    gift_subsidy: int = 0
    """The most cattle that the common stock pays of the adorer's first gift in a round (R-BID-09)."""
    any_price: bool = False
    """Prices can go up and down, see R-GOD-03."""
    technology_vr: int | None = None
    """VR of each technology, in place of the printed one (R-GOD-02)."""
    monuments: int = 1
    """Monuments that can be built in one action (R-MON-02)."""
    markers: int = 1
    """The most used markers on a resource (R-RAI-07)."""
    goods_may_repeat: bool = False
    """Types can repeat within one raise (R-RAI-03)."""
    good_price: int | None = None
    """The price of any good, in cattle (R-RAI-08)."""
    collects_hubs: bool = False
    """All hub payments go to this card (R-HUB-08)."""
    income: int = 0
    """Extra cattle in each revenue phase (R-REV-02)."""
    wins_ties: bool = False
    """Wins against an equal overshoot (R-END-02)."""


class Specialist(msgspec.Struct, frozen=True):
    """A specialist: the choice of `costs` in cattle, and what it does."""

    vr: int
    costs: tuple[int, ...]
    places_resource: bool = False
    places_water: bool = False
    herd: tuple[int, ...] = ()
    """Cattle from the stock onto the card, for each of `costs` (R-SPEC-06)."""
    lifts_zoning: bool = False
    keeps_of_cost: int = 0
    """Cattle of each craftsman's cost that go onto the card (R-SPEC-08)."""


class Selection(msgspec.Struct, frozen=True):
    """Which cards are in play."""

    gods: tuple[str, ...]
    specialists: tuple[str, ...]


class Tile(msgspec.Struct, frozen=True):
    """A map tile of 6x6 squares, not rotated.

    `.` is land, `~` water, `S` start area, `C` clay, `W` wood, `I` ivory, `D` diamonds.
    """

    rows: tuple[str, ...]


class Components(msgspec.Struct, frozen=True):
    """All components.

    `beginner` is the rulebook's selection for a first game. Layouts are by the number of players: `*` is the start tile
    (the first of the tiles), `x` a tile drawn at random, `-` none.
    """

    title: str
    empires: tuple[Empire, ...]
    constants: Constants
    resources: dict[Resource, ResourceKind]
    craftsmen: dict[CraftsmanType, Craftsman]
    gods: dict[str, God]
    specialists: dict[str, Specialist]
    beginner: Selection
    layouts: dict[str, tuple[str, ...]]
    tiles: tuple[Tile, ...]


with open(os.path.join(os.path.dirname(__file__), "components.json"), "rb") as file:
    COMPONENTS = msgspec.json.decode(file.read(), type=Components)

CONSTANTS = COMPONENTS.constants
CRAFTSMEN = COMPONENTS.craftsmen
GODS = COMPONENTS.gods
SPECIALISTS = COMPONENTS.specialists
RESOURCES = COMPONENTS.resources
SEATS = tuple(empire.name for empire in COMPONENTS.empires)
NO_GOD = God()

SECONDARY_BY_PRIMARY: dict[CraftsmanType, CraftsmanType] = {
    craftsman.needs: name for name, craftsman in CRAFTSMEN.items() if craftsman.needs
}
"""The secondary type that works on the good of each primary type."""
