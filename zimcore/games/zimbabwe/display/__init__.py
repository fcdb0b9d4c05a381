"""Displays positions of The Great Zimbabwe; nothing is hidden. `zimcore.game.Display` explains the constants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from zimcore.game import Overlay
from zimcore.games.zimbabwe.display.arrows import arrows
from zimcore.games.zimbabwe.display.figures import common, figures
from zimcore.games.zimbabwe.display.squares import board
from zimcore.games.zimbabwe.display.status import colours, names, status, toolbar
from zimcore.games.zimbabwe.display.tables import tables
from zimcore.games.zimbabwe.display.transfers import transfers
from zimcore.games.zimbabwe.display.turn import turn
from zimcore.games.zimbabwe.state import State

__all__ = [
    "GOAL",
    "HAND",
    "HEADINGS",
    "HOLDINGS",
    "MONEY",
    "OVERLAYS",
    "RANKING",
    "SERIES",
    "TALLIED",
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
    "transfers",
    "turn",
]

MONEY = ("cattle", "on_cards")
RANKING = "R-END-02"
SERIES = ("vp", "vr", "cattle")
TALLIED = ("god", "specialists")
"""The figures by which tables over many games count."""
HOLDINGS: Mapping[str, str] = {"god": "god", "specialists": "specialist"}
HAND = ""
GOAL = "vr"
HEADINGS: Mapping[str, str] = {
    "VP": "victory points, from monuments and craftsmen",
    "VR": "victory requirement: you win when your VP reach it; gods, specialists and technologies raise it",
    "to go": "the victory points that you still need to reach your VR",
    "cattle": "cattle in hand, to pay with; in the bidding those that lie on a plaque",
    "on cards": "cattle on your cards: you take them at the end of the round",
    "income": "cattle from the supply at the end of each round: the level of your highest monument, and 2 for Engai",
    "god": "the god whom you adore, one for the whole game",
    "specialists": "the specialists whom you have hired",
    "plaque": "whose plaque it is: bids are dealt out over the plaques, and you get the cattle on yours",
    "bids": "who bids next, who is still in, and which place in the order of play those who passed have",
    "no.": "which technology card of its type it is: the first is the cheapest",
    "price": "what each use of a craftsman of this type costs; the cattle go onto the card",
}
OVERLAYS: Mapping[str, str] = {
    "reach": "SQUARE: what is in range of a square or craftsman, in steps",
    "hubs": "SQUARE: how many hubs it takes to get there",
    "hubs_as_eshu": "SQUARE: how many hubs it would take if you adored Eshu, whose range is 6",
    "owner": "who owns what",
    "resources": "how often each resource can still be used",
}


def overlay(state: State, name: str, words: Sequence[str]) -> Overlay:
    """An overlay of the board. Raises `NotationError` for an unknown one."""
    from zimcore.games.zimbabwe.display import overlays  # slow: it imports the rules

    return overlays.overlay(state, name, words)
