"""Standing orders for bidding, so that players need not wait for each other's bids."""

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

NUMBER_PATTERN = "([0-9]{1,3})"


def directive(text: str, state: State, seat: Seat, played_count: int) -> Directive | None:
    """What to do about an order when the seat is to move; None if the text is no order.

    `played_count` counts the commands that this order has played before.
    """
    order_text = " ".join(text.lower().split())
    limit_match = re.fullmatch(f"bid up to {NUMBER_PATTERN}", order_text)
    decision_match = re.fullmatch(f"pass unless the bid is {NUMBER_PATTERN}", order_text)
    if order_text != "pass" and not limit_match and not decision_match:
        return None
    if state.phase != "bidding":  # it waits for the bidding, or is done after it
        return Directive(over=played_count > 0)
    if decision_match and state.gift == int(decision_match[1]):
        return Directive(over=True, why=f"the bid is {state.gift}")
    if limit_match and (legal_gifts := gifts(state, seat)) and legal_gifts[0] <= int(limit_match[1]):
        return Directive(Give(legal_gifts[0]))
    return Directive(Pass(), over=True)
