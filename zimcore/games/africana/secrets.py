"""What each seat may know: hands and piles are hidden, everything else is open (A-INFO-01, AMB-13).

Other players know the number of cards in a hand, and its joker and assistants, which it got openly. Everybody knows the
cards that were ever on top of a book. Seat "" is a spectator, who knows what all players know.

A seat's knowledge comes from its events: evolving redacted events gives the same position as concealing the true one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from zimcore.game import Event, Seat
from zimcore.games.africana import events as e
from zimcore.games.africana.cards import UNKNOWN, Card, is_travel
from zimcore.games.africana.commands import Redeal, SetUp
from zimcore.games.africana.components import Components
from zimcore.games.africana.evolve import unknown_redealt
from zimcore.games.africana.state import State

OPENS_AT_END = True
"""Whether everybody sees everything when a match is over."""


def conceal(state: State, seat: Seat | None) -> State:
    """The position as a seat knows it, with `?` for unknown cards; the whole position for None."""
    visible_state = state.copy()
    if seat is None or state.setup is None:
        return visible_state
    removed_count = state.box.removed[str(len(state.seats))]
    visible_state.setup = _public_set_up(state.setup, seat)
    visible_state.seed = None
    visible_state.hands = {
        other_seat: cards if other_seat == seat else _public_hand(cards) for other_seat, cards in state.hands.items()
    }
    visible_state.pile = (UNKNOWN,) * len(state.pile)
    visible_state.books = {
        half: replace(book, left=_public_book(book.left, book.unseen)) for half, book in state.books.items()
    }
    visible_state.stack = _backs(state.stack, state.box)
    visible_state.removed = (*_backs(state.removed[:removed_count], state.box), *state.removed[removed_count:])
    return visible_state


def _public_hand(cards: tuple[Card, ...]) -> tuple[Card, ...]:
    """A hand as others know it, sorted so that its order gives nothing away."""
    return tuple(sorted(UNKNOWN if is_travel(card) else card for card in cards))


def _public_book(cards: tuple[str, ...], unseen: int) -> tuple[str, ...]:
    return (UNKNOWN,) * unseen + cards[unseen:]


def _backs(cards: tuple[str, ...], box: Components) -> tuple[str, ...]:
    back_by_card = {card.id: card.back + UNKNOWN for card in box.expeditions}
    return tuple(back_by_card.get(card, card) for card in cards)


def redact(event: Event, seat: Seat | None) -> Event:
    """The event as a seat may know it; the whole event for None."""
    hide = HIDERS.get(type(event))
    return event if seat is None or hide is None else hide(event, seat)


def _hide_seed(event: e.Played, seat: Seat) -> Event:
    if isinstance(event.command, (SetUp, Redeal)):
        return replace(event, command=replace(event.command, seed=None))
    return event


def _public_set_up(event: e.GameSetUp, seat: Seat) -> e.GameSetUp:
    return replace(
        event,
        pile=(UNKNOWN,) * len(event.pile),
        books={half: _public_book(cards, max(len(cards) - 1, 0)) for half, cards in event.books.items()},
        stack=_backs(event.stack, event.components),
        removed=_backs(event.removed, event.components),
        seed=None,
        seen_by=seat,
    )


def _hide_drawn_cards(event: e.CardsDrawn, seat: Seat) -> Event:
    return event if event.seat == seat else replace(event, cards=(UNKNOWN,) * len(event.cards))


def _hide_pile(event: e.PileShuffled, seat: Seat) -> Event:
    return replace(event, pile=(UNKNOWN,) * len(event.pile))


def _hide_redealt(event: e.UnknownRedealt, seat: Seat) -> Event:
    return replace(
        event,
        hands={
            other_seat: cards if other_seat == seat else _public_hand(cards)
            for other_seat, cards in event.hands.items()
        },
        pile=(),
        books={},
        stack=(),
        removed=(),
        seed=None,
    )


HIDERS: dict[type[Event], Callable[[Any, Seat], Event]] = {
    e.Played: _hide_seed,
    e.GameSetUp: _public_set_up,
    e.CardsDrawn: _hide_drawn_cards,
    e.PileShuffled: _hide_pile,
    e.UnknownRedealt: _hide_redealt,
}


def hides(state: State, seat: Seat) -> bool:
    """Whether cards in a seat's hand are hidden."""
    return UNKNOWN in state.hands.get(seat, ())


def known_together(state: State) -> State:
    """The position as all players together know it: with all hands, and `?` in the piles."""
    visible_state = conceal(state, "")
    visible_state.hands = state.hands.copy()
    return visible_state


def shuffled(state: State, seed: int) -> State:
    """The position with what no player knows in another order: the piles."""
    from zimcore.games.africana.rules.redeal import redeal_event

    shuffled_state = state.copy()
    unknown_redealt(shuffled_state, redeal_event(state, "", state.seats, seed))
    return shuffled_state


def redeal(seat: Seat, seed: int) -> Redeal:
    """The command that deals again what a player does not know: other hands, the pile, the books, the stack."""
    return Redeal(seat, seed)
