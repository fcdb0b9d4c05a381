"""What happened: one small Struct each. They stay in the store: a changed form gets a new tag, the old one an upcaster.

Piles, halves of books and the stack are tuples of cards with the top one last. Accounts of silver: `bank` (which is
below zero by what it has paid out) and the seats.
"""

from __future__ import annotations

from typing import TypeAlias

from msgspec import field

from zimcore.game import Event, Seat
from zimcore.game import Played as AnyPlayed
from zimcore.games.africana.cards import Card
from zimcore.games.africana.commands import AnyCommand
from zimcore.games.africana.components import Colour, Components, Half, Place
from zimcore.toolkit.pickling import Reduced, without_defaults

Account: TypeAlias = str

BANK: Account = "bank"


class Played(AnyPlayed, frozen=True, tag="played.1"):
    """The command that was accepted; the events after it in the commit follow from it."""

    seat: Seat
    command: AnyCommand


class GameSetUp(Event, frozen=True, tag="game_set_up.2"):
    """The box that is played with, and every pile as it was shuffled; `removed` expeditions stay in the box.

    `score` is `open`, or `hidden` where cards under the company cards of others are not to be seen (AMB-13); in the
    form that a seat may know, `seen_by` is that seat. `names` are those of the people who play, by seat.
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

    def __reduce__(self) -> Reduced:
        return without_defaults(self)


class HouseRulesChosen(Event, frozen=True, tag="house_rules_chosen.1"):
    """The readings that this table decides otherwise, by option, but for those that the set-up has (see `house.py`)."""

    rules: dict[str, str]


class SilverPaid(Event, frozen=True, tag="silver_paid.1"):
    """The only way in which money moves."""

    payer: Account
    payee: Account
    amount: int
    reason: str


class RoundBegun(Event, frozen=True, tag="round_begun.1"):
    """A round begins: each player has a turn in it."""

    round: int


class TurnBegun(Event, frozen=True, tag="turn_begun.1"):
    """A player's turn begins."""

    seat: Seat


class ActionChosen(Event, frozen=True, tag="action_chosen.1"):
    """The turn's one action is `draw`, `books` or `move` (A-TURN-01)."""

    seat: Seat
    action: str


class CardsDrawn(Event, frozen=True, tag="cards_drawn.1"):
    """Travel cards come from the pile into a hand, the first of them first."""

    seat: Seat
    cards: tuple[Card, ...]


class PileShuffled(Event, frozen=True, tag="pile_shuffled.1"):
    """The discard pile has become the new pile (A-DRAW-02); `number` counts the shuffles of the game."""

    pile: tuple[Card, ...]
    number: int


class PageTurned(Event, frozen=True, tag="page_turned.1"):
    """An adventure moved from this half of a book onto the other; `shows` is what can be seen below it now."""

    seat: Seat
    book: Half
    half: str
    adventure: str
    shows: str = ""


class AdventureBought(Event, frozen=True, tag="adventure_bought.1"):
    """A player has an unfinished adventure from this half of a book; `shows` is what lay below it."""

    seat: Seat
    book: Half
    half: str
    adventure: str
    shows: str = ""


class ExplorerMoved(Event, frozen=True, tag="explorer_moved.1"):
    """An explorer made a step; the card that paid it lies on the table."""

    seat: Seat
    start: Place
    to: Place
    card: Card
    recoloured: bool = False


class ExpeditionJoined(Event, frozen=True, tag="expedition_joined.1"):
    """A marker lies on the expedition on this space (1 to 5)."""

    seat: Seat
    expedition: str
    space: int


class ExpeditionEnded(Event, frozen=True, tag="expedition_ended.1"):
    """An expedition lies under a company card; all markers on it are back with their owners."""

    seat: Seat
    expedition: str
    space: int


class AdventureEnded(Event, frozen=True, tag="adventure_ended.1"):
    """An adventure lies under a company card."""

    seat: Seat
    adventure: str


class AssistantTaken(Event, frozen=True, tag="assistant_taken.1"):
    """An assistant card comes from the supply into a hand."""

    seat: Seat
    colour: Colour


class TableCleared(Event, frozen=True, tag="table_cleared.1"):
    """The cards played in a move: travel cards are discarded, others are back in the hand (A-MOVE-04)."""

    seat: Seat
    discarded: tuple[Card, ...]
    returned: tuple[Card, ...]


class ActionEnded(Event, frozen=True, tag="action_ended.1"):
    """The action is over; what is above the limits has to go."""

    seat: Seat


class CardsDiscarded(Event, frozen=True, tag="cards_discarded.1"):
    """Cards leave a hand: travel cards for the discard pile, others for good (A-EOT-03)."""

    seat: Seat
    cards: tuple[Card, ...]


class AdventuresDiscarded(Event, frozen=True, tag="adventures_discarded.1"):
    """Unfinished adventures leave the game (A-EOT-04)."""

    seat: Seat
    adventures: tuple[str, ...]


class ExpeditionLaid(Event, frozen=True, tag="expedition_laid.1"):
    """The top card of the stack lies face up on this space (1 to 5)."""

    expedition: str
    space: int


class EndTriggered(Event, frozen=True, tag="end_triggered.1"):
    """The stack could not fill all spaces: this round is the last (A-END-01)."""


class TurnEnded(Event, frozen=True, tag="turn_ended.1"):
    """A player's turn is over."""

    seat: Seat


class PlayerScored(Event, frozen=True, tag="player_scored.1"):
    """A player's VP at the end, by where they come from (A-SCORE)."""

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
        """All of them."""
        cards = self.expeditions + self.artifacts + self.collections + self.assistants
        return cards + self.silver + self.travel_cards + self.unfinished


class GameEnded(Event, frozen=True, tag="game_ended.1"):
    """Who has won, or has a part in the victory (A-SCORE-08)."""

    winners: tuple[Seat, ...]


class UnknownRedealt(Event, frozen=True, tag="unknown_redealt.1"):
    """What a seat does not know was dealt anew, and chance goes on from another seed."""

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
