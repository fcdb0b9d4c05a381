"""Warns of wasted turns: those without an action, or with endings and joins left undone."""

from __future__ import annotations

from zimcore.game import Seat
from zimcore.games.africana.commands import AnyCommand, EndTurn
from zimcore.games.africana.legal import end_commands, join_commands
from zimcore.games.africana.notation.commands import format_command
from zimcore.games.africana.rules import is_legal
from zimcore.games.africana.state import State


def waste(state: State, seat: Seat, command: AnyCommand) -> str:
    """What ending the turn now would waste; "" if nothing.

    For example `you could still join A03, end N05`. Moving without a step is an action (A-TURN-02), but surely a
    mistake.
    """
    if not isinstance(command, EndTurn) or state.actor != seat or state.turn.over:
        return ""
    if state.turn.action in ("", "move"):
        commands_here = [
            *(ending_or_join for ending_or_join in end_commands(state) if not isinstance(ending_or_join, EndTurn)),
            *join_commands(state),
        ]
        texts = [
            format_command(ending_or_join) for ending_or_join in commands_here if is_legal(state, seat, ending_or_join)
        ]
        if texts:
            return f"you could still {', '.join(texts)}"
    return "" if state.turn.action else "no action was taken, and you could draw cards"
