"""The limits at the end of a turn: cards in hand, and unfinished adventures (A-EOT-01 to 06)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from zimcore.game import Hidden, Seat
from zimcore.games.africana.cards import UNKNOWN, Card, is_travel
from zimcore.games.africana.commands import Discard
from zimcore.games.africana.events import AdventuresDiscarded, CardsDiscarded
from zimcore.games.africana.rules.rule import Draft, Stage, decides, guard
from zimcore.games.africana.rules.turn import excess_adventure_count, excess_card_count, finish_turn
from zimcore.games.africana.state import State
from zimcore.toolkit.words import joined, numbered


@guard("A-EOT-06", Discard, stage=Stage.TURN)
def action_is_over(state: State, seat: Seat, command: Discard) -> str | None:
    """Discards are possible only once the action is over."""
    if state.actor != seat or state.turn.over:
        return None
    return f"{seat}'s action is not over: cards above a limit can be discarded only then"


@guard("A-EOT-01", Discard)
def cards_are_the_excess(state: State, seat: Seat, command: Discard) -> str | None:
    """Exactly the cards above the limit are discarded, from the player's hand (AMB-15)."""
    if UNKNOWN in command.cards:
        return "name the cards to discard"
    missing_cards = Counter(command.cards) - Counter(state.hands[seat])
    if missing_cards:
        hidden_count, cards_text = state.hands[seat].count(UNKNOWN), joined(missing_cards.elements())
        if missing_cards.total() <= hidden_count and all(map(is_travel, missing_cards)):
            return Hidden(f"whether {seat} has {cards_text} is hidden")
        if hidden_count:
            return f"{seat} can't have all of {cards_text}"
        return _missing_reason(seat, "", command.cards, state.hands[seat])
    hand_size, limit = len(state.hands[seat]), state.box.limits.hand
    return _count_reason(state, len(command.cards), excess_card_count(state), "card", hand_size, limit)


@guard("A-EOT-04", Discard)
def adventures_are_the_excess(state: State, seat: Seat, command: Discard) -> str | None:
    """Exactly the unfinished adventures above the limit are discarded (AMB-15)."""
    unfinished, limit = state.unfinished[seat], state.box.limits.adventures
    if Counter(command.adventures) - Counter(unfinished):
        return _missing_reason(seat, "unfinished adventure ", command.adventures, unfinished)
    return _count_reason(
        state, len(command.adventures), excess_adventure_count(state), "adventure", len(unfinished), limit
    )


def _missing_reason(seat: Seat, noun: str, named_cards: Sequence[Card], held_cards: Sequence[Card]) -> str:
    """What a player has too few of: `italy has no gray and only 1 joker, not 2`."""
    held, named = Counter(held_cards), Counter(named_cards)
    parts = [
        f"only {held[card]} {noun}{card}, not {named[card]}" if held[card] else f"no {noun}{card}"
        for card in named - held
    ]
    return f"{seat} has {joined(parts)}"


def _count_reason(
    state: State, named_count: int, excess_count: int, noun: str, held_count: int, limit: int
) -> str | None:
    if named_count == excess_count or (named_count > excess_count and may_discard_more(state)):
        return None
    least = "at least " if may_discard_more(state) else ""
    goes = f"{least}{numbered(excess_count, noun)} {'has' if excess_count == 1 else 'have'} to go"
    return f"{goes}, of {held_count} where {limit} may stay, not {named_count}"


def may_discard_more(state: State) -> bool:
    """Whether a house rule lets players discard more than the excess (AMB-15)."""
    return state.has_house_rule("discards")


@decides(Discard)
def discard(draft: Draft, seat: Seat, command: Discard) -> None:
    """Discards, then finishes the turn."""
    if command.cards:
        draft.happen(CardsDiscarded(seat, command.cards))
    if command.adventures:
        draft.happen(AdventuresDiscarded(seat, command.adventures))
    finish_turn(draft)
