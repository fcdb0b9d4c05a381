"""Deals again everything that a seat does not know: no move of the game, but a way to think without peeking."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain

from zimcore.game import Seat
from zimcore.games.africana.cards import UNKNOWN, is_travel
from zimcore.games.africana.commands import Redeal
from zimcore.games.africana.components import Half
from zimcore.games.africana.events import UnknownRedealt
from zimcore.games.africana.rules.rule import Draft, Stage, decides, guard
from zimcore.games.africana.state import State
from zimcore.toolkit.chance import chance, shuffle


@guard("A-INFO-01", Redeal, stage=Stage.TURN)
def viewer_has_a_seat(state: State, seat: Seat, command: Redeal) -> str | None:
    """The command must name a seat of the game."""
    if command.seed is None or command.seat not in state.seats:
        return f"{command.seat or 'a spectator'} has no seat in this game"
    return None


@decides(Redeal)
def redeal(draft: Draft, seat: Seat, command: Redeal) -> None:
    """Every card that the seat has not seen is swapped at random with others that it can't tell apart from it.

    The position as the seat knows it is enough for this.
    """
    assert command.seed is not None
    draft.happen(redeal_event(draft.state, command.seat, [command.seat], command.seed))


def redeal_event(state: State, seat: Seat, knowing_seats: Sequence[Seat], seed: int) -> UnknownRedealt:
    """The event that deals again, for a seat, what some seats together do not know."""
    hands, pile = _deal_travel_cards(state, knowing_seats, seed)
    stack, removed = _deal_expeditions(state, seed)
    books = {half: _deal_book(state, half, seed) for half in state.books}
    return UnknownRedealt(seat, hands, pile, books, stack, removed, seed)


def _deal_travel_cards(
    state: State, knowing_seats: Sequence[Seat], seed: int
) -> tuple[dict[Seat, tuple[str, ...]], tuple[str, ...]]:
    """The hands of the seats that do not look, with as many travel cards as before, and the pile."""
    visible_cards = Counter((*chain(*(state.hands[seat] for seat in knowing_seats)), *state.discards, *state.table))
    hidden_cards = sorted((Counter(state.box.travel_cards) - visible_cards).elements())
    cards = iter(shuffle(hidden_cards, chance(seed, "travel cards")))
    other_seats = [seat for seat in state.seats if seat not in knowing_seats]
    hands = {
        seat: tuple(next(cards) if is_travel(card) else card for card in state.hands[seat]) for seat in other_seats
    }
    return hands, tuple(cards)


def _deal_book(state: State, half: Half, seed: int) -> tuple[str, ...]:
    book = state.books[half]
    visible_top_cards = book.left[book.unseen :]
    played_cards = chain(*state.unfinished.values(), *state.finished.values(), state.removed)
    visible_cards = {*visible_top_cards, *book.right, *played_cards}
    hidden_cards = sorted(
        card.id for card in state.box.adventures if card.book == half and card.id not in visible_cards
    )
    return (*shuffle(hidden_cards, chance(seed, f"{half} book")), *visible_top_cards)


def _deal_expeditions(state: State, seed: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The stack and the removed cards: cards with the same back are mixed (A-SETUP-04, A-SETUP-05)."""
    unseen_count = state.box.removed[str(len(state.seats))]
    cards_removed_unseen, cards_removed_openly = state.removed[:unseen_count], state.removed[unseen_count:]
    back_by_card = {card.id: card.back for card in state.box.expeditions}
    visible_cards = {*state.spaces, *cards_removed_openly, *chain(*state.finished.values())}
    dealt_cards: list[str] = []
    for back_name in dict.fromkeys(
        back_by_card.get(card, card.removesuffix(UNKNOWN)) for card in (*cards_removed_unseen, *state.stack)
    ):
        hidden_cards = sorted(
            card for card in back_by_card if back_by_card[card] == back_name and card not in visible_cards
        )
        dealt_cards += shuffle(hidden_cards, chance(seed, f"expeditions {back_name}"))
    return tuple(dealt_cards[len(cards_removed_unseen) :]), (
        *dealt_cards[: len(cards_removed_unseen)],
        *cards_removed_openly,
    )
