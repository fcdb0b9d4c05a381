"""A position of The Great Zimbabwe as it is shown, each thing by itself: all of it is open to everybody."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from zimcore.game import Overlay
from zimcore.games.zimbabwe.display.arrows import arrows
from zimcore.games.zimbabwe.display.figures import common, figures
from zimcore.games.zimbabwe.display.squares import board
from zimcore.games.zimbabwe.display.status import colours, names, status, toolbar
from zimcore.games.zimbabwe.display.tables import tables
from zimcore.games.zimbabwe.display.turn import turn
from zimcore.games.zimbabwe.state import State

__all__ = [
    "MONEY",
    "OVERLAYS",
    "SERIES",
    "arrows",
    "board",
    "colours",
    "common",
    "figures",
    "names",
    "overlay",
    "status",
    "tables",
    "toolbar",
    "turn",
]

MONEY = ("cattle", "on_cards")
SERIES = ("vp", "vr", "cattle")
OVERLAYS: Mapping[str, str] = {
    "reach": "SQUARE: what is in range of a square or craftsman, in steps",
    "hubs": "SQUARE: how many hubs it takes to get there",
    "owner": "whose everything is",
    "resources": "the used markers that each resource can still bear",
}


def overlay(state: State, name: str, words: Sequence[str]) -> Overlay:
    """Something to see on the board. Raises `NotationError`."""
    from zimcore.games.zimbabwe.display import overlays  # which needs the rules

    return overlays.overlay(state, name, words)
