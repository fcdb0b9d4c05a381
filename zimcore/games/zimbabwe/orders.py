"""Standing orders for bidding, which else takes one answer of each player after the other."""

from __future__ import annotations

import re
from collections.abc import Mapping

from zimcore.game import Directive, Seat
from zimcore.games.zimbabwe.commands import Give, Pass
from zimcore.games.zimbabwe.rules.generosity import gifts
from zimcore.games.zimbabwe.state import State

ORDERS: Mapping[str, str] = {
    "pass": "passes in the next bidding",
    "bid up to NUMBER": "makes the lowest bid, up to NUMBER, then passes",
    "pass unless the bid is NUMBER": "passes, unless the bid is exactly NUMBER: then you decide",
}

NUMBER = "([0-9]{1,3})"


def directive(text: str, state: State, seat: Seat, given: int) -> Directive | None:
    """What an order says when a seat is to move, after it has given so many commands; None for a text that is none."""
    words = " ".join(text.lower().split())
    most = re.fullmatch(f"bid up to {NUMBER}", words)
    unless = re.fullmatch(f"pass unless the bid is {NUMBER}", words)
    if words != "pass" and not most and not unless:
        return None
    if state.phase != "bidding":  # it waits for one, or has done its part in the last one
        return Directive(over=given > 0)
    if unless and state.gift == int(unless[1]):
        return Directive(over=True, why=f"the bid is {state.gift}")
    if most and (possible := gifts(state, seat)) and possible[0] <= int(most[1]):
        return Directive(Give(possible[0]))
    return Directive(Pass(), over=True)
