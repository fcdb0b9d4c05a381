"""What a command throws away: an action that a turn is ended without, or what could be ended where one stands."""

from __future__ import annotations

from zimcore.game import Seat
from zimcore.games.africana.commands import AnyCommand, EndTurn
from zimcore.games.africana.legal import ends, joins
from zimcore.games.africana.notation.commands import format_command
from zimcore.games.africana.rules import stands
from zimcore.games.africana.state import State


def waste(state: State, seat: Seat, command: AnyCommand) -> str:
    """What the end of a turn leaves undone: expeditions and adventures here, or any action at all.

    `you could still join A03, end N05`; not moving a step is an action too, but it is never intended (A-TURN-02).
    """
    if not isinstance(command, EndTurn) or state.actor != seat or state.turn.over:
        return ""
    if state.turn.action in ("", "move"):
        here = [*(each for each in ends(state) if not isinstance(each, EndTurn)), *joins(state)]
        found = [format_command(each) for each in here if stands(state, seat, each)]
        if found:
            return f"you could still {', '.join(found)}"
    return "" if state.turn.action else "no action was taken, and you could draw cards"
