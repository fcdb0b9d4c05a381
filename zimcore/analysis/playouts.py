"""Playouts: plays a position on for about a round and returns the chances at the end.

Playouts with the same number have the same random errors of the bots in each round, whatever was played before. Thus
many fewer of them are needed to compare two turns.

In other words: rollout.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from zimcore.analysis.turns import QUICK, Budget, is_same_turn, turn_key
from zimcore.bots.levels import chances_cost, positions_searched
from zimcore.chances import certain_chances, chances
from zimcore.game import Game, Seat

PLAYOUT_TURNS_PER_SEAT = 2.5
"""Turns and bids of a playout for each seat: about a round. The model judges best from there."""
CHOICE_NOISE = 0.7
"""Standard deviation of the random error in the worth that `quick` gives a command."""
MAX_TURN_COMMANDS = 60
"""The most commands of one seat in a row; a longer turn is cut off."""


def playout(game: Game, state: Any, number: int, seed: int, budget: Budget) -> Mapping[Seat, float]:
    """Every seat's chance after about one more round, played by the quick bot with small random errors.

    It ends where a seat wins by force: the bot may not see how.
    """
    for _ in range(round(PLAYOUT_TURNS_PER_SEAT * len(game.evolution.seats(state)))):
        turn_start = state
        to_move = game.evolution.to_move(state)
        if not to_move or certain_chances(game, state):
            break
        rng = Random(f"{seed} {number} {to_move[0]} {turn_key(game, state)}")
        for _ in range(MAX_TURN_COMMANDS):
            candidates = QUICK.evaluate_candidates(game, state, to_move[0])
            budget.spend(positions_searched(candidates))
            state = max(candidates, key=lambda candidate: candidate.value + rng.gauss(0, CHOICE_NOISE)).next_state
            if not is_same_turn(game, turn_start, state):
                break
    budget.spend(chances_cost(game))
    return {seat: chance.mean for seat, chance in chances(game, state).items()}
