"""The limits at the end of a turn: cards in hand, and unfinished adventures (A-EOT-01 to 06)."""

from __future__ import annotations

from collections import Counter

from zimcore.game import Hidden, Seat
from zimcore.games.africana.cards import UNKNOWN, is_travel
from zimcore.games.africana.commands import Discard
from zimcore.games.africana.events import AdventuresDiscarded, CardsDiscarded
from zimcore.games.africana.rules.rule import Draft, Stage, decides, guard
from zimcore.games.africana.rules.turn import excess_adventures, excess_cards, finish_turn
from zimcore.games.africana.state import State


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
    missing = Counter(command.cards) - Counter(state.hands[seat])
    if missing:
        cards = ", ".join(missing.elements())
        unseen = state.hands[seat].count(UNKNOWN)
        if missing.total() <= unseen and all(map(is_travel, missing)):
            return Hidden(f"whether {seat} has {cards} is hidden")
        return f"{seat} does not have {cards}"
    held, limit = len(state.hands[seat]), state.box.limits.hand
    return _count_reason(state, len(command.cards), excess_cards(state), "cards", held, limit)


@guard("A-EOT-04", Discard)
def adventures_are_the_excess(state: State, seat: Seat, command: Discard) -> str | None:
    """Exactly the unfinished adventures above the limit are discarded (AMB-15)."""
    unfinished, limit = state.unfinished[seat], state.box.limits.adventures
    missing = Counter(command.adventures) - Counter(unfinished)
    if missing:
        return f"{seat} has no unfinished adventure {', '.join(missing.elements())}"
    return _count_reason(state, len(command.adventures), excess_adventures(state), "adventures", len(unfinished), limit)


def _count_reason(state: State, named: int, excess: int, kind: str, held: int, limit: int) -> str | None:
    if named == excess or (named > excess and may_discard_more(state)):
        return None
    return f"{excess} {kind} have to go, of {held} where {limit} may stay, not {named}"


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
