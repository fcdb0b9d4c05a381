"""Proves who wins in the last round, where the rest of it is simple enough.

A match ends with the round in which a seat has reached its VR, and no seat can take points from another. So a seat wins
by force if it leads and no other can still gain enough in this round. What others can gain is bounded from above, not
estimated: the seat that is named here wins whatever the others play.
"""

from __future__ import annotations

from collections.abc import Iterator

from zimcore.game import Seat
from zimcore.games.zimbabwe.chances.features import cached_planner
from zimcore.games.zimbabwe.components import CONSTANTS, CRAFTSMEN, GODS, NO_GOD, SPECIALISTS, God
from zimcore.games.zimbabwe.ranking import ranking
from zimcore.games.zimbabwe.rules.cards import god_rebate
from zimcore.games.zimbabwe.rules.rituals import growing_monuments
from zimcore.games.zimbabwe.state import State

VP_PER_CATTLE = max(craftsman.vp / craftsman.cost for craftsman in CRAFTSMEN.values())
"""The most VP by craftsmen for each head of cattle."""
MAX_BUILT_VP = max(god.monuments for god in GODS.values()) * CONSTANTS.level_vp[1]
"""The most VP by building monuments in a turn."""


def forced_winner(state: State) -> Seat:
    """The seat that wins this round by force, if that can be proven; otherwise ""."""
    if state.phase != "actions" or state.house or state.setup.xango == "absolute":
        return ""
    leader, *other_seats = ranking(state)
    lead = state.vp[leader] - state.vr[leader]
    seats_to_act = state.order[state.order.index(state.turn.seat) :]
    # The leader's overshoot lasts, as an empty turn is legal (R-TURN-02); seats that have acted stay behind it.
    is_safe = lead >= 0 and all(max_overshoot(state, seat) < lead for seat in other_seats if seat in seats_to_act)
    return leader if is_safe else ""


def max_overshoot(state: State, seat: Seat) -> int:
    """An upper bound of VP - VR at the end of the round, for a seat in its turn or before it."""
    return state.vp[seat] - state.vr[seat] + max(_gain_bounds(state, seat))


def _gain_bounds(state: State, seat: Seat) -> Iterator[int]:
    """Upper bounds of what a seat gains in its turn: without a new card, and with each that it could take (R-TURN-01).

    What a seat could raise is planned exactly where nothing can change before: in its own turn, and with cards that do
    not help.
    """
    loose_bound = max_vp_gain(state, seat, exact=False)
    is_settled = state.turn.seat == seat and not state.god_modifiers(seat).any_price
    is_settled = is_settled and not any(map(_specialist_helps, state.specialists_of(seat)))
    plain_bound = max_vp_gain(state, seat, exact=True) if is_settled else loose_bound
    yield plain_bound
    if state.turn.seat == seat and state.turn.card:
        return
    gods_in_play = {} if seat in state.adores else state.setup.gods
    for name, vr in gods_in_play.items():
        if not state.adorer_of(name):
            yield god_rebate(state, seat, GODS[name]) - vr + (loose_bound if _god_helps(GODS[name]) else plain_bound)
    for name, vr in state.setup.specialists.items():
        if not state.specialists[name]:
            yield (loose_bound if _specialist_helps(name) else plain_bound) - vr


def max_vp_gain(state: State, seat: Seat, *, exact: bool) -> int:
    """An upper bound of the VP by the main action of a turn: raising, placing craftsmen, or building.

    Each raise counts with its least cost: that of the planner if `exact`, otherwise 1 cattle for each good (R-RAI-02).
    """
    cattle, level_vp = state.cattle[seat], CONSTANTS.level_vp
    vp_by_budget = [0] * (cattle + 1)  # the most VP for so many cattle
    planner = cached_planner(state.in_turn_of(seat), seat, cattle) if exact else None
    for monument in growing_monuments(state, seat):
        level = cost = state.monuments[monument].level
        if planner:
            choice = planner.choice((monument,))
            if choice is None:
                continue
            cost = (planner.cost((monument,)) or cost) if choice.is_proven else cost
        for budget in range(cattle, cost - 1, -1):
            vp_by_budget[budget] = max(
                vp_by_budget[budget], vp_by_budget[budget - cost] + level_vp[level + 1] - level_vp[level]
            )
    return max(vp_by_budget[-1], int(cattle * VP_PER_CATTLE), MAX_BUILT_VP)


def _god_helps(god: God) -> bool:
    """Whether a god can make raising cheaper, Dziva by lower prices of the seat's own goods."""
    reaches_more = god.range > NO_GOD.range or god.markers > NO_GOD.markers
    return reaches_more or god.goods_may_repeat or god.any_price or god.good_price is not None


def _specialist_helps(name: str) -> bool:
    """Whether a specialist can make raising cheaper."""
    return SPECIALISTS[name].places_resource or SPECIALISTS[name].places_water
