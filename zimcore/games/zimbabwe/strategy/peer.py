"""The baseline: one command ahead by weights that were set by hand, one god at most and one main action a turn.

It follows the public rule of another program for this game, and is never tuned: others are measured against it.
"""

from __future__ import annotations

from operator import mul

from zimcore.game import Seat
from zimcore.games.zimbabwe.commands import Adore, AnyCommand, Give, Hire, Pass, PlaceCraftsman, SetPrices, Use
from zimcore.games.zimbabwe.rules.generosity import largest_gift, may_pass, minimum_gift
from zimcore.games.zimbabwe.rules.rule import RULEBOOK
from zimcore.games.zimbabwe.state import State
from zimcore.games.zimbabwe.strategy.candidates import candidates, gods
from zimcore.games.zimbabwe.strategy.features import FEATURES, features

LAST_GOD_ROUND = 4
"""Gods are chosen up to this round."""
NEAR_VICTORY = 10
"""So near to their VR players spend half of their cattle on a bid, and else a quarter."""
GODS = (
    *("tsui_goab", "anansi", "engai", "xango", "gu", "atete"),
    *("eshu", "obatala", "shadipinyi", "elegua", "qamata", "dziva"),
)
"""From the best on."""
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
"""By feature."""
ROW = tuple(WEIGHTS.get(name, 0.0) for name in FEATURES)


def baseline(state: State, seat: Seat) -> AnyCommand:
    """What it plays."""
    if state.phase == "bidding":
        return bid(state, seat)
    free = (
        {each.god: each for each in gods(state, seat)}
        if state.phase == "actions" and state.round <= LAST_GOD_ROUND
        else {}
    )
    if free:
        return next(free[god] for god in GODS if god in free)
    tried = [command for (command,) in candidates(state, seat) if usual(command)]
    return max(tried, key=lambda command: worth(RULEBOOK.apply(state, seat, command).state, seat))


def usual(command: AnyCommand) -> bool:
    """No specialists, no gods any more; a new technology's price is 2, and 3 for diamonds."""
    if isinstance(command, PlaceCraftsman):
        return command.price in (None, 3 if command.type == "diamond_cutter" else 2)
    return not isinstance(command, Adore | Hire | Use | SetPrices)


def bid(state: State, seat: Seat) -> AnyCommand:
    """The lowest bid, as long as it is a small part of the seat's cattle."""
    part = 2 if state.vr[seat] - state.vp[seat] <= NEAR_VICTORY else 4
    least = minimum_gift(state)
    if not may_pass(state, seat):
        return Give(least)
    return Give(least) if least * part <= state.cattle[seat] and least <= largest_gift(state, seat) else Pass()


def worth(state: State, seat: Seat) -> float:
    """What a position is worth."""
    return float(sum(map(mul, ROW, features(state, seat))))
