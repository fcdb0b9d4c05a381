"""What is printed on cardboard: tiles, craftsmen, gods, specialists. Data, from components.json beside this file.

Rules are in code, figures are there; a god is a row of modifiers, which the rules ask for: they name no god.
"""

from __future__ import annotations

import os
from typing import TypeAlias

import msgspec

Type: TypeAlias = str
"""A type of craftsman, which is also the name of its technology and of its ritual good: `potter`."""

Resource: TypeAlias = str
"""`wood`, `clay`, `ivory` or `diamonds`."""


class Empire(msgspec.Struct, frozen=True):
    """A seat and the colour of its pieces."""

    name: str
    colour: str


class Constants(msgspec.Struct, frozen=True):
    """The figures that are no card's own. Prices and costs in cattle."""

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
    """A type of craftsman: what one costs in cattle, and the VP for placing it.

    `size` is width and height in squares (1x2 tiles may be turned), `vr` that of the first and the second card.
    """

    resource: Resource
    size: tuple[int, int]
    cost: int
    vp: int
    vr: tuple[int, ...]
    needs: Type | None = None
    """The primary type whose good a secondary craftsman works on."""


class God(msgspec.Struct, frozen=True):
    """What a god's adorer does differently; the defaults are the rules for all others."""

    vr: int = 0
    range: int = 3
    """Steps, in the turn of the player who has it (R-RNG-06)."""
    plaque: bool = False
    """A second plaque at the front of the queue (R-BID-01)."""
    gift_subsidy: int = 0
    """Cattle of the adorer's first gift of a round that the common stock pays at most (R-BID-09)."""
    any_price: bool = False
    """Prices may go up and down, see R-GOD-03."""
    technology_vr: int | None = None
    """What every technology counts, whatever is printed on it (R-GOD-02)."""
    monuments: int = 1
    """How many may be built in one action (R-MON-02)."""
    markers: int = 1
    """Used markers that a resource may bear (R-RAI-07)."""
    goods_may_repeat: bool = False
    """Types may repeat within one raise (R-RAI-03)."""
    good_price: int | None = None
    """Cattle for any good, whatever its price (R-RAI-08)."""
    collects_hubs: bool = False
    """All hub payments go to this card (R-HUB-08)."""
    income: int = 0
    """Cattle more in each revenue phase (R-REV-02)."""
    wins_ties: bool = False
    """Before those with as large an overshoot (R-END-02)."""


class Specialist(msgspec.Struct, frozen=True):
    """What a specialist costs (one of `costs`, in cattle) and what it does then."""

    vr: int
    costs: tuple[int, ...]
    places_resource: bool = False
    places_water: bool = False
    herd: tuple[int, ...] = ()
    """Cattle that come from the stock onto the card, by which of `costs` was paid (R-SPEC-06)."""
    lifts_zoning: bool = False
    keeps_of_cost: int = 0
    """Cattle of each craftsman's cost that go onto the card (R-SPEC-08)."""


class Selection(msgspec.Struct, frozen=True):
    """Which cards are in play."""

    gods: tuple[str, ...]
    specialists: tuple[str, ...]


class Tile(msgspec.Struct, frozen=True):
    """A map tile of 6x6 squares, unturned.

    `.` is land, `~` water, `S` start area, `C` clay, `W` wood, `I` ivory, `D` diamonds.
    """

    rows: tuple[str, ...]


class Components(msgspec.Struct, frozen=True):
    """Everything in the box.

    `beginner` is the rulebook's tip for a first game. Layouts are by the number of players: `*` is the start tile, the
    first of the tiles, `x` one that is drawn at random, `-` none.
    """

    title: str
    empires: tuple[Empire, ...]
    constants: Constants
    resources: dict[Resource, ResourceKind]
    craftsmen: dict[Type, Craftsman]
    gods: dict[str, God]
    specialists: dict[str, Specialist]
    beginner: Selection
    layouts: dict[str, tuple[str, ...]]
    tiles: tuple[Tile, ...]


with open(os.path.join(os.path.dirname(__file__), "components.json"), "rb") as file:
    BOX = msgspec.json.decode(file.read(), type=Components)

CONSTANTS = BOX.constants
CRAFTSMEN = BOX.craftsmen
GODS = BOX.gods
SPECIALISTS = BOX.specialists
RESOURCES = BOX.resources
SEATS = tuple(empire.name for empire in BOX.empires)
NO_GOD = God()

SECONDARY: dict[Type, Type] = {c.needs: name for name, c in CRAFTSMEN.items() if c.needs}
"""Which secondary type works on the good of a primary one."""
