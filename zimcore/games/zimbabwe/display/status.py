"""A position in one line: whose turn it is, what they are to do, and the score. Draws no board."""

from __future__ import annotations

from collections.abc import Mapping

from zimcore.game import Seat
from zimcore.games.zimbabwe.components import COMPONENTS
from zimcore.games.zimbabwe.ranking import deciding_reason
from zimcore.games.zimbabwe.state import State
from zimcore.toolkit.player_names import title_with_name

COLOUR_BY_SEAT = {empire.name: empire.colour for empire in COMPONENTS.empires}


def colours(state: State) -> Mapping[Seat, str]:
    """The colour of each empire that plays."""
    return {seat: COLOUR_BY_SEAT[seat] for seat in state.seats}


def names(state: State) -> Mapping[Seat, str]:
    """The names of players by seat, as far as they were given."""
    return state.setup.names


def status(state: State) -> str:
    """The round, the seat to move, and what it is to do."""
    actor = title_with_name(state.actor, state.setup.names)
    match state.phase:
        case "setup":
            return f"set-up · {actor} to place the first monument"
        case "bidding":
            return f"round {state.round} · {actor} to bid {state.gift + 1} or more"
        case "actions":
            return f"round {state.round} · {actor}{_turn_text(state)}"
        case "over":
            reason_text = f": {reason}" if (reason := deciding_reason(state)) else ""
            return f"round {state.round} · {title_with_name(state.winner, state.setup.names)} has won{reason_text}"
    return "not set up"


def _turn_text(state: State) -> str:
    if unpriced_types := state.unpriced_technologies(state.turn.seat):
        return f" to set the price of the {' and the '.join(unpriced_types)}"
    action_words = {"build": "has built", "craft": "is placing craftsmen", "raise": "has raised monuments"}
    can_go_on = state.turn.window in ("craftsmen", "raising") or state.has_house_rule("main_action")
    if state.turn.action == "craft" and not can_go_on:
        return " has placed craftsmen"
    return f" {action_words[state.turn.action]}" if state.turn.action else " to act"


def toolbar(state: State) -> str:
    """All players' VP, VR and cattle in one line."""
    return "  ".join(f"{seat} {state.vp[seat]}/{state.vr[seat]} {state.cattle[seat]}c" for seat in state.seats)
