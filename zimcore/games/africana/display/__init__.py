"""Displays positions of Africana; concealed things are shown as `?`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from zimcore.game import Arrow, Board, Event, Overlay, Transfer
from zimcore.games.africana.display.figures import common, figures
from zimcore.games.africana.display.status import colours, names, status, toolbar
from zimcore.games.africana.display.tables import tables
from zimcore.games.africana.display.turn import turn
from zimcore.games.africana.events import BANK, ExplorerMoved, SilverPaid
from zimcore.games.africana.state import State

__all__ = [
    "GOAL",
    "HAND",
    "HEADINGS",
    "HOLDINGS",
    "MONEY",
    "OVERLAYS",
    "RANKING",
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
    "transfers",
    "turn",
]

MONEY = ("silver",)
RANKING = "A-SCORE-08"
SERIES = ("vp", "silver", "cards")
HOLDINGS: Mapping[str, str] = {}
HAND = "hand"
GOAL = ""
HEADINGS: Mapping[str, str] = {
    "VP": "victory points: a player's as if the game ended now, or those that a card is worth",
    "silver": "silver that a player has, or that an adventure pays",
    "at": "where the explorer is",
    "cards": "travel cards: each lets an explorer go to a place with a symbol of its colour",
    "markers": "expedition markers that are left: each joins one expedition",
    "unfinished": "adventures that were taken, and whose place was not reached yet",
    "finished": "expeditions and adventures that are finished",
    "no.": "the space of the expedition: `2>` on the map is its start, `>2` its end",
    "from": "where an expedition starts: be there to join it",
    "to": "where an expedition or an adventure ends: go there to finish it",
    "pays": "silver for who finishes the expedition",
    "by": "who has joined the expedition",
    "bonus": "what joining an expedition on this space brings at once",
    "where": "whose adventure it is, or the book in which it lies on top",
    "what": "the artifact or the assistant that it brings",
}
OVERLAYS: Mapping[str, str] = {
    "reach": "[LOCATION]: how far you can get this turn, in cards or silver (s); or the cheapest way to LOCATION",
}


def board(state: State) -> Board | None:
    """The map; None before the set-up."""
    from zimcore.games.africana.display import map as map_display

    return map_display.board(state) if state.setup else None


def overlay(state: State, name: str, words: Sequence[str]) -> Overlay:
    """An overlay of the map. Raises `NotationError` for an unknown one."""
    from zimcore.games.africana.display import overlays  # slow: it imports the rules

    return overlays.overlay(state, name, words)


def arrows(events: Sequence[Event]) -> Sequence[Arrow]:
    """The steps of an explorer."""
    return tuple(Arrow(event.start, event.to, "", event.seat) for event in events if isinstance(event, ExplorerMoved))


def transfers(events: Sequence[Event]) -> Sequence[Transfer]:
    """Silver that the bank pays, or gets."""
    payments = (event for event in events if isinstance(event, SilverPaid))
    return tuple(
        Transfer(_seat_of_account(payment.payer), _seat_of_account(payment.payee), payment.amount, "silver")
        for payment in payments
    )


def _seat_of_account(account: str) -> str:
    return "" if account == BANK else account
