"""The features of each seat for the chances model, in the game's units.

VP - VR at the end of a round decides, and matches end in bursts of raises. So the planner works out what a seat could
raise: in this round with its cattle, and in the next with those that come back, and with a few more.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from typing import Any

from zimcore.game import Seat
from zimcore.games.zimbabwe.commands import Square
from zimcore.games.zimbabwe.components import GODS, SPECIALISTS
from zimcore.games.zimbabwe.planner import Planner
from zimcore.games.zimbabwe.ranking import ranking
from zimcore.games.zimbabwe.state import NO_TURN, State
from zimcore.games.zimbabwe.strategy.features import FEATURES as STRATEGY_FEATURES
from zimcore.games.zimbabwe.strategy.features import features as strategy_features

BOARD_FEATURES = (
    *("monuments", "rising", "height", "types", "hubs"),
    *("customers", "earning", "own_goods", "technologies", "craftsmen", "resources"),
)
"""The features shared with bots (`strategy`)."""
BOARD_INDEXES = [STRATEGY_FEATURES.index(name) for name in BOARD_FEATURES]
EXTRA_CATTLE = (0, 4, 10)
"""Cattle that a seat may have on top of those that come back by the next round."""

MATCH_FEATURES = ("two", "three", "four", "five", "round", "bidding", "leading", "in_reach", "to_come")
"""The number of players, the round, whether it is the bidding; and the best VP - VR of the others: now, possible at the
end of this round, and possible in the next."""
STANDING_FEATURES = (
    "vp",
    "vr",
    "gap",
    "reached",
    "cattle",
    "on_cards",
    "on_plaque",
    "income",
    "acts",
    "place",
    "ahead",
)
"""A seat's VP, VR and their difference; its cattle; whether it still acts in this round; its place in the order of
play, and by VP - VR."""
RAISE_FEATURES = ("raise_now", "gap_now", "raise_next", "raise_more", "raise_most", "gap_next", "gap_most")
"""VP by raising in this round, and VP - VR after it; in the next round with the cattle that come back and with
`EXTRA_CATTLE`, and VP - VR after these."""
FEATURES: Sequence[str] = (*MATCH_FEATURES, *STANDING_FEATURES, *RAISE_FEATURES, *BOARD_FEATURES, *GODS, *SPECIALISTS)
"""The names of a seat's features, in their order."""

TERMS: Mapping[str, Sequence[str]] = {
    "points": ("leading", "vp", "vr", "gap", "reached", "ahead"),
    "what can be raised": ("in_reach", "to_come", *RAISE_FEATURES),
    "cattle": ("cattle", "on_cards", "on_plaque", "income"),
    "order of play": ("acts", "place"),
    "monuments": ("monuments", "rising", "height", "types", "hubs"),
    "craftsmen": ("customers", "earning", "own_goods", "technologies", "craftsmen", "resources"),
    "god": tuple(GODS),
    "specialists": tuple(SPECIALISTS),
}
"""Groups of features, named in a player's words."""

CostsAndVP = list[tuple[int, int]]
"""Cost in cattle and VP of raises."""
LIMIT_STEP = 8
"""The limits of kept planners are multiples of this, in cattle, so that a few cattle more need no other planner."""
MAX_PLANNERS = 256
"""When a thread has so many planners, it drops all."""


class PlannerCache(threading.local):
    """The planners of a thread by what they depend on: two threads can't use one at the same time."""

    def __init__(self) -> None:
        self.planners: dict[tuple[Any, ...], Planner] = {}


PLANNER_CACHE = PlannerCache()


def features(state: State) -> dict[Seat, list[float]]:
    """The features of each seat, in the order of `FEATURES`; all zero until each seat has a monument.

    In the set-up, seats that have placed a monument would seem to be ahead.
    """
    if state.phase == "setup":
        return {seat: [0.0] * len(FEATURES) for seat in state.seats}
    raise_features = {seat: _raise_features(state, seat) for seat in state.seats}
    ranked_seats = ranking(state)
    features_by_seat = {}
    for seat in state.seats:
        raise_features_of_others = [raise_features[other_seat] for other_seat in state.seats if other_seat != seat]
        standing_features = _standing_features(state, seat, 1 - ranked_seats.index(seat) / (len(ranked_seats) - 1))
        gaps_of_others = [
            state.vp[other_seat] - state.vr[other_seat] for other_seat in state.seats if other_seat != seat
        ]
        match_features = [
            *[float(len(state.seats) == player_count) for player_count in (2, 3, 4, 5)],
            *(float(state.round), float(state.phase == "bidding")),
            *(
                float(max(gaps_of_others)),
                max(row[1] for row in raise_features_of_others),
                max(row[5] for row in raise_features_of_others),
            ),
        ]
        bot_features = strategy_features(state, seat)
        god, owner_by_specialist = state.adores.get(seat), state.specialists
        features_by_seat[seat] = [
            *match_features,
            *standing_features,
            *raise_features[seat],
            *[bot_features[index] for index in BOARD_INDEXES],
            *[float(name == god) for name in GODS],
            *[float(owner_by_specialist.get(name) == seat) for name in SPECIALISTS],
        ]
    return features_by_seat


def _standing_features(state: State, seat: Seat, rank_value: float) -> list[float]:
    vp, vr, cattle = state.vp[seat], state.vr[seat], state.cattle
    cattle_on_cards = sum(cattle[card] for card in state.card_accounts_of(seat))
    turn_value = 1 - _turn_place(state, seat) / max(len(state.seats) - 1, 1)
    return [
        *(float(vp), float(vr), float(vp - vr), float(vp >= vr)),
        *(
            float(cattle[seat]),
            float(cattle_on_cards),
            float(cattle.get(f"plaque/{seat}", 0)),
            float(state.income(seat)),
        ),
        *(can_still_raise(state, seat), turn_value, rank_value),
    ]


def _turn_place(state: State, seat: Seat) -> float:
    """The place in the order of turns from 0, as far as it is known, or the mean of the possible places."""
    if state.order:
        return state.order.index(seat)
    if state.passed_seats and seat in state.passed_seats:  # the first to pass acts last
        return len(state.seats) - 1 - state.passed_seats.index(seat)
    seats_left = len(state.seats) - len(state.passed_seats)
    return 0.0 if seat == state.bidder and seat in state.givers else (seats_left - 1) / 2


def can_still_raise(state: State, seat: Seat) -> float:
    """1 if a seat may still raise monuments in this round, else 0."""
    if state.phase == "bidding":
        return 1.0
    if state.phase != "actions":
        return 0.0
    if state.turn.seat == seat:
        return float(state.turn.action in (None, "raise"))
    return float(state.order.index(seat) > state.order.index(state.turn.seat))


def _raise_features(state: State, seat: Seat) -> list[float]:
    """The features of `RAISE_FEATURES`."""
    gap, cattle = state.vp[seat] - state.vr[seat], state.cattle
    cattle_next_round = cattle[seat] + state.income(seat) + sum(cattle[card] for card in state.card_accounts_of(seat))
    cattle_next_round += cattle.get(f"plaque/{seat}", 0) if state.phase == "bidding" else 0
    max_cattle = cattle_next_round + EXTRA_CATTLE[-1]
    vp_now, vp_next = 0, list[int]()
    if can_still_raise(state, seat):
        state_in_turn = state.in_turn_of(seat)
        raises = _costs_and_vp(state_in_turn, seat, max_cattle if not state.used_markers else cattle[seat])
        vp_now = _best_vp(raises, cattle[seat])
    if not can_still_raise(state, seat) or state.used_markers:
        next_round_state = state.copy()
        next_round_state.used_markers, next_round_state.used_markers_by_seat, next_round_state.turn = {}, {}, NO_TURN
        raises = _costs_and_vp(next_round_state.in_turn_of(seat), seat, max_cattle)
    vp_next = [_best_vp(raises, cattle_next_round + extra_cattle) for extra_cattle in EXTRA_CATTLE]
    return [float(value) for value in (vp_now, gap + vp_now, *vp_next, gap + vp_next[0], gap + vp_next[-1])]


def _costs_and_vp(state: State, seat: Seat, cattle: int) -> CostsAndVP:
    """Raises that cost at most `cattle`: each monument alone, then more and more together, the best value first."""
    planner = cached_planner(state, seat, cattle)
    single_raises = [
        (cost, planner.vp((monument,)), monument)
        for monument in planner.growing_monuments()
        if (cost := planner.cost((monument,))) is not None and cost <= cattle
    ]
    raises = [(cost, vp) for cost, vp, _ in single_raises]
    chosen_monuments: tuple[Square, ...] = ()
    for _, _, monument in sorted(single_raises, key=lambda row: row[0] / row[1]):
        larger_set = (*chosen_monuments, monument)
        cost = planner.cost(larger_set)
        if cost is not None and cost <= cattle:
            chosen_monuments = larger_set
            raises.append((cost, planner.vp(larger_set)))
    return raises


def cached_planner(state: State, seat: Seat, cattle: int) -> Planner:
    """A planner for raises of at most `cattle`, or a little more, in the seat's turn.

    Most commands change nothing for the raises of most seats, so planners are kept. They depend on the position alone,
    not on what was asked before: hence the rounded limit.
    """
    limit, turn = -(-cattle // LIMIT_STEP) * LIMIT_STEP, state.turn
    used_markers = state.used_markers, state.used_markers_by_seat.get(seat, {})
    tables = state.monuments, state.technologies, state.resources, *used_markers, state.house
    key = (
        *(seat, limit, state.adores.get(seat), turn.monuments if turn.action == "raise" else ()),
        *(state.board, state.craftsmen, *[tuple(table.items()) for table in tables]),
    )
    planner = PLANNER_CACHE.planners.get(key)
    if planner is None:
        if len(PLANNER_CACHE.planners) >= MAX_PLANNERS:
            PLANNER_CACHE.planners.clear()
        # A copy: `evolve` may change the state, and a planner looks at it later, too.
        planner = PLANNER_CACHE.planners[key] = Planner(state.copy(), seat, limit)
    return planner


def _best_vp(raises: CostsAndVP, cattle: int) -> int:
    """The most VP of a raise that costs at most `cattle`."""
    return max([vp for cost, vp in raises if cost <= cattle], default=0)
