"""Cards of a hand, each a word: `gray` is a travel card, `gray_assistant` an assistant, `joker` a joker.

A card that a seat may not see is `?`. A face-down expedition shows only its back: `A?`.
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
    """Whether a card is an assistant card."""
    return card.endswith(_ASSISTANT)


def is_travel(card: Card) -> bool:
    """Whether a card is a travel card. An unknown card is one: all players know the others (A-INFO-01)."""
    return card != JOKER and not is_assistant(card)


def may_be_hidden_in(hand: tuple[Card, ...], card: Card) -> bool:
    """Whether a card may be among the hidden cards of a hand."""
    return UNKNOWN in hand and is_travel(card)


def colour_of(card: Card) -> Colour:
    """The colour that a travel or assistant card shows (A-MOVE-03)."""
    return card.removesuffix(_ASSISTANT)


def remove_cards(cards: tuple[Card, ...], *cards_to_remove: Card) -> tuple[Card, ...]:
    """Removes some cards, each once. A card that is not visible in `cards` must be one of the unknown ones.

    >>> remove_cards(("gray", "gray", "joker"), "gray"), remove_cards(("?", "joker"), "gray")
    (('gray', 'joker'), ('joker',))
    """
    remaining_cards = list(cards)
    for card in cards_to_remove:
        remaining_cards.remove(card if card in remaining_cards else UNKNOWN)
    return tuple(remaining_cards)


def add_cards(hand: tuple[Card, ...], *cards: Card) -> tuple[Card, ...]:
    """A hand with more cards, sorted: the order does not show when cards came."""
    return tuple(sorted((*hand, *cards)))
