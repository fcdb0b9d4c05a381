"""Benchmarks the levels of bots: each plays against the level below, at every seat of every deal, with 95 % intervals.

The seeds were never used for tuning. A bar is met if the share of wins reaches it; the interval shows how certain that
is. Times are CPU seconds. On a busy machine they are too long.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

from measure import at_least, at_most

from zimcore.bots.arena import Result, by_block, interval, options_for, play_match, seatings
from zimcore.bots.bot_match import start_state
from zimcore.game import Game
from zimcore.games.africana import GAME as AFRICANA
from zimcore.games.zimbabwe import GAME as ZIMBABWE

SEED = 900_000
"""The seed of the first deal."""


class Bar(NamedTuple):
    """What a level must reach against other bots, over how many deals, and how long its turn may take."""

    game: Game
    bots: tuple[str, ...]
    players: int
    share: float
    deals: int
    seconds: float = 1.0


SHARES = {2: 0.75, 3: 0.6, 5: 0.45}
BARS = (
    Bar(ZIMBABWE, ("quick", "peer"), 4, 0.8, 100),
    Bar(ZIMBABWE, ("strong", "quick"), 4, 0.7, 25),
    *(Bar(ZIMBABWE, ("peer", "random"), players, share, 40) for players, share in SHARES.items()),
    *(Bar(ZIMBABWE, ("quick", "peer"), players, share, 80) for players, share in SHARES.items()),
    *(Bar(ZIMBABWE, ("strong", "quick"), players, share, 20) for players, share in SHARES.items()),
    Bar(AFRICANA, ("quick", "random"), 3, 0.9, 20),
    Bar(AFRICANA, ("strong", "quick"), 3, 0.5, 20),
)


def bench(folder: Path) -> None:
    """Measures all bars."""
    del folder
    for bar in BARS:
        print_match(bar)


def print_match(bar: Bar) -> None:
    """Measures a bar, and prints its lines."""
    results = [play_match(bar.game, each) for each in seatings(bar.bots, bar.players, bar.deals * bar.players, SEED)]
    mean, low, high = interval(by_block(results, bar.bots[0]))
    description = f"{' against '.join(bar.bots)}, {bar.game.name}, {bar.players}"
    at_least(f"{description}: wins", f"{low:.1%} to {high:.1%} of {len(results)}", mean, bar.share)
    at_most(f"{description}: seconds a turn", "", a_turn(bar.game, results, bar.bots[0]), bar.seconds)


def a_turn(game: Game, results: Sequence[Result], bot: str) -> float:
    """CPU seconds for a turn, or a bid, of a bot that plays one seat."""
    turns = 0
    for result in results:
        options, seed, bots = options_for(game, len(result.seating.bots)), result.seating.seed, result.seating.bots
        bot_seat = game.evolution.seats(start_state(game, options, seed))[bots.index(bot)]
        turns += sum(seat == bot_seat for seat, _ in groupby(result.played, key=itemgetter(0)))
    return sum(result.seconds[bot] for result in results) / turns
