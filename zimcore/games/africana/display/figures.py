"""The figures that expressions can use, as far as they are visible."""

from __future__ import annotations

from typing import Any

from zimcore.game import Seat
from zimcore.games.africana.scoring import vp
from zimcore.games.africana.state import State


def common(state: State) -> dict[str, Any]:
    """Figures of the game as a whole: `round`, `winner`, `order`.

    `order` is the order of play; `left` has the colours of assistants that can still be taken.
    """
    winner = state.winners[0] if len(state.winners) == 1 else None
    return {
        "round": state.round,
        "phase": state.phase,
        "actor": state.actor,
        "winner": winner,
        "winners": list(state.winners),
        "over": state.phase == "over",
        "ending": state.ending,
        "stack": len(state.stack),
        "pile": len(state.pile),
        "order": list(state.seats),
        "discards": len(state.discards),
        "left": [colour for colour, count in state.supply.items() if count],
        "expeditions": [card for card in state.spaces if card],
    }


def figures(state: State, seat: Seat) -> dict[str, Any]:
    """Figures of a player: `silver`, `hand`."""
    return {
        "vp": vp(state, seat),
        "silver": state.silver[seat],
        "at": state.places[seat],
        "cards": len(state.hands[seat]),
        "hand": sorted(state.hands[seat]),
        "travel_cards": state.travel_card_count(seat),
        "markers": state.markers_left(seat),
        "unfinished": len(state.unfinished[seat]),
        "finished": len(state.finished[seat]),
        "joined": [card for card in state.spaces if seat in state.markers.get(card, ())],
        "adventures": list(state.unfinished[seat]),
        "collected": list(state.finished[seat]) if state.sees_finished(seat) else None,
    }
