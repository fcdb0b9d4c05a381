"""Playouts: how a match may go on from a position, and what the chances are then.

They come in pairs: the playout with a number meets the same opponents, who waver in the same way in the same round,
whatever was played before it. So what two turns come to can be compared by far fewer of them.

In other words: rollout.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from zimcore.analysis.turns import QUICK, Budget, is_same_turn
from zimcore.chances import chances
from zimcore.game import Game, Seat

PLAYOUT_ROUNDS = 2.5
"""Turns and bids of a playout, for each seat: about a round. What comes later the chances know better."""
CHOICE_NOISE = 0.7
"""How far a command may seem better or worse than it is, one standard deviation of the worth that quick gives it."""
MAX_TURN_COMMANDS = 60
"""Commands of one seat in a row: more are given up."""


def playout(game: Game, state: Any, number: int, seed: int, budget: Budget) -> Mapping[Seat, float]:
    """Every seat's chance after about a round more, in which all play as the quick bot does, and waver a little."""
    for _ in range(round(PLAYOUT_ROUNDS * len(game.evolution.seats(state)))):
        begin = state
        to_move = game.evolution.to_move(state)
        if not to_move:
            break
        rng = Random(f"{seed} {number} {to_move[0]} {sorted(game.display.common(state).items())}")
        for _ in range(MAX_TURN_COMMANDS):
            found = QUICK.rank_candidates(game, state, to_move[0])
            budget.spend(len(found))
            state = max(found, key=lambda each: each.worth + rng.gauss(0, CHOICE_NOISE)).after
            if not is_same_turn(game, begin, state):
                break
    return {seat: chance.mean for seat, chance in chances(game, state).items()}
