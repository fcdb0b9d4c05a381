"""The invariants of every position."""

from __future__ import annotations

from collections import Counter

from zimcore.game import Event
from zimcore.games.africana.cards import JOKER, assistant
from zimcore.games.africana.events import BANK, SilverPaid
from zimcore.games.africana.state import State


def check_cards_are_conserved(state: State) -> None:
    """Every card of the box is in exactly one place, and nowhere twice."""
    box = state.box
    hand_counts = Counter(card for hand in state.hands.values() for card in hand)
    card_counts = (
        hand_counts + Counter(state.pile) + Counter(state.discards) + Counter(state.table) + Counter(state.removed)
    )
    assert {colour: card_counts[colour] for colour in box.colours} == box.travel_cards
    assert card_counts[JOKER] == len(state.seats)
    assert {colour: card_counts[assistant(colour)] + state.supply[colour] for colour in box.colours} == box.assistants
    finished_cards = Counter(card for cards in state.finished.values() for card in cards)
    unfinished_cards = Counter(card for cards in state.unfinished.values() for card in cards)
    book_counts = Counter(card for book in state.books.values() for card in (*book.left, *book.right))
    other_cards = (
        finished_cards + unfinished_cards + book_counts + Counter(filter(None, state.spaces)) + Counter(state.stack)
    )
    id_counts = Counter([*(card.id for card in box.expeditions), *(card.id for card in box.adventures)])
    assert other_cards + Counter(card for card in state.removed if card in id_counts) == id_counts


def check_4_markers_per_company(state: State) -> None:
    marker_counts = Counter(seat for seats in state.markers.values() for seat in seats)
    assert all(marker_counts[seat] + state.markers_left(seat) == 4 and marker_counts[seat] <= 4 for seat in state.seats)
    assert state.markers.keys() <= set(state.spaces)
    assert all(len(set(seats)) == len(seats) for seats in state.markers.values())


def check_money_is_what_was_paid(state: State, ledger: Counter[str]) -> None:
    assert sum(state.silver.values()) == 0
    assert all(amount >= 0 for account, amount in state.silver.items() if account != BANK)
    assert {account: amount for account, amount in state.silver.items() if amount} == {
        account: amount for account, amount in ledger.items() if amount
    }


def post_payment(ledger: Counter[str], event: Event) -> None:
    if isinstance(event, SilverPaid):
        assert event.amount > 0
        assert BANK in (event.payer, event.payee)
        ledger[event.payer] -= event.amount
        ledger[event.payee] += event.amount
