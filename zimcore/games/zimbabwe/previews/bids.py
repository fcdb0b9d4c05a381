"""What a bid comes to, if all others pass after it."""

from __future__ import annotations

import msgspec

from zimcore.game import Accepted, Seat
from zimcore.games.zimbabwe.commands import Give, Pass
from zimcore.games.zimbabwe.rules import decide
from zimcore.games.zimbabwe.rules.generosity import subsidy
from zimcore.games.zimbabwe.state import State


class Bid(msgspec.Struct, frozen=True):
    """A gift, or passing (`amount` 0), by the player who bids now. All but `place` and `order` in cattle.

    `helped` is the part that the stock pays (R-BID-09), `left` what the player then has, `gained` what the plaques
    bring if all others pass from then on, `place` which turn that gives in this `order` (1 is the first).
    """

    seat: Seat
    amount: int
    helped: int
    left: int
    gained: int
    place: int
    order: tuple[Seat, ...]


def preview_bid(state: State, amount: int) -> Bid | None:
    """What a gift comes to, or passing where the amount is 0; None where that is no legal bid."""
    seat = state.actor or ""
    answer = decide(state, seat, Give(amount) if amount else Pass())
    if not isinstance(answer, Accepted):
        return None
    helped = min(subsidy(state, seat), amount)
    left = state.cattle[seat] + helped - amount
    end = all_pass(answer.state)
    gained = end.cattle[seat] - left
    return Bid(seat, amount, helped, left, gained, end.order.index(seat) + 1, end.order)


def all_pass(state: State) -> State:
    """The position in which the turns begin, if all others pass."""
    while state.phase == "bidding":
        answer = decide(state, state.actor or "", Pass())
        assert isinstance(answer, Accepted)
        state = answer.state
    return state
