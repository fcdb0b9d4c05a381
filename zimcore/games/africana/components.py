"""What is printed on board and cards, as data: the form of components.toml.

A game keeps the components that it is played with among its facts, so that no other file can ever change it.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from zimcore.game import Seat

Colour: TypeAlias = str
"""Of a symbol and the cards that show it: `magenta`."""

Place: TypeAlias = str
"""The name of a location: `cape_town`."""

Half: TypeAlias = str
"""Of the map, and the book that lies there: `north` or `south` of the equator."""

HALVES = ("north", "south")


class Location(msgspec.Struct, frozen=True, omit_defaults=True):
    """A location; `at` is the column and row of the grid cell where its drawing begins."""

    name: Place
    title: str
    half: Half
    symbols: tuple[Colour, ...]
    at: tuple[int, int]
    source: str = ""


class Route(msgspec.Struct, frozen=True, omit_defaults=True):
    """A travel route, which can be travelled both ways; `via` are the bends of its drawing."""

    ends: tuple[Place, Place]
    via: tuple[tuple[int, int], ...] = ()
    source: str = ""


class Company(msgspec.Struct, frozen=True, omit_defaults=True):
    """A company, whose name is that of its seat; `silver` is what it begins with."""

    name: Seat
    colour: str
    start: Place
    silver: int
    source: str = ""


class Bonus(msgspec.Struct, frozen=True, omit_defaults=True):
    """What joining gives on one of the spaces (A-COMP-08): silver, or travel cards."""

    silver: int = 0
    travel_cards: int = 0
    source: str = ""


class Expedition(msgspec.Struct, frozen=True, omit_defaults=True):
    """An expedition card; `silver` and `vp` go to the player who ends it."""

    id: str
    back: str
    start: Place
    target: Place
    silver: int
    vp: int
    source: str = ""


class Adventure(msgspec.Struct, frozen=True, omit_defaults=True):
    """An adventure card of a book: an artifact with its rewards, or an assistant of a colour."""

    id: str
    book: Half
    target: Place
    artifact: str = ""
    assistant: Colour = ""
    silver: int = 0
    vp: int = 0
    source: str = ""


class Limits(msgspec.Struct, frozen=True):
    """How many players, cards in hand, unfinished adventures, markers, and travel cards in one action."""

    players: tuple[int, int]
    hand: int
    adventures: int
    markers: int
    draw: int


class Costs(msgspec.Struct, frozen=True):
    """In silver: of an adventure, a page that is not free, and recolouring a card."""

    adventure: int
    page: int
    recolouring: int


class Books(msgspec.Struct, frozen=True):
    """How many pages can be turned for nothing in one action."""

    free_pages: int


class Collection(msgspec.Struct, frozen=True):
    """So many `identical` or `different` artifacts are worth that many VP."""

    kind: str
    size: int
    vp: int


class Scoring(msgspec.Struct, frozen=True):
    """VP: by the number of finished assistant adventures, for collections, and for what is left at the end."""

    assistants: tuple[int, ...]
    silver_per_vp: int
    travel_cards_per_vp: int
    unfinished_artifact: int
    collections: tuple[Collection, ...]


class Components(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everything in the box."""

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
    """Expeditions with the last back that are taken out, by the number of players."""
    scoring: Scoring
