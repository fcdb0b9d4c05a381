"""Tunes the weights of the features of a game's strategy, by play against a pool of opponents.

CMA-ES samples weights around the mean of a distribution. All candidates of a generation play the same matches; the
winners move the distribution. The pool starts with the baseline, the weights of the game and, for The Great Zimbabwe,
the styles to train with (styles.py); the mean weights join it now and then, so that they do not specialize in one
opponent. The result depends only on the seed. `--features` tunes the named features only.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from random import Random
from typing import TypeAlias

import cma
import msgspec

from scripts.research.styles import STYLES
from zimcore.bots.bot import Bot
from zimcore.bots.bot_match import play_bots
from zimcore.bots.levels import PeerBot, QuickBot, weight_row
from zimcore.game import Strategy
from zimcore.games.registry import GAMES
from zimcore.service import game as load_game

LEAD_POINT_WORTH = 0.02
"""What a point of lead counts compared with a win, so that near misses are better than clear losses."""
MAX_LEAD = 20
"""The most points of a lead or a deficit that count."""
MAX_COMMANDS = 600
"""The most commands of a match: weights that do not finish it lose."""
JOIN_INTERVAL = 10
"""The mean weights join the pool after this many generations, again and again."""


Opponent: TypeAlias = Sequence[float] | str
"""An opponent: weights (empty: the baseline), or the name of a style; in a match with the number of a member."""
DrawnMatch: TypeAlias = tuple[int, int, tuple[Opponent, ...]]
"""The seed, the seat of the tuned weights, and the opponents at the other seats."""
STYLED_GAME, MEMBER_COUNT = "zimbabwe", 1_000
"""The game that has styles, and from how many members of each style opponents are drawn."""


def opponent_bot(opponent: Opponent) -> Bot:
    """The bot of an opponent in a match."""
    if isinstance(opponent, str):
        name, _, number = opponent.partition(" ")
        return STYLES[name](int(number))
    return QuickBot(opponent) if opponent else PeerBot()


def match_score(kind: str, weights: Sequence[float], drawn_match: DrawnMatch) -> float:
    """The score of weights in a drawn match: 1 for a win, and a little for the lead."""
    seed, seat_index, opponents = drawn_match
    bots = [opponent_bot(opponent) for opponent in opponents]
    bots.insert(seat_index, QuickBot(weights))
    match = play_bots(
        load_game(kind, GAMES), [(bot, 0) for bot in bots], {"players": str(len(bots))}, seed, MAX_COMMANDS
    )
    if not match.outcome.over:
        return -LEAD_POINT_WORTH * MAX_LEAD
    seat, scores = match.seats[seat_index], match.outcome.scores
    best_score = max(score or 0 for other, score in scores.items() if other != seat)
    lead = max(-MAX_LEAD, min(MAX_LEAD, (scores[seat] or 0) - best_score))
    return (match.outcome.winner == seat) + LEAD_POINT_WORTH * lead


def draw_matches(rng: Random, match_count: int, pool: Sequence[Opponent], players: int) -> list[DrawnMatch]:
    """The matches of a generation, the same for all weights, at every seat in turn."""

    def draw_opponent() -> Opponent:
        opponent = rng.choice(pool)
        return f"{opponent} {rng.randrange(MEMBER_COUNT)}" if isinstance(opponent, str) else opponent

    return [
        (rng.getrandbits(40), number % players, tuple(draw_opponent() for _ in range(players - 1)))
        for number in range(match_count)
    ]


def mean_loss(kind: str, drawn_matches: Sequence[DrawnMatch], weights: Sequence[float]) -> float:
    """The loss of weights: lower is better."""
    return -sum(match_score(kind, weights, each) for each in drawn_matches) / len(drawn_matches)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="tune", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("game", nargs="?", default="zimbabwe")
    parser.add_argument("--generations", type=int, default=40)
    parser.add_argument("--population", type=int, default=16)
    parser.add_argument("--matches", type=int, default=16, help="matches of each candidate in a generation")
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1, help="1 or more")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--spread", type=float, default=0.3, help="initial standard deviation (sigma) of CMA-ES")
    parser.add_argument("--features", metavar="NAME,NAME", help="features to tune (default: all)")
    parser.add_argument("--out", type=Path, required=True, help="file for the weights, written after every generation")
    arguments = parser.parse_args()
    if arguments.seed < 1:  # with 0 the library would seed from the clock
        print("tune: --seed is a number from 1 on", file=sys.stderr)
        return 1
    strategy = load_game(arguments.game, GAMES).strategy
    if strategy is None:
        print(f"tune: {arguments.game} has no strategy", file=sys.stderr)
        return 1
    tuned_names = arguments.features.split(",") if arguments.features else [*strategy.FEATURES]
    if unknown_names := ", ".join(sorted({*tuned_names} - {*strategy.FEATURES})):
        print(f"tune: {arguments.game} has no {unknown_names}; it has {', '.join(strategy.FEATURES)}", file=sys.stderr)
        return 1
    if len(tuned_names) < 2:
        print("tune: one feature alone is not tuned: name two or more", file=sys.stderr)
        return 1
    weights = weight_row(strategy)
    feature_indexes = [index for index, name in enumerate(strategy.FEATURES) if name in tuned_names]
    widths = search_widths(strategy)

    def full_weights(tuned_weights: Sequence[float]) -> tuple[float, ...]:
        """All weights: those that are tuned, and the others as they are."""
        changes = dict(zip(feature_indexes, map(float, tuned_weights), strict=True))
        return tuple(changes.get(index, weight) for index, weight in enumerate(weights))

    search = cma.CMAEvolutionStrategy(
        [weights[index] for index in feature_indexes],
        arguments.spread,
        {
            "popsize": arguments.population,
            "seed": arguments.seed,
            "verbose": -9,
            "CMA_stds": [widths[index] for index in feature_indexes],
        },
    )
    pool: list[Opponent] = [(), tuple(weights), *(STYLES if arguments.game == STYLED_GAME else ())]
    rng = Random(arguments.seed)
    with ProcessPoolExecutor(arguments.workers) as processes:
        for generation in range(1, arguments.generations + 1):
            drawn_matches = draw_matches(rng, arguments.matches, pool, arguments.players)
            proposals = search.ask()
            losses = list(
                processes.map(partial(mean_loss, arguments.game, drawn_matches), map(full_weights, proposals))
            )
            search.tell(proposals, losses)
            print(
                f"{generation}: best {-min(losses):.2f}, mean {-sum(losses) / len(losses):.2f}, pool {len(pool)}",
                flush=True,
            )
            mean_weights = full_weights(search.mean)
            write_weights(
                arguments.out, strategy, mean_weights, f"scripts/tune {' '.join(sys.argv[1:])}, generation {generation}"
            )
            if generation % JOIN_INTERVAL == 0:
                pool.append(mean_weights)
    return 0


def search_widths(strategy: Strategy) -> list[float]:
    """The search width per feature: the size of its weight, but at least 1 and at most 3."""
    return [max(min(abs(weight), 3.0), 1.0) for weight in weight_row(strategy)]


def write_weights(path: Path, strategy: Strategy, weights: Sequence[float], made_by: str) -> None:
    """Writes the weights in the form that the game reads."""
    weight_by_feature = {name: round(float(weight), 4) for name, weight in zip(strategy.FEATURES, weights, strict=True)}
    path.write_bytes(
        msgspec.json.format(msgspec.json.encode({"made_by": made_by, "weights": weight_by_feature}), indent=1) + b"\n"
    )


if __name__ == "__main__":
    sys.exit(main())
