"""Test kit for Africana: given, when, then, and common positions as functions.

    def test_a_move_01_a_step_is_paid_with_a_card_of_the_destination() -> None:
        position = given(hand(italy="gray"), explorers_at(italy="napoli"))
        position.when("move cairo gray").then_among(ExplorerMoved("italy", "napoli", "cairo", "gray"))

`given` begins with the first turn of Italy in a game for two: nobody has silver or cards yet, the piles are in the
order of the components (with the last card of each on top), and the first five expeditions of A lie on the spaces.
"""

from __future__ import annotations

from msgspec.structs import replace

from tests.decider_kit import Facts
from tests.decider_kit import Position as AnyPosition
from zimcore.game import Event, Seat
from zimcore.games.africana import GAME
from zimcore.games.africana.box import box
from zimcore.games.africana.components import HALVES
from zimcore.games.africana.events import (
    BANK,
    AdventureBought,
    AdventureEnded,
    CardsDiscarded,
    CardsDrawn,
    ExpeditionEnded,
    ExpeditionJoined,
    ExpeditionLaid,
    ExplorerMoved,
    GameSetUp,
    PileShuffled,
    RoundBegun,
    SilverPaid,
    TableCleared,
    TurnBegun,
)
from zimcore.games.africana.state import State

BOX = box()
BOOKS = {half: tuple(card.id for card in BOX.adventures if card.book == half) for half in HALVES}
STACK = tuple(card.id for card in sorted(BOX.expeditions, key=lambda card: card.back, reverse=True))
PILE = tuple(colour for colour, count in BOX.travel_cards.items() for _ in range(count))


class Position(AnyPosition[State]):
    """A position of this game to try commands on."""

    game = GAME


def given(*facts: Facts, players: int = 2, spaces: str = "A01 A02 A03 A04 A05", score: str = "open") -> Position:
    """The position after some facts; a line of a script among them is played, and has to be legal."""
    seats = tuple(company.name for company in BOX.companies[:players])
    laid_cards = tuple(spaces.split())
    stack = tuple(card for card in STACK if card not in laid_cards)
    set_up = GameSetUp(
        seats, BOX, PILE, BOOKS, (*stack, *laid_cards[::-1]), ("C01",) * BOX.removed[str(players)], 0, score=score
    )
    layings = [ExpeditionLaid(card, space) for space, card in enumerate(laid_cards, 1)]
    return Position(GAME.evolution.initial()).after((set_up, layings, RoundBegun(1), TurnBegun(seats[0]), facts))


def silver(**amounts: int) -> list[Event]:
    """Players have this silver more."""
    return [SilverPaid(BANK, seat, amount, "given") for seat, amount in amounts.items()]


def hand(**cards: str) -> list[Event]:
    """Players have these cards and their joker."""
    return [CardsDrawn(seat, tuple(text.split())) for seat, text in cards.items()]


def without_joker(seat: Seat) -> Event:
    """A player has given up the joker."""
    return CardsDiscarded(seat, ("joker",))


def explorers_at(**places: str) -> list[Event]:
    """Explorers stand at these places; the joker that moved them is back in the hand."""
    steps = [
        (ExplorerMoved(seat, "", place, "joker"), TableCleared(seat, (), ("joker",))) for seat, place in places.items()
    ]
    return [event for step in steps for event in step]


def owns(seat: Seat, *adventures: str) -> list[Event]:
    """A player has these unfinished adventures, taken from their books."""
    book_by_card = {card.id: card.book for card in BOX.adventures}
    return [AdventureBought(seat, book_by_card[card], "right", card) for card in adventures]


def has_finished(seat: Seat, *cards: str) -> list[Event]:
    """Adventures and expeditions lie under a player's company card."""
    expeditions = {card.id for card in BOX.expeditions}
    facts: list[Event] = []
    for card in cards:
        facts += (
            [ExpeditionEnded(seat, card, 5)] if card in expeditions else [*owns(seat, card), AdventureEnded(seat, card)]
        )
    return facts


def joins(seat: Seat, *expeditions: str, space: int = 1) -> list[Event]:
    """A player has a marker on these expeditions."""
    return [ExpeditionJoined(seat, card, space) for card in expeditions]


def turn_of(seat: Seat, round_number: int = 1) -> list[Event]:
    """A player's turn in this round has just begun."""
    return [RoundBegun(round_number), TurnBegun(seat)]


def pile(*cards: str) -> Event:
    """The draw pile has these cards, the last one on top; the discard pile is empty."""
    return PileShuffled(cards, 1)


def with_fields(position: Position, **fields: object) -> Position:
    """The position with some fields of its state replaced."""
    return Position(replace(position.state, **fields))
