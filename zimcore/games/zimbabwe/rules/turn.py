"""Turns: the guards that come before all others, and the end of a turn."""

from __future__ import annotations

from zimcore.game import Command, Seat
from zimcore.games.zimbabwe.commands import (
    Adore,
    Build,
    EndTurn,
    Give,
    Hire,
    Pass,
    PlaceCraftsman,
    Raise,
    SetPrices,
    Start,
    Use,
)
from zimcore.games.zimbabwe.events import TurnBegun, TurnEnded
from zimcore.games.zimbabwe.rules.mythologies import compare_mythologies
from zimcore.games.zimbabwe.rules.revenues import collect_revenues
from zimcore.games.zimbabwe.rules.rule import Draft, Stage, decides, guard
from zimcore.games.zimbabwe.state import State

BID_COMMANDS = (Give, Pass)
TURN_COMMANDS = (Adore, Hire, Use, Build, PlaceCraftsman, SetPrices, Raise, EndTurn)

PHASE_TEXTS = {
    "": "the game is not set up yet",
    "setup": "first monuments are being placed now",
    "bidding": "bids are being made now",
    "actions": "players are taking their turns now",
}


@guard("R-END-01", Start, *BID_COMMANDS, *TURN_COMMANDS, stage=Stage.TURN)
def the_game_goes_on(state: State, seat: Seat, command: Command) -> str | None:
    """No command is legal after the end."""
    return f"the game is over, {state.winner} has won" if state.phase == "over" else None


def _phase_reason(state: State, seat: Seat, phase: str) -> str | None:
    if state.phase == "over":
        return None
    if state.phase != phase:
        return PHASE_TEXTS[state.phase]
    return None if state.actor == seat else f"it is {state.actor}'s turn, not {seat}'s"


@guard("R-SET-02", Start, stage=Stage.TURN)
def seat_may_start(state: State, seat: Seat, command: Command) -> str | None:
    """First monuments are placed before anything else, down the VR stack."""
    return _phase_reason(state, seat, "setup")


@guard("R-BID-02", *BID_COMMANDS, stage=Stage.TURN)
def seat_may_bid(state: State, seat: Seat, command: Command) -> str | None:
    """Players bid in the order of their plaques."""
    return _phase_reason(state, seat, "bidding")


@guard("R-TURN-01", *TURN_COMMANDS, stage=Stage.TURN)
def seat_may_act(state: State, seat: Seat, command: Command) -> str | None:
    """Players take turns in the order that the bidding gave."""
    return _phase_reason(state, seat, "actions")


@decides(EndTurn)
def end_turn(draft: Draft, seat: Seat, command: EndTurn) -> None:
    """Begins the next player's turn; after the last one's, revenues and the comparison of mythologies."""
    order = draft.state.order
    draft.happen(TurnEnded(seat))
    next_index = order.index(seat) + 1
    if next_index < len(order):
        draft.happen(TurnBegun(order[next_index]))
        return
    collect_revenues(draft)
    compare_mythologies(draft)
