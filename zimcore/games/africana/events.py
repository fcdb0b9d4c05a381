"""The events, one small Struct each. Stores keep them: a changed form needs a new tag, and the old one an upcaster.

Piles, halves of books and the stack are tuples of cards, the top card last. Accounts of silver are `bank` (negative by
what it has paid out) and the seats.
"""

from __future__ import annotations

from typing import TypeAlias

from msgspec import field

from zimcore.game import Event, Seat
from zimcore.game import Played as AnyPlayed
from zimcore.games.africana.cards import Card
from zimcore.games.africana.commands import AnyCommand
from zimcore.games.africana.components import Colour, Components, Half, LocationName
from zimcore.toolkit.pickling import ReduceResult, without_defaults

Account: TypeAlias = str

BANK: Account = "bank"


class Played(AnyPlayed, frozen=True, tag="played.1"):
    """The command that was accepted; the events after it in the commit follow from it."""

    seat: Seat
    command: AnyCommand


class GameSetUp(Event, frozen=True, tag="game_set_up.2"):
    """The set-up: the components, and every pile as shuffled; `removed` expeditions stay in the box.

    `score` is `open`, or `hidden` if players do not see the cards under others' company cards (AMB-13). In the form
    that a seat may know, `seen_by` is that seat. `names` are the names of players by seat.
    """

    seats: tuple[Seat, ...]
    components: Components
    pile: tuple[Card, ...]
    books: dict[Half, tuple[str, ...]]
    stack: tuple[str, ...]
    removed: tuple[str, ...]
    seed: int | None
    score: str = "open"
    seen_by: Seat | None = None
    names: dict[Seat, str] = field(default_factory=dict)

    def __reduce__(self) -> ReduceResult:
        return without_defaults(self)


class HouseRulesChosen(Event, frozen=True, tag="house_rules_chosen.1"):
    """The house rules in play, by option, except those that the set-up has (see `house.py`)."""

    rules: dict[str, str]


class SilverPaid(Event, frozen=True, tag="silver_paid.1"):
    """A payment; silver moves in no other way."""

    payer: Account
    payee: Account
    amount: int
    reason: str


class RoundBegun(Event, frozen=True, tag="round_begun.1"):
    """A round begins, in which each player has one turn."""

    round: int


class TurnBegun(Event, frozen=True, tag="turn_begun.1"):
    """A player's turn begins."""

    seat: Seat


class ActionChosen(Event, frozen=True, tag="action_chosen.1"):
    """The turn's one action is `draw`, `books` or `move` (A-TURN-01)."""

    seat: Seat
    action: str


class CardsDrawn(Event, frozen=True, tag="cards_drawn.1"):
    """Travel cards go from the pile into a hand, in this order."""

    seat: Seat
    cards: tuple[Card, ...]


class PileShuffled(Event, frozen=True, tag="pile_shuffled.1"):
    """The discard pile becomes the new pile (A-DRAW-02); `number` counts the shuffles of the game."""

    pile: tuple[Card, ...]
    number: int


class PageTurned(Event, frozen=True, tag="page_turned.1"):
    """An adventure moves from this half of a book (left or right) to the other; `shows` is the card that was below."""

    seat: Seat
    book: Half
    half: str
    adventure: str
    shows: str = ""


class AdventureBought(Event, frozen=True, tag="adventure_bought.1"):
    """A player takes an adventure from this half of a book (left or right); `shows` is the card that was below it."""

    seat: Seat
    book: Half
    half: str
    adventure: str
    shows: str = ""


class ExplorerMoved(Event, frozen=True, tag="explorer_moved.1"):
    """An explorer makes a step; the card that pays for it goes to the table."""

    seat: Seat
    start: LocationName
    to: LocationName
    card: Card
    recoloured: bool = False


class ExpeditionJoined(Event, frozen=True, tag="expedition_joined.1"):
    """A player puts a marker on the expedition on this space (1 to 5)."""

    seat: Seat
    expedition: str
    space: int


class ExpeditionEnded(Event, frozen=True, tag="expedition_ended.1"):
    """An expedition goes under a company card; all markers on it return to their owners."""

    seat: Seat
    expedition: str
    space: int


class AdventureEnded(Event, frozen=True, tag="adventure_ended.1"):
    """An adventure goes under a company card."""

    seat: Seat
    adventure: str


class AssistantTaken(Event, frozen=True, tag="assistant_taken.1"):
    """An assistant card goes from the supply into a hand."""

    seat: Seat
    colour: Colour


class TableCleared(Event, frozen=True, tag="table_cleared.1"):
    """Clears the cards of a move: travel cards are discarded, others return to the hand (A-MOVE-04)."""

    seat: Seat
    discarded: tuple[Card, ...]
    returned: tuple[Card, ...]


class ActionEnded(Event, frozen=True, tag="action_ended.1"):
    """The action is over; cards and adventures above the limits have to be discarded."""

    seat: Seat


class CardsDiscarded(Event, frozen=True, tag="cards_discarded.1"):
    """Cards leave a hand: travel cards go to the discard pile, others out of the game (A-EOT-03)."""

    seat: Seat
    cards: tuple[Card, ...]


class AdventuresDiscarded(Event, frozen=True, tag="adventures_discarded.1"):
    """Unfinished adventures leave the game (A-EOT-04)."""

    seat: Seat
    adventures: tuple[str, ...]


class ExpeditionLaid(Event, frozen=True, tag="expedition_laid.1"):
    """The top card of the stack is put face up on this space (1 to 5)."""

    expedition: str
    space: int


class EndTriggered(Event, frozen=True, tag="end_triggered.1"):
    """The stack could not fill all spaces: this round is the last (A-END-01)."""


class TurnEnded(Event, frozen=True, tag="turn_ended.1"):
    """A player's turn is over."""

    seat: Seat


class PlayerScored(Event, frozen=True, tag="player_scored.1"):
    """A player's VP at the end, by source (A-SCORE)."""

    seat: Seat
    expeditions: int
    artifacts: int
    collections: int
    assistants: int
    silver: int
    travel_cards: int
    unfinished: int

    @property
    def vp(self) -> int:
        """The sum of all VP."""
        vp_of_cards = self.expeditions + self.artifacts + self.collections + self.assistants
        return vp_of_cards + self.silver + self.travel_cards + self.unfinished


class GameEnded(Event, frozen=True, tag="game_ended.1"):
    """The game is over: the winner, or several who share the victory (A-SCORE-08)."""

    winners: tuple[Seat, ...]


class UnknownRedealt(Event, frozen=True, tag="unknown_redealt.1"):
    """Everything that a seat does not know is dealt again, with another seed."""

    seat: Seat
    hands: dict[Seat, tuple[Card, ...]]
    pile: tuple[Card, ...]
    books: dict[Half, tuple[str, ...]]
    stack: tuple[str, ...]
    removed: tuple[str, ...]
    seed: int | None


EVENTS: tuple[type[Event], ...] = (
    Played,
    GameSetUp,
    HouseRulesChosen,
    SilverPaid,
    RoundBegun,
    TurnBegun,
    ActionChosen,
    CardsDrawn,
    PileShuffled,
    PageTurned,
    AdventureBought,
    ExplorerMoved,
    ExpeditionJoined,
    ExpeditionEnded,
    AdventureEnded,
    AssistantTaken,
    TableCleared,
    ActionEnded,
    CardsDiscarded,
    AdventuresDiscarded,
    ExpeditionLaid,
    EndTriggered,
    TurnEnded,
    PlayerScored,
    GameEnded,
    UnknownRedealt,
)
