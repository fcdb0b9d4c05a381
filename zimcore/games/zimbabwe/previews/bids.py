"""Previews a bid, as if all others passed after it."""

from __future__ import annotations

import msgspec

from zimcore.game import Accepted, Seat
from zimcore.games.zimbabwe.commands import Give, Pass
from zimcore.games.zimbabwe.rules import decide
from zimcore.games.zimbabwe.rules.generosity import subsidy
from zimcore.games.zimbabwe.state import State


class BidPreview(msgspec.Struct, frozen=True):
    """A gift, or a pass (`amount` 0), by the player to bid. Amounts are in cattle.

    `stock_share` is the part that the stock pays (R-BID-09), `cattle_left` the player's cattle after the bid. If all
    others pass afterwards, `cattle_gained` comes from the plaques; `order` is the order of play then, and `turn_number`
    the player's place in it, from 1.
    """

    seat: Seat
    amount: int
    stock_share: int
    cattle_left: int
    cattle_gained: int
    turn_number: int
    order: tuple[Seat, ...]


def preview_bid(state: State, amount: int) -> BidPreview | None:
    """The preview of a gift, or of a pass if the amount is 0; None if that is not legal."""
    seat = state.actor or ""
    decision = decide(state, seat, Give(amount) if amount else Pass())
    if not isinstance(decision, Accepted):
        return None
    stock_share = min(subsidy(state, seat), amount)
    cattle_left = state.cattle[seat] + stock_share - amount
    final_state = pass_all(decision.state)
    cattle_gained = final_state.cattle[seat] - cattle_left
    return BidPreview(
        seat, amount, stock_share, cattle_left, cattle_gained, final_state.order.index(seat) + 1, final_state.order
    )


def pass_all(state: State) -> State:
    """The position where turns begin, if all others pass."""
    while state.phase == "bidding":
        decision = decide(state, state.actor or "", Pass())
        assert isinstance(decision, Accepted)
        state = decision.state
    return state
