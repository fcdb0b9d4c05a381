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

BIDS = (Give, Pass)
TURN = (Adore, Hire, Use, Build, PlaceCraftsman, SetPrices, Raise, EndTurn)

DOING = {
    "": "the game is not set up yet",
    "setup": "first monuments are being placed now",
    "bidding": "bids are being made now",
    "actions": "players are taking their turns now",
}


@guard("R-END-01", Start, *BIDS, *TURN, stage=Stage.TURN)
def the_game_goes_on(state: State, seat: Seat, command: Command) -> str | None:
    """No command is legal after the end."""
    return f"the game is over, {state.winner} has won" if state.phase == "over" else None


def _the_time(state: State, seat: Seat, phase: str) -> str | None:
    if state.phase == "over":
        return None
    if state.phase != phase:
        return DOING[state.phase]
    return None if state.actor == seat else f"it is {state.actor}'s turn, not {seat}'s"


@guard("R-SET-02", Start, stage=Stage.TURN)
def time_to_start(state: State, seat: Seat, command: Command) -> str | None:
    """First monuments are placed before anything else, down the VR stack."""
    return _the_time(state, seat, "setup")


@guard("R-BID-02", *BIDS, stage=Stage.TURN)
def time_to_bid(state: State, seat: Seat, command: Command) -> str | None:
    """Players bid in the order of their plaques."""
    return _the_time(state, seat, "bidding")


@guard("R-TURN-01", *TURN, stage=Stage.TURN)
def time_to_act(state: State, seat: Seat, command: Command) -> str | None:
    """Players take turns in the order that the bidding gave."""
    return _the_time(state, seat, "actions")


@decides(EndTurn)
def end_turn(draft: Draft, seat: Seat, command: EndTurn) -> None:
    """Begins the next player's turn; after the last one's, revenues and the comparison of mythologies."""
    order = draft.state.order
    draft.happen(TurnEnded(seat))
    following = order.index(seat) + 1
    if following < len(order):
        draft.happen(TurnBegun(order[following]))
        return
    collect_revenues(draft)
    compare_mythologies(draft)
