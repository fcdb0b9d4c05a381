"""Phase I, the generosity of kings: players bid in turn, and the last to bid moves first.

A bid is a gift of cattle to the plaques: rules and names here say gift, as the rulebook does.
"""

from __future__ import annotations

from zimcore.game import Seat
from zimcore.games.zimbabwe.commands import Give, Pass
from zimcore.games.zimbabwe.events import STOCK, GiftGiven, OrderSet, Passed, RoundBegun, TurnBegun
from zimcore.games.zimbabwe.rules.rule import Draft, decides, guard
from zimcore.games.zimbabwe.state import State


def minimum_gift(state: State) -> int:
    """The least cattle of the next gift (R-BID-03)."""
    return state.gift + 1


def subsidy(state: State, seat: Seat) -> int:
    """The most cattle that the stock would add to a player's next gift (R-BID-09)."""
    return 0 if seat in state.givers else state.god_modifiers(seat).gift_subsidy


def largest_gift(state: State, seat: Seat) -> int:
    """The most cattle that a player could give now."""
    return state.cattle[seat] + subsidy(state, seat)


def gifts(state: State, seat: Seat) -> range:
    """All amounts that a player could give now, in cattle."""
    return range(minimum_gift(state), largest_gift(state, seat) + 1)


@guard("R-BID-03", Give)
def gift_is_large_enough(state: State, seat: Seat, command: Give) -> str | None:
    """The first gift is at least 1, each later one at least 1 more than the last."""
    minimum = minimum_gift(state)
    return None if command.amount >= minimum else f"the lowest bid now is {minimum} cattle, not {command.amount}"


@guard("R-BID-04", Give)
def gift_can_be_paid(state: State, seat: Seat, command: Give) -> str | None:
    """A gift is paid in full, no matter what the player gave before (R-BID-04, R-BID-09)."""
    if command.amount <= largest_gift(state, seat):
        return None
    cattle_from_stock = subsidy(state, seat)
    subsidy_text = f", to which the stock adds {cattle_from_stock}" if cattle_from_stock else ""
    return f"a bid of {command.amount} is more than {seat} has: {state.cattle[seat]} cattle{subsidy_text}"


@decides(Give)
def give(draft: Draft, seat: Seat, command: Give) -> None:
    """Puts the cattle one by one onto the plaques, from where the last gift stopped (R-BID-05)."""
    state = draft.state
    cattle_from_stock = min(subsidy(state, seat), command.amount)
    draft.pay(STOCK, seat, cattle_from_stock, state.adores.get(seat, ""))
    shares = _shares(len(state.plaques), state.cattle_given, command.amount)
    for plaque, share in zip(state.plaques, shares, strict=True):
        draft.pay(seat, f"plaque/{plaque}", share, "gift")
    draft.happen(GiftGiven(seat, command.amount))
    continue_bidding(draft)


def _shares(plaque_count: int, cattle_given: int, amount: int) -> list[int]:
    """The cattle of a gift for each plaque, after `cattle_given` cattle in earlier gifts.

    Of all cattle given, the plaque at index i has (all + plaques - 1 - i) // plaques.
    """
    offset = cattle_given + plaque_count - 1
    return [
        (offset + amount - plaque_index) // plaque_count - (offset - plaque_index) // plaque_count
        for plaque_index in range(plaque_count)
    ]


@guard("R-BID-06", Pass)
def a_gift_was_made(state: State, seat: Seat, command: Pass) -> str | None:
    """House rule: a player may not pass before the first gift if they can make it (R-BID-08)."""
    if state.cattle_given or not state.has_house_rule("first_gift"):
        return None
    return "no player may pass before the first gift is made: a house rule (first_gift=required)"


def may_pass(state: State, seat: Seat) -> bool:
    """Whether a player may pass."""
    return a_gift_was_made(state, seat, Pass()) is None


@decides(Pass)
def pass_(draft: Draft, seat: Seat, command: Pass) -> None:
    """Passes, which takes the last open place in the order (R-BID-07)."""
    draft.happen(Passed(seat))
    continue_bidding(draft)


def begin_round(draft: Draft) -> None:
    """Lays out the plaques by the VR queue, a god's plaque first (R-BID-01)."""
    state = draft.state
    god_and_adorer = state.god_and_adorer("plaque")
    god_plaque = god_and_adorer[0] if god_and_adorer else state.unadored_god("plaque", state.setup.shadipinyi)
    plaques = (god_plaque, *state.queue) if god_plaque else state.queue
    draft.happen(RoundBegun(state.round + 1, plaques))
    continue_bidding(draft)


def continue_bidding(draft: Draft) -> None:
    """Passes for players who can't pay (R-BID-08); ends the phase once one player is left (R-BID-07)."""
    state = draft.state
    while len(state.passed_seats) < len(state.seats) - 1:
        next_bidder = state.actor or ""
        if largest_gift(state, next_bidder) >= minimum_gift(state):
            return
        draft.happen(Passed(next_bidder, forced=True))
    _end_bidding(draft)


def _end_bidding(draft: Draft) -> None:
    """Sets the order (R-BID-11), pays out the plaques (R-BID-10) and begins the first turn."""
    state = draft.state
    first_seat = next(seat for seat in state.seats if seat not in state.passed_seats)
    for plaque in state.plaques:
        owner = plaque if plaque in state.vp else state.adorer_of(plaque)
        # The stock gets the cattle on the plaque of a god without an adorer (R-GOD-04).
        draft.pay(f"plaque/{plaque}", owner or STOCK, state.cattle.get(f"plaque/{plaque}", 0), "plaque")
    draft.happen(OrderSet((first_seat, *state.passed_seats[::-1])))
    draft.happen(TurnBegun(first_seat))
