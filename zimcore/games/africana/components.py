"""The board and cards as data, in the form of components.toml. `source` says where a figure comes from.

A game stores its components in its events, so that no later file can change it.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from zimcore.game import Seat

Colour: TypeAlias = str
"""The colour of a symbol and of the cards that show it: `magenta`."""

LocationName: TypeAlias = str
"""The name of a location: `cape_town`."""

Half: TypeAlias = str
"""A half of the map, and the book there: `north` or `south` of the equator. The halves of a book are left and right."""

HALVES = ("north", "south")


class Location(msgspec.Struct, frozen=True, omit_defaults=True):
    """A location; `at` is the column and row of its top left grid cell."""

    name: LocationName
    title: str
    half: Half
    symbols: tuple[Colour, ...]
    at: tuple[int, int]
    source: str = ""


class Route(msgspec.Struct, frozen=True, omit_defaults=True):
    """A travel route, usable both ways; `via` are the bends of its drawing."""

    ends: tuple[LocationName, LocationName]
    via: tuple[tuple[int, int], ...] = ()
    source: str = ""


class Company(msgspec.Struct, frozen=True, omit_defaults=True):
    """A company, whose name is also its seat; `silver` is what it starts with."""

    name: Seat
    colour: str
    start: LocationName
    silver: int
    source: str = ""


class Bonus(msgspec.Struct, frozen=True, omit_defaults=True):
    """The bonus for joining on one of the spaces (A-COMP-08): silver or travel cards."""

    silver: int = 0
    travel_cards: int = 0
    source: str = ""


class Expedition(msgspec.Struct, frozen=True, omit_defaults=True):
    """An expedition card; `silver` and `vp` go to the player who ends it."""

    id: str
    back: str
    start: LocationName
    target: LocationName
    silver: int
    vp: int
    source: str = ""


class Adventure(msgspec.Struct, frozen=True, omit_defaults=True):
    """An adventure card of a book: an artifact with its rewards, or an assistant of a colour."""

    id: str
    book: Half
    target: LocationName
    artifact: str = ""
    assistant: Colour = ""
    silver: int = 0
    vp: int = 0
    source: str = ""


class Limits(msgspec.Struct, frozen=True):
    """The least and most players; the most cards in hand, unfinished adventures, markers, and cards of one draw."""

    players: tuple[int, int]
    hand: int
    adventures: int
    markers: int
    draw: int


class Costs(msgspec.Struct, frozen=True):
    """Costs in silver: of an adventure, of a page that is not free, and of recolouring a card."""

    adventure: int
    page: int
    recolouring: int


class Books(msgspec.Struct, frozen=True):
    """The number of pages that can be turned free of charge in one action."""

    free_pages: int


class Collection(msgspec.Struct, frozen=True):
    """`size` artifacts that are `identical` or `different` are worth `vp` VP."""

    kind: str
    size: int
    vp: int


class Scoring(msgspec.Struct, frozen=True):
    """VP for finished assistant adventures (by their number), for collections, and for what is left at the end."""

    assistants: tuple[int, ...]
    silver_per_vp: int
    travel_cards_per_vp: int
    unfinished_artifact: int
    collections: tuple[Collection, ...]


class Components(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is in the box: all components, limits, costs and scores."""

    title: str
    colours: tuple[Colour, ...]
    artifacts: tuple[str, ...]
    backs: tuple[str, ...]
    travel_cards: dict[Colour, int]
    assistants: dict[Colour, int]
    jokers: int
    companies: tuple[Company, ...]
    bonuses: tuple[Bonus, ...]
    locations: tuple[Location, ...]
    routes: tuple[Route, ...]
    expeditions: tuple[Expedition, ...]
    adventures: tuple[Adventure, ...]
    limits: Limits
    costs: Costs
    books: Books
    removed: dict[str, int]
    """How many expeditions with the last back are removed, by the number of players."""
    scoring: Scoring
