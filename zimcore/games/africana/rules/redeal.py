"""Dealing anew what a seat does not know: no move of the game, but a way to think about it without peeking."""

from __future__ import annotations

from itertools import groupby

from zimcore.game import Seat
from zimcore.games.africana.cards import is_travel
from zimcore.games.africana.commands import Redeal
from zimcore.games.africana.events import UnknownRedealt
from zimcore.games.africana.rules.rule import Draft, Stage, decides, guard
from zimcore.games.africana.state import State
from zimcore.toolkit.chance import chance, shuffled


@guard("A-INFO-01", Redeal, stage=Stage.TURN)
def somebody_looks(state: State, seat: Seat, command: Redeal) -> str | None:
    """It is a seat of the game that does not know the cards."""
    if command.seed is None or command.seat not in state.seats:
        return f"{command.seat or 'nobody'} has no seat in this game"
    return None


@decides(Redeal)
def redeal(draft: Draft, seat: Seat, command: Redeal) -> None:
    """Every card that the seat has not seen changes places with others of which it knows as little."""
    assert command.seed is not None
    state = draft.state
    hands, pile = _travel_cards(state, command.seat, command.seed)
    stack, removed = _expeditions(state, command.seed)
    books = {half: _book(state, half, command.seed) for half in state.books}
    draft.happen(UnknownRedealt(command.seat, hands, pile, books, stack, removed, command.seed))


def _travel_cards(state: State, seat: Seat, seed: int) -> tuple[dict[Seat, tuple[str, ...]], tuple[str, ...]]:
    """Hands of the others with as many travel cards as before, and the pile."""
    others = [other for other in state.seats if other != seat]
    hidden = [card for other in others for card in state.hands[other] if is_travel(card)] + list(state.pile)
    cards = iter(shuffled(sorted(hidden), chance(seed, "travel cards")))
    hands = {other: tuple(next(cards) if is_travel(card) else card for card in state.hands[other]) for other in others}
    return hands, tuple(cards)


def _book(state: State, half: str, seed: int) -> tuple[str, ...]:
    book = state.books[half]
    return (*shuffled(sorted(book.left[: book.unseen]), chance(seed, f"{half} book")), *book.left[book.unseen :])


def _expeditions(state: State, seed: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The stack and the removed cards: those with the same back change places (A-SETUP-04, A-SETUP-05)."""
    unseen = state.box.removed[str(len(state.seats))]
    gone, seen = state.removed[:unseen], state.removed[unseen:]
    back = {card.id: card.back for card in state.box.expeditions}
    dealt: list[str] = []
    for letter, cards in groupby((*gone, *state.stack), key=back.__getitem__):
        dealt += shuffled(sorted(cards), chance(seed, f"expeditions {letter}"))
    return tuple(dealt[len(gone) :]), (*dealt[: len(gone)], *seen)
