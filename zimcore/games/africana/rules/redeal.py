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
def somebody_looks(state: State, seat: Seat, command: Redeal) -> str | None:
    """The command must name a seat of the game."""
    if command.seed is None or command.seat not in state.seats:
        return f"{command.seat or 'nobody'} has no seat in this game"
    return None


@decides(Redeal)
def redeal(draft: Draft, seat: Seat, command: Redeal) -> None:
    """Every card that the seat has not seen is swapped at random with others that it can't tell apart from it.

    The position as the seat knows it is enough for this.
    """
    assert command.seed is not None
    draft.happen(redealt(draft.state, command.seat, [command.seat], command.seed))


def redealt(state: State, seat: Seat, knowing: Sequence[Seat], seed: int) -> UnknownRedealt:
    """The event that deals again, for a seat, what some seats together do not know."""
    hands, pile = _travel_cards(state, knowing, seed)
    stack, removed = _expeditions(state, seed)
    books = {half: _book(state, half, seed) for half in state.books}
    return UnknownRedealt(seat, hands, pile, books, stack, removed, seed)


def _travel_cards(
    state: State, knowing: Sequence[Seat], seed: int
) -> tuple[dict[Seat, tuple[str, ...]], tuple[str, ...]]:
    """The hands of the seats that do not look, with as many travel cards as before, and the pile."""
    counts = Counter((*chain(*(state.hands[seat] for seat in knowing)), *state.discards, *state.table))
    hidden = sorted((Counter(state.box.travel_cards) - counts).elements())
    cards = iter(shuffle(hidden, chance(seed, "travel cards")))
    others = [other for other in state.seats if other not in knowing]
    hands = {other: tuple(next(cards) if is_travel(card) else card for card in state.hands[other]) for other in others}
    return hands, tuple(cards)


def _book(state: State, half: Half, seed: int) -> tuple[str, ...]:
    book = state.books[half]
    top = book.left[book.unseen :]
    used = chain(*state.unfinished.values(), *state.finished.values(), state.removed)
    visible = {*top, *book.right, *used}
    hidden = sorted(card.id for card in state.box.adventures if card.book == half and card.id not in visible)
    return (*shuffle(hidden, chance(seed, f"{half} book")), *top)


def _expeditions(state: State, seed: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The stack and the removed cards: cards with the same back are mixed (A-SETUP-04, A-SETUP-05)."""
    unseen = state.box.removed[str(len(state.seats))]
    removed, open_ = state.removed[:unseen], state.removed[unseen:]
    back = {card.id: card.back for card in state.box.expeditions}
    visible = {*state.spaces, *open_, *chain(*state.finished.values())}
    dealt: list[str] = []
    for letter in dict.fromkeys(back.get(card, card.removesuffix(UNKNOWN)) for card in (*removed, *state.stack)):
        hidden = sorted(card for card in back if back[card] == letter and card not in visible)
        dealt += shuffle(hidden, chance(seed, f"expeditions {letter}"))
    return tuple(dealt[len(removed) :]), (*dealt[: len(removed)], *open_)
