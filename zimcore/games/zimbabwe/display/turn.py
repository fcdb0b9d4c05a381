"""The steps of a turn: which are done, and which are still open."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from zimcore.game import Step
from zimcore.games.zimbabwe.components import CONSTANTS
from zimcore.games.zimbabwe.state import State

ACTION_WORDS = {"build": "built", "raise": "raised", "craft": "craftsmen placed"}


def turn(state: State) -> Sequence[Step]:
    """The steps of the current turn (R-TURN-01); none outside of turns."""
    return (*_card_steps(state), _action_step(state)) if state.phase == "actions" and state.actor else ()


def _card_steps(state: State) -> Iterator[Step]:
    """The god and the specialists: one new card a turn (R-TURN-01), and each specialist can be used once."""
    seat, is_card_taken = state.turn.seat, state.turn.card
    god, own_specialists = state.adores.get(seat), state.specialists_of(seat)
    yield Step(
        "god",
        god or ("at most one card a turn" if is_card_taken else "none yet"),
        done=is_card_taken or god is not None,
    )
    for name in own_specialists:
        is_used = name in state.turn.used
        yield Step("specialist", f"{name} {'used' if is_used else 'not used yet'}", done=is_used)
    if not own_specialists and state.specialists:
        yield Step("specialist", "at most one card a turn" if is_card_taken else "none yet", done=is_card_taken)


def _action_step(state: State) -> Step:
    """The main action: building, placing craftsmen or raising."""
    action = state.turn.action
    if not action:
        return Step("action", "none yet", done=False)
    if unpriced_types := state.unpriced_technologies(state.turn.seat):
        return Step("action", f"{ACTION_WORDS[action]}, without a price yet: {', '.join(unpriced_types)}", done=False)
    return Step("action", ACTION_WORDS[action] + (", more may follow" if _can_action_go_on(state) else ""), done=True)


def _can_action_go_on(state: State) -> bool:
    """Whether the action, which is one block (R-TURN-04), can go on, apart from costs and places."""
    turn, seat = state.turn, state.turn.seat
    if turn.action == "craft":
        return turn.window in ("craftsmen", "raising") or state.has_house_rule("main_action")
    if turn.window != "monuments" and not state.has_house_rule("main_action"):
        return False
    if turn.action == "build":
        return len(turn.monuments) < state.god_modifiers(seat).monuments
    own_monuments = [square for square, monument in state.monuments.items() if monument.owner == seat]
    return any(
        state.monuments[square].level < CONSTANTS.max_level for square in own_monuments if square not in turn.monuments
    )
