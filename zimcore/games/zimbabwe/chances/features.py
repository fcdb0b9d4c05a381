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
from zimcore.games.zimbabwe.strategy.features import FEATURES as SEEN
from zimcore.games.zimbabwe.strategy.features import features as seen

GROUND = (
    *("monuments", "rising", "height", "types", "hubs"),
    *("customers", "earning", "own_goods", "technologies", "craftsmen", "resources"),
)
"""The features shared with bots (`strategy`)."""
PLACES = [SEEN.index(name) for name in GROUND]
MORE = (0, 4, 10)
"""Cattle that a seat may have on top of those that come back by the next round."""

MATCH = ("two", "three", "four", "five", "round", "bidding", "leading", "in_reach", "to_come")
"""The number of players, the round, whether it is the bidding; and the best VP - VR of the others: now, possible at the
end of this round, and possible in the next."""
STANDING = ("vp", "vr", "gap", "reached", "cattle", "on_cards", "on_plaque", "income", "acts", "place", "ahead")
"""A seat's VP, VR and their difference; its cattle; whether it still acts in this round; its place in the order of
play, and by VP - VR."""
RAISES = ("raise_now", "gap_now", "raise_next", "raise_more", "raise_most", "gap_next", "gap_most")
"""VP by raising in this round, and VP - VR after it; in the next round with the cattle that come back and with `MORE`,
and VP - VR after these."""
FEATURES: Sequence[str] = (*MATCH, *STANDING, *RAISES, *GROUND, *GODS, *SPECIALISTS)
"""The names of a seat's features, in their order."""

TERMS: Mapping[str, Sequence[str]] = {
    "points": ("leading", "vp", "vr", "gap", "reached", "ahead"),
    "what can be raised": ("in_reach", "to_come", *RAISES),
    "cattle": ("cattle", "on_cards", "on_plaque", "income"),
    "order of play": ("acts", "place"),
    "monuments": ("monuments", "rising", "height", "types", "hubs"),
    "craftsmen": ("customers", "earning", "own_goods", "technologies", "craftsmen", "resources"),
    "god": tuple(GODS),
    "specialists": tuple(SPECIALISTS),
}
"""Groups of features, named in a player's words."""

Steps = list[tuple[int, int]]
"""Cost in cattle and VP of raises."""
ROUNDED = 8
"""The limits of kept planners are multiples of this, in cattle, so that a few cattle more need no other planner."""
MAX_PLANNERS = 256
"""When a thread has so many planners, it drops all."""


class KeptPlanners(threading.local):
    """The planners of a thread by what they depend on: two threads can't use one at the same time."""

    def __init__(self) -> None:
        self.planners: dict[tuple[Any, ...], Planner] = {}


KEPT = KeptPlanners()


def features(state: State) -> dict[Seat, list[float]]:
    """The features of each seat, in the order of `FEATURES`; all zero until each seat has a monument.

    In the set-up, seats that have placed a monument would seem to be ahead.
    """
    if state.phase == "setup":
        return {seat: [0.0] * len(FEATURES) for seat in state.seats}
    raises = {seat: _raises(state, seat) for seat in state.seats}
    best = ranking(state)
    values = {}
    for seat in state.seats:
        others = [raises[each] for each in state.seats if each != seat]
        standing = _standing(state, seat, 1 - best.index(seat) / (len(best) - 1))
        gaps = [state.vp[each] - state.vr[each] for each in state.seats if each != seat]
        match = [
            *[float(len(state.seats) == players) for players in (2, 3, 4, 5)],
            *(float(state.round), float(state.phase == "bidding")),
            *(float(max(gaps)), max(each[1] for each in others), max(each[5] for each in others)),
        ]
        ground = seen(state, seat)
        god, owners = state.adores.get(seat), state.specialists
        values[seat] = [
            *match,
            *standing,
            *raises[seat],
            *[ground[place] for place in PLACES],
            *[float(name == god) for name in GODS],
            *[float(owners.get(name) == seat) for name in SPECIALISTS],
        ]
    return values


def _standing(state: State, seat: Seat, ahead: float) -> list[float]:
    vp, vr, cattle = state.vp[seat], state.vr[seat], state.cattle
    on_cards = sum(cattle[card] for card in state.cards_of(seat))
    place = 1 - _place(state, seat) / max(len(state.seats) - 1, 1)
    return [
        *(float(vp), float(vr), float(vp - vr), float(vp >= vr)),
        *(float(cattle[seat]), float(on_cards), float(cattle.get(f"plaque/{seat}", 0)), float(state.income(seat))),
        *(acts(state, seat), place, ahead),
    ]


def _place(state: State, seat: Seat) -> float:
    """The place in the order of turns from 0, as far as it is known, or the mean of the possible places."""
    if state.order:
        return state.order.index(seat)
    if state.passed and seat in state.passed:  # the first to pass acts last
        return len(state.seats) - 1 - state.passed.index(seat)
    left = len(state.seats) - len(state.passed)
    return 0.0 if seat == state.bidder and seat in state.givers else (left - 1) / 2


def acts(state: State, seat: Seat) -> float:
    """1 if a seat may still raise monuments in this round, else 0."""
    if state.phase == "bidding":
        return 1.0
    if state.phase != "actions":
        return 0.0
    if state.turn.seat == seat:
        return float(state.turn.action in (None, "raise"))
    return float(state.order.index(seat) > state.order.index(state.turn.seat))


def _raises(state: State, seat: Seat) -> list[float]:
    """The features of `RAISES`."""
    gap, cattle = state.vp[seat] - state.vr[seat], state.cattle
    back = cattle[seat] + state.income(seat) + sum(cattle[card] for card in state.cards_of(seat))
    back += cattle.get(f"plaque/{seat}", 0) if state.phase == "bidding" else 0
    most = back + MORE[-1]
    now, after = 0, list[int]()
    if acts(state, seat):
        theirs = state.in_turn_of(seat)
        steps = _steps(theirs, seat, most if not state.used else cattle[seat])
        now = _best(steps, cattle[seat])
    if not acts(state, seat) or state.used:
        fresh = state.copy()
        fresh.used, fresh.used_by, fresh.turn = {}, {}, NO_TURN
        steps = _steps(fresh.in_turn_of(seat), seat, most)
    after = [_best(steps, back + more) for more in MORE]
    return [float(each) for each in (now, gap + now, *after, gap + after[0], gap + after[-1])]


def _steps(state: State, seat: Seat, cattle: int) -> Steps:
    """Raises that cost at most `cattle`: each monument alone, then more and more together, the best value first."""
    planner = kept_planner(state, seat, cattle)
    single = [
        (cost, planner.vp((monument,)), monument)
        for monument in planner.growing_monuments()
        if (cost := planner.cost((monument,))) is not None and cost <= cattle
    ]
    steps = [(cost, vp) for cost, vp, _ in single]
    together: tuple[Square, ...] = ()
    for _, _, monument in sorted(single, key=lambda each: each[0] / each[1]):
        further = (*together, monument)
        cost = planner.cost(further)
        if cost is not None and cost <= cattle:
            together = further
            steps.append((cost, planner.vp(further)))
    return steps


def kept_planner(state: State, seat: Seat, cattle: int) -> Planner:
    """A planner for raises of at most `cattle`, or a little more, in the seat's turn.

    Most commands change nothing for the raises of most seats, so planners are kept. They depend on the position alone,
    not on what was asked before: hence the rounded limit.
    """
    limit, turn = -(-cattle // ROUNDED) * ROUNDED, state.turn
    used = state.used, state.used_by.get(seat, {})
    tables = state.monuments, state.technologies, state.resources, *used, state.house
    key = (
        *(seat, limit, state.adores.get(seat), turn.monuments if turn.action == "raise" else ()),
        *(state.board, state.craftsmen, *[tuple(each.items()) for each in tables]),
    )
    planner = KEPT.planners.get(key)
    if planner is None:
        if len(KEPT.planners) >= MAX_PLANNERS:
            KEPT.planners.clear()
        # A copy: `evolve` may change the state, and a planner looks at it later, too.
        planner = KEPT.planners[key] = Planner(state.copy(), seat, limit)
    return planner


def _best(steps: Steps, cattle: int) -> int:
    """The most VP of a raise that costs at most `cattle`."""
    return max([vp for cost, vp in steps if cost <= cattle], default=0)
