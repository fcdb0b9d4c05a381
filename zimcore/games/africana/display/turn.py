"""The steps of a turn: which are done, and which are still open."""

from __future__ import annotations

from collections.abc import Sequence

from zimcore.game import Step
from zimcore.games.africana.state import State

ACTION_WORDS = {"": "none yet: draw, move, turn or buy", "draw": "drawing", "books": "at the book", "move": "moving"}


def turn(state: State) -> Sequence[Step]:
    """The action of the seat to move (A-TURN-01), then the limits; empty before the set-up and after the end."""
    if not state.actor:
        return ()
    if not state.turn.over:
        return (Step("action", ACTION_WORDS[state.turn.action], done=state.turn.action != ""),)
    limits = Step("limits", "cards or adventures to discard", done=False)
    return (Step("action", f"{ACTION_WORDS[state.turn.action]}, over", done=True), limits)
