"""The state of a game."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy as shallow_copy

import msgspec

from zimcore.game import Seat
from zimcore.games.africana.atlas import Atlas
from zimcore.games.africana.box import box
from zimcore.games.africana.cards import Card, is_travel
from zimcore.games.africana.components import Colour, Components, Half, LocationName
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
    """A position. Only `evolve` changes it; take a `copy` to keep one."""

    setup: GameSetUp | None = None
    atlas: Atlas | None = None
    house: dict[str, str] = {}
    """The house rules in play, by option (see `house.py`)."""
    phase: str = ""
    """"" before set-up, then `playing`, and `over`."""
    seed: int | None = None
    round: int = 0
    turn: Turn = NO_TURN
    silver: dict[Account, int] = {}
    places: dict[Seat, LocationName] = {}
    """The locations of explorers."""
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
    """The face-up expeditions by space, "" for an empty one."""
    markers: dict[str, tuple[Seat, ...]] = {}
    """The seats that joined each face-up expedition, in their order."""
    joined_this_turn: tuple[str, ...] = ()
    """Expeditions joined in this turn; kept only under a house rule that needs it."""
    recoloured_assistants: tuple[Card, ...] = ()
    """Assistants recoloured in the running move; kept only under a house rule that needs it."""
    removed: tuple[str, ...] = ()
    """Cards that have left the game."""
    ending: bool = False
    vp: dict[Seat, int] = {}
    """The VP at the end."""
    winners: tuple[Seat, ...] = ()

    def copy(self) -> State:
        """A copy that can be changed."""
        state_copy = shallow_copy(self)
        state_copy.silver = self.silver.copy()
        state_copy.places = self.places.copy()
        state_copy.hands = self.hands.copy()
        state_copy.supply = self.supply.copy()
        state_copy.books = self.books.copy()
        state_copy.unfinished = self.unfinished.copy()
        state_copy.finished = self.finished.copy()
        state_copy.markers = self.markers.copy()
        state_copy.vp = self.vp.copy()
        return state_copy

    @property
    def seats(self) -> tuple[Seat, ...]:
        """All players, from the start player clockwise."""
        return self.setup.seats if self.setup else ()

    @property
    def names(self) -> Mapping[Seat, str]:
        """The names of players by seat, as far as they were given."""
        return self.setup.names if self.setup else {}

    @property
    def box(self) -> Components:
        """The components of this game."""
        return self.setup.components if self.setup else box()

    @property
    def map(self) -> Atlas:
        """The atlas of a game that is set up."""
        assert self.atlas
        return self.atlas

    def has_house_rule(self, option: str) -> bool:
        """Whether the house rule with this option is in play."""
        return option in self.house

    @property
    def actor(self) -> Seat | None:
        """The seat to move; None before the set-up and after the end."""
        return (self.turn.seat or None) if self.phase == "playing" else None

    def half_of(self, seat: Seat) -> Half:
        """The half of the map where a player's explorer is (A-BOOK-01)."""
        return self.map.half(self.places[seat])

    def markers_left(self, seat: Seat) -> int:
        """The markers that a player has left (A-JOIN-02)."""
        return self.box.limits.markers - sum(seat in seats_joined for seats_joined in self.markers.values())

    def sees_finished(self, seat: Seat) -> bool:
        """Whether the viewer sees the cards under a player's company card (AMB-13)."""
        is_hidden = self.setup is not None and self.setup.score == "hidden" and self.setup.seen_by not in (None, seat)
        return not is_hidden or self.phase == "over"

    def travel_card_count(self, seat: Seat) -> int:
        """The number of travel cards in a hand."""
        return sum(map(is_travel, self.hands[seat]))
