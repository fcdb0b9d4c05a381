"""Cards in a hand, each a word: a travel card is its colour, `gray_assistant` an assistant, `joker` a joker.

A card that a seat may not see is `?`; of an expedition that lies face down only the back is seen: `A?`.
"""

from __future__ import annotations

from typing import TypeAlias

from zimcore.games.africana.components import Colour

Card: TypeAlias = str

JOKER: Card = "joker"
UNKNOWN: Card = "?"
_ASSISTANT = "_assistant"


def assistant(colour: Colour) -> Card:
    """The assistant card of a colour."""
    return colour + _ASSISTANT


def is_assistant(card: Card) -> bool:
    """Whether it is an assistant card."""
    return card.endswith(_ASSISTANT)


def is_travel(card: Card) -> bool:
    """Whether it is a travel card; an unknown card is one, as all others are known to all players (A-INFO-01)."""
    return card != JOKER and not is_assistant(card)


def may_be_among(hand: tuple[Card, ...], card: Card) -> bool:
    """Whether a card may be one of those in a hand that are not seen."""
    return UNKNOWN in hand and is_travel(card)


def colour_of(card: Card) -> Colour:
    """The colour that a travel or assistant card shows (A-MOVE-03)."""
    return card.removesuffix(_ASSISTANT)


def without(cards: tuple[Card, ...], *gone: Card) -> tuple[Card, ...]:
    """The cards without some of them, each taken once; one that is not seen among them was face down.

    >>> without(("gray", "gray", "joker"), "gray"), without(("?", "joker"), "gray")
    (('gray', 'joker'), ('joker',))
    """
    left = list(cards)
    for card in gone:
        left.remove(card if card in left else UNKNOWN)
    return tuple(left)


def into(hand: tuple[Card, ...], *cards: Card) -> tuple[Card, ...]:
    """A hand with some more cards, in an order that does not tell when they came."""
    return tuple(sorted((*hand, *cards)))
