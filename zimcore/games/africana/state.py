"""The position of a game, and nothing that changes it."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy as shallow

import msgspec

from zimcore.game import Seat
from zimcore.games.africana.atlas import Atlas
from zimcore.games.africana.box import box
from zimcore.games.africana.cards import Card, is_travel
from zimcore.games.africana.components import Colour, Components, Half, Place
from zimcore.games.africana.events import Account, GameSetUp

SIDES = ("left", "right")
"""The halves of a book."""


class Book(msgspec.Struct, frozen=True):
    """A book: its two halves, the top card last, and how many cards at the bottom of the left half are unseen."""

    left: tuple[str, ...]
    right: tuple[str, ...] = ()
    unseen: int = 0

    def half(self, side: str) -> tuple[str, ...]:
        """The cards of one half."""
        return self.left if side == "left" else self.right


class Turn(msgspec.Struct, frozen=True):
    """A turn: its action (`draw`, `books`, `move`, none yet), the pages turned, and whether the action is over."""

    seat: Seat
    action: str = ""
    pages: int = 0
    over: bool = False


NO_TURN = Turn("")


class State(msgspec.Struct, eq=False):
    """A whole position. Only `evolve` changes it; to keep one, take a `copy`."""

    setup: GameSetUp | None = None
    atlas: Atlas | None = None
    house: dict[str, str] = {}
    """Readings that this table decides otherwise, by option (see `house.py`)."""
    phase: str = ""
    """"" before set-up, then `playing`, and `over`."""
    seed: int | None = None
    round: int = 0
    turn: Turn = NO_TURN
    silver: dict[Account, int] = {}
    places: dict[Seat, Place] = {}
    """Where the explorers stand."""
    hands: dict[Seat, tuple[Card, ...]] = {}
    table: tuple[Card, ...] = ()
    """Cards played in the running move (A-MOVE-04)."""
    pile: tuple[Card, ...] = ()
    discards: tuple[Card, ...] = ()
    shuffles: int = 0
    supply: dict[Colour, int] = {}
    """Assistant cards that no player has."""
    books: dict[Half, Book] = {}
    unfinished: dict[Seat, tuple[str, ...]] = {}
    finished: dict[Seat, tuple[str, ...]] = {}
    """Expeditions and adventures under the company cards."""
    stack: tuple[str, ...] = ()
    spaces: tuple[str, ...] = ()
    """The face-up expeditions, "" where there is none."""
    markers: dict[str, tuple[Seat, ...]] = {}
    """Who has joined which face-up expedition, in that order."""
    joined: tuple[str, ...] = ()
    """Expeditions that were joined in this turn: only where a house rule asks for that."""
    removed: tuple[str, ...] = ()
    """Cards that have left the game."""
    ending: bool = False
    vp: dict[Seat, int] = {}
    """At the end."""
    winners: tuple[Seat, ...] = ()

    def copy(self) -> State:
        """The same position, free to be changed."""
        new = shallow(self)
        new.silver = self.silver.copy()
        new.places = self.places.copy()
        new.hands = self.hands.copy()
        new.supply = self.supply.copy()
        new.books = self.books.copy()
        new.unfinished = self.unfinished.copy()
        new.finished = self.finished.copy()
        new.markers = self.markers.copy()
        new.vp = self.vp.copy()
        return new

    @property
    def seats(self) -> tuple[Seat, ...]:
        """All players, from the start player clockwise."""
        return self.setup.seats if self.setup else ()

    @property
    def names(self) -> Mapping[Seat, str]:
        """The people who play, by seat, as far as they were named."""
        return self.setup.names if self.setup else {}

    @property
    def box(self) -> Components:
        """The components that this game is played with."""
        return self.setup.components if self.setup else box()

    @property
    def map(self) -> Atlas:
        """What lies where; only of a game that is set up."""
        assert self.atlas
        return self.atlas

    def by_house(self, option: str) -> bool:
        """Whether the table reads a rule otherwise than usual, by the option of a new match that decides it."""
        return option in self.house

    @property
    def actor(self) -> Seat | None:
        """Whose turn it is."""
        return (self.turn.seat or None) if self.phase == "playing" else None

    def half_of(self, seat: Seat) -> Half:
        """The half of the map in which a player's explorer stands (A-BOOK-01)."""
        return self.map.half(self.places[seat])

    def markers_left(self, seat: Seat) -> int:
        """The markers that a player has at hand (A-JOIN-02)."""
        return self.box.limits.markers - sum(seat in joined for joined in self.markers.values())

    def sees_finished(self, seat: Seat) -> bool:
        """Whether what lies under a player's company card is visible to the viewer (AMB-13)."""
        hidden = self.setup is not None and self.setup.score == "hidden" and self.setup.seen_by not in (None, seat)
        return not hidden or self.phase == "over"

    def travel_cards(self, seat: Seat) -> int:
        """How many cards in a hand are travel cards."""
        return sum(map(is_travel, self.hands[seat]))
