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
    words = " ".join(text.lower().split())
    bid_limit = re.fullmatch(f"bid up to {NUMBER_PATTERN}", words)
    bid_to_decide = re.fullmatch(f"pass unless the bid is {NUMBER_PATTERN}", words)
    if words != "pass" and not bid_limit and not bid_to_decide:
        return None
    if state.phase != "bidding":  # it waits for the bidding, or is done after it
        return Directive(over=played_count > 0)
    if bid_to_decide and state.gift == int(bid_to_decide[1]):
        return Directive(over=True, why=f"the bid is {state.gift}")
    if bid_limit and (legal_gifts := gifts(state, seat)) and legal_gifts[0] <= int(bid_limit[1]):
        return Directive(Give(legal_gifts[0]))
    return Directive(Pass(), over=True)
