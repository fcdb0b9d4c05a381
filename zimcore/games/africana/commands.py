"""The commands of players, one small Struct each. Locations and cards have the names of the components."""

from __future__ import annotations

from typing import TypeAlias

from zimcore.game import Command, Deal, Seat
from zimcore.games.africana.cards import Card
from zimcore.games.africana.components import Components, Half, LocationName


class SetUp(Deal, frozen=True, tag="set_up.1"):
    """Sets up a game; all random numbers follow from `seed`, which is None for viewers who may not see it.

    `options` are the options given, see `setup.OPTIONS`. `components` is None for those that come with the game.
    """

    seed: int | None
    options: tuple[tuple[str, str], ...] = ()
    components: Components | None = None


class Draw(Command, frozen=True, tag="draw.1"):
    """Action A: draws travel cards."""


class TurnPage(Command, frozen=True, tag="turn_page.1"):
    """Action B: moves the top card of one half of a book (`left` or `right`) onto the other half."""

    book: Half
    half: str


class Buy(Command, frozen=True, tag="buy.1"):
    """Action B: buys the top card of one half of a book (`left` or `right`)."""

    book: Half
    half: str


class Move(Command, frozen=True, tag="move.1"):
    """Action C: one step along a route, paid for with a card, which can be recoloured."""

    to: LocationName
    card: Card
    recoloured: bool = False


class Join(Command, frozen=True, tag="join.1"):
    """Action C: puts a marker on an expedition."""

    expedition: str


class EndExpedition(Command, frozen=True, tag="end_expedition.1"):
    """Action C: ends an expedition."""

    expedition: str


class EndAdventure(Command, frozen=True, tag="end_adventure.1"):
    """Action C: ends an adventure of the player."""

    adventure: str


class Discard(Command, frozen=True, tag="discard.1"):
    """At the end of the turn: the cards in hand and the unfinished adventures above the limits."""

    cards: tuple[Card, ...] = ()
    adventures: tuple[str, ...] = ()


class EndTurn(Command, frozen=True, tag="end_turn.1"):
    """Ends the action and the turn; as the first command of a turn it counts as moving without a step (A-TURN-02)."""


class Redeal(Deal, frozen=True, tag="redeal.1"):
    """Deals again everything that a seat does not know, for what-if questions that don't reveal hidden cards."""

    seat: Seat
    seed: int | None


AnyCommand: TypeAlias = (
    SetUp | Draw | TurnPage | Buy | Move | Join | EndExpedition | EndAdventure | Discard | EndTurn | Redeal
)
