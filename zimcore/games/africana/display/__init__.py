"""A position of Africana as it is shown, each thing by itself; what was concealed is `?` there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from zimcore.game import Arrow, Board, Event, Overlay
from zimcore.games.africana.display.figures import common, figures
from zimcore.games.africana.display.status import colours, names, status, toolbar
from zimcore.games.africana.display.tables import tables
from zimcore.games.africana.display.turn import turn
from zimcore.games.africana.events import ExplorerMoved
from zimcore.games.africana.state import State

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

MONEY = ("silver",)
SERIES = ("vp", "silver", "cards")
OVERLAYS: Mapping[str, str] = {
    "reach": "[LOCATION]: where one can get to in this turn, in cards or silver (s); or the cheapest way there",
}


def board(state: State) -> Board | None:
    """The map, once it is known."""
    from zimcore.games.africana.display import map as drawn

    return drawn.board(state) if state.setup else None


def overlay(state: State, name: str, words: Sequence[str]) -> Overlay:
    """Something to see on the map. Raises `NotationError`."""
    from zimcore.games.africana.display import overlays  # which needs the rules

    return overlays.overlay(state, name, words)


def arrows(events: Sequence[Event]) -> Sequence[Arrow]:
    """The steps of an explorer."""
    return tuple(Arrow(event.start, event.to, "", event.seat) for event in events if isinstance(event, ExplorerMoved))
