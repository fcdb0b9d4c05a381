"""The baseline: looks one command ahead with weights set by hand, for at most one god and one main action a turn.

It follows the published rule of another program for this game, and is never tuned: others are measured against it.
"""

from __future__ import annotations

from operator import mul

from zimcore.game import Seat
from zimcore.games.zimbabwe.commands import Adore, AnyCommand, Give, Hire, Pass, PlaceCraftsman, SetPrices, Use
from zimcore.games.zimbabwe.rules.generosity import largest_gift, may_pass, minimum_gift
from zimcore.games.zimbabwe.rules.rule import RULEBOOK
from zimcore.games.zimbabwe.state import State
from zimcore.games.zimbabwe.strategy.candidates import candidates, god_candidates
from zimcore.games.zimbabwe.strategy.features import FEATURES, features

LAST_GOD_ROUND = 4
"""The last round in which it chooses a god."""
NEAR_VICTORY = 10
"""Within this many points of its VR it bids up to half of its cattle, otherwise up to a quarter."""
GODS_BY_WORTH = (
    *("tsui_goab", "anansi", "engai", "xango", "gu", "atete"),
    *("eshu", "obatala", "shadipinyi", "elegua", "qamata", "dziva"),
)
"""Gods from the best to the worst."""
WEIGHTS = {
    **dict.fromkeys(("vp", "vp_late"), 1.0),
    **dict.fromkeys(("vr", "vr_late"), -1.0),
    **dict.fromkeys(("cattle", "cattle_late"), 0.4),
    **dict.fromkeys(("on_cards", "on_cards_late"), 0.35),
    "reached": 100.0,
    "craftsmen": 1.5,
    "earning": 0.35,
    "types": 0.15,
}
"""The weight of each feature."""
FEATURE_WEIGHTS = tuple(WEIGHTS.get(name, 0.0) for name in FEATURES)


def baseline(state: State, seat: Seat) -> AnyCommand:
    """The command that the baseline plays."""
    if state.phase == "bidding":
        return choose_bid(state, seat)
    adoration_by_god = (
        {adoration.god: adoration for adoration in god_candidates(state, seat)}
        if state.phase == "actions" and state.round <= LAST_GOD_ROUND
        else {}
    )
    if adoration_by_god:
        return next(adoration_by_god[god] for god in GODS_BY_WORTH if god in adoration_by_god)
    commands = [command for (command,) in candidates(state, seat) if is_considered(command)]
    return max(commands, key=lambda command: evaluate(RULEBOOK.apply(state, seat, command).state, seat))


def is_considered(command: AnyCommand) -> bool:
    """Whether it considers a command: no gods, specialists or prices; a new technology costs 2, or 3 for diamonds."""
    if isinstance(command, PlaceCraftsman):
        return command.price in (None, 3 if command.type == "diamond_cutter" else 2)
    return not isinstance(command, Adore | Hire | Use | SetPrices)


def choose_bid(state: State, seat: Seat) -> AnyCommand:
    """The lowest bid, if it is a small part of the seat's cattle; otherwise a pass."""
    divisor = 2 if state.vr[seat] - state.vp[seat] <= NEAR_VICTORY else 4
    least_gift = minimum_gift(state)
    if not may_pass(state, seat):
        return Give(least_gift)
    return (
        Give(least_gift)
        if least_gift * divisor <= state.cattle[seat] and least_gift <= largest_gift(state, seat)
        else Pass()
    )


def evaluate(state: State, seat: Seat) -> float:
    """The worth of a position by the weights."""
    return float(sum(map(mul, FEATURE_WEIGHTS, features(state, seat))))
