"""Samples positions that agree with what a seat knows, and measures the luck of the cards that came up.

Worlds are numbered. World 3 is the same for every turn that is judged, so that no turn looks better only because its
cards were better.

In other words: determinization, information set.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from statistics import fmean
from typing import Any

from zimcore.analysis.turns import MAX_TURN_COMMANDS, QUICK, is_same_turn
from zimcore.bots.levels import first_best
from zimcore.chances import chances
from zimcore.game import Accepted, Command, Game, HiddenError, Seat

LUCK_WORLDS = 12
"""How many worlds `luck_by_seat` samples."""


def state_seen_by(game: Game, state: Any, seat: Seat) -> Any:
    """A position as a seat knows it; the position itself, not a copy, if the game hides nothing."""
    return game.secrets.conceal(state, seat) if game.secrets else state


def check_cards_open(game: Game, state: Any) -> None:
    """Raises `HiddenError` if cards are hidden in a position: an analysis needs all cards."""
    if game.secrets and any(game.secrets.hides(state, seat) for seat in game.evolution.seats(state)):
        why = f"cards are hidden in {game.title}, and a judgement needs all of them"
        raise HiddenError("turns can't be judged here", why, ["hint", "analyse --open"])


def sample_world(game: Game, state: Any, seat: Seat, number: int, seed: int) -> Any:
    """The world with this number for a seat; the position itself if the game hides nothing."""
    if game.secrets is None:
        return state
    deal_seed = Random(f"{seed} world {number}").getrandbits(32)
    return game.rules.apply(state_seen_by(game, state, seat), "", game.secrets.redeal(seat, deal_seed)).state


def play_in_world(game: Game, state: Any, seat: Seat, commands: Sequence[Command]) -> Any:
    """The position after a turn in a world.

    Skips everything from the first illegal command on; the quick bot then finishes the turn.
    """
    turn_start = state
    for command in commands:
        decision = game.rules.decide(state, seat, command)
        if not isinstance(decision, Accepted):
            break
        state = decision.state
    for _ in range(MAX_TURN_COMMANDS):
        if not is_same_turn(game, turn_start, state):
            break
        state = first_best(QUICK.evaluate_candidates(game, state, seat)).next_state
    return state


def luck_by_seat(
    game: Game, state: Any, seat: Seat, commands: Sequence[Command], end_state: Any, seed: int
) -> dict[Seat, float]:
    """How much better each seat's chance is after a turn than after the same turn in other worlds, on average.

    Judged by what the seat that played knows. Empty if the game hides nothing.
    """
    if game.secrets is None:
        return {}
    actual_chances = chances(game, state_seen_by(game, end_state, seat))
    worlds = (sample_world(game, state, seat, number, seed) for number in range(LUCK_WORLDS))
    chances_by_world = [
        chances(game, state_seen_by(game, play_in_world(game, world, seat, commands), seat)) for world in worlds
    ]
    return {
        chance_seat: chance.mean - fmean(world_chances[chance_seat].mean for world_chances in chances_by_world)
        for chance_seat, chance in actual_chances.items()
    }
