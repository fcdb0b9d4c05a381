"""Advice on bids: the place in the order of play, and the cattle from the plaques."""

from __future__ import annotations

from collections.abc import Iterator

from zimcore.game import Advice, Seat
from zimcore.games.zimbabwe.previews import BidPreview, preview_bid
from zimcore.games.zimbabwe.rules.generosity import largest_gift, minimum_gift
from zimcore.games.zimbabwe.state import State

MAX_GIFTS = 6
"""The most gifts to advise on: each is played to the end of the bidding."""


def bid_advice(state: State, seat: Seat, words: list[str]) -> Iterator[Advice]:
    """The least gift, then passing, then larger gifts."""
    least_gift = minimum_gift(state)
    gifts = range(least_gift, min(largest_gift(state, seat), least_gift + MAX_GIFTS - 1) + 1)
    for amount in (*gifts[:1], 0, *gifts[1:]):
        if bid := preview_bid(state, amount):
            yield Advice(f"bid {amount}" if amount else "pass", bid_effects(bid))


def bid_effects(bid: BidPreview) -> tuple[str, ...]:
    """The place in the order of play after a bid, and the cattle left."""
    subsidy_text = (f"the stock pays {bid.stock_share} of it",) if bid.stock_share else ()
    return (
        f"turn {bid.turn_number} of {len(bid.order)} if all others pass",
        f"{bid.cattle_left} cattle left and {bid.cattle_gained} from the plaques then",
        *subsidy_text,
    )
