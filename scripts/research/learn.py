"""Learns a small value function by self-play, in minutes, with numpy alone.

A player's value is a weighted sum of the features of the game's strategy. The chances of the seats are the softmax of
their values (a conditional logit). The first weights count victory points and money. Each generation plays against
itself, sometimes with a random command, and fits the weights to the winners of all games so far. Then it plays the
baseline in deals that it has not seen. The result depends only on the seed.

With `--into FILE` each match is a line of that file: type the same again to continue where it stopped. The weights that
`--out` keeps name the run, with its seed, and the digest of the matches behind them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from hashlib import blake2b
from multiprocessing import get_context
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any, NamedTuple

import msgspec
import numpy as np
import numpy.typing as npt

from scripts.research.gods import append_json_lines, read_json_lines
from zimcore.bots.arena import share_interval
from zimcore.bots.bot import Choice, View
from zimcore.bots.bot_match import play_bots, start_state
from zimcore.bots.levels import PeerBot, QuickBot
from zimcore.game import Strategy
from zimcore.games.registry import GAMES
from zimcore.service import game as load

START_WEIGHTS: Mapping[str, float] = {
    **dict.fromkeys(("vp", "vp_late"), 0.15),
    **dict.fromkeys(("vr", "vr_late"), -0.15),
    **dict.fromkeys(("cattle", "cattle_late"), 0.05),
    "reached": 2.0,
}
"""The weights to start from: the points that decide the game, and a little for money. The rest is learned."""
EXPLORATION_RATES = 0.3, 0.1
"""How often a player tries a random candidate, in the first and in the last generation."""
SAMPLE_EVERY = 3
"""One of so many positions is learned from. Those in between are too similar."""
PRIOR_WEIGHT = 2.0
"""The weight of the prior, in matches. All positions of a match count as one observation."""
MAX_COMMANDS = 600
"""The most commands of a match: a longer one teaches nothing."""
FIRST_UNSEEN_SEED = 1_000_000
"""Seeds from here on are only used to measure."""

Floats = npt.NDArray[np.float64]
ParallelMap = Callable[..., Any]
"""Applies a function to tasks, in several processes."""


class StoredResult(msgspec.Struct, frozen=True):
    """The result of a match in a file, by a digest of all that it depends on."""

    key: str
    result: Any


class Matches:
    """Plays matches that are not yet in a file, if there is one, and appends them to it."""

    def __init__(self, parallel_map: ParallelMap, path: Path | None) -> None:
        self.parallel_map = parallel_map
        self.path = path
        self.results = (
            {stored_result.key: stored_result.result for stored_result in read_json_lines(path, StoredResult)}
            if path
            else {}
        )
        self.digest = blake2b(digest_size=16)

    def play(self, function: partial[Any], tasks: Sequence[Any]) -> Iterator[Any]:
        """The results of `function` for the tasks, in their order, as JSON has them."""
        keys = {task: task_key(function, task) for task in tasks}
        missing_tasks = [task for task in tasks if keys[task] not in self.results]
        plain_results = map(plain_result, self.parallel_map(function, missing_tasks))
        results_to_store = (
            StoredResult(keys[task], result) for task, result in zip(missing_tasks, plain_results, strict=True)
        )
        self.results |= {
            stored_result.key: stored_result.result
            for stored_result in (append_json_lines(self.path, results_to_store) if self.path else results_to_store)
        }
        for task in tasks:
            self.digest.update(keys[task].encode() + msgspec.json.encode(self.results[keys[task]]))
            yield self.results[keys[task]]


def plain_result(result: Any) -> Any:
    """A result as a file has it: lists and numbers."""
    return msgspec.to_builtins(result, enc_hook=lambda numbers: numbers.tolist())


def task_key(function: partial[Any], task: Any) -> str:
    """A digest of a function's name, its arguments and the task. (Results are stored by it: keep the names.)"""
    return blake2b(repr((function.func.__name__, function.args, task)).encode(), digest_size=16).hexdigest()


class Lesson(NamedTuple):
    """A match to learn from: the features of all seats (positions, seats, features), and the index of the winner."""

    features: Floats
    winner: int


class ExploringBot(QuickBot):
    """Plays the best candidate by its weights, and sometimes a random one."""

    def __init__(self, weights: Sequence[float], exploration_rate: float) -> None:
        super().__init__(weights)
        self.exploration_rate = exploration_rate

    def choose(self, view: View, nodes: int, rng: Random) -> Choice:
        """One of the candidates."""
        candidates = self.evaluate_candidates(view.game, view.state, view.seat)
        candidate = (
            rng.choice(candidates)
            if rng.random() < self.exploration_rate
            else max(candidates, key=lambda plan: plan.value)
        )
        return Choice(candidate.command)


def lesson(kind: str, players: int, weights: Sequence[float], exploration_rate: float, seed: int) -> Lesson | None:
    """Plays a match against itself. None if there is no single winner."""
    game, strategy = load(kind, GAMES), strategy_of(kind)
    bots = [(ExploringBot(weights, exploration_rate), 0)] * players
    match = play_bots(game, bots, {"players": str(players)}, seed, MAX_COMMANDS)
    if match.outcome.winner is None:
        return None
    state = start_state(game, {"players": str(players)}, seed)
    positions = []
    for number, (seat, command) in enumerate(match.moves[:-1]):
        state = game.rules.apply(state, seat, command).state
        if number % SAMPLE_EVERY == 0:
            positions.append([strategy.features(state, each) for each in match.seats])
    return Lesson(np.array(positions, float), match.seats.index(match.outcome.winner))


def strategy_of(kind: str) -> Strategy:
    """The strategy of a game. Raises `SystemExit` if it has none."""
    strategy = load(kind, GAMES).strategy
    if strategy is None:
        raise SystemExit(f"learn: {kind} has no strategy, and so no features to learn of")
    return strategy


def fit_weights(lessons: Sequence[Lesson], prior_weights: Floats, steps: int = 12) -> Floats:
    """The weights that make the actual winners most likely, by Newton's method, starting from the prior."""
    rows = np.concatenate([lesson.features for lesson in lessons])
    winner_seats = np.concatenate([np.full(len(lesson.features), lesson.winner) for lesson in lessons])
    scale = rows.std(axis=(0, 1)) + 1e-9
    rows = rows / scale
    start_weights, ridge = prior_weights * scale, PRIOR_WEIGHT * len(rows) / len(lessons)
    weights = start_weights.copy()
    winner_rows = rows[np.arange(len(rows)), winner_seats]
    for _ in range(steps):
        chances = softmax(rows @ weights)
        expected = np.einsum("ns,nsf->nf", chances, rows)
        gradient = (winner_rows - expected).sum(axis=0) - ridge * (weights - start_weights)
        covariance = np.einsum("ns,nsf,nsg->fg", chances, rows, rows) - expected.T @ expected
        weights += np.linalg.solve(covariance + ridge * np.eye(len(weights)), gradient)
    return weights / scale  # type: ignore[no-any-return]


def softmax(values: Floats) -> Floats:
    """The chances of the seats in each position."""
    exponentials = np.exp(values - values.max(axis=1, keepdims=True))
    return exponentials / exponentials.sum(axis=1, keepdims=True)  # type: ignore[no-any-return]


def log_loss(weights: Floats, lessons: Sequence[Lesson]) -> float:
    """The log-loss of the winners per position; log(players) for a model that knows nothing."""
    chances = [softmax(lesson.features @ weights)[:, lesson.winner] for lesson in lessons]
    return float(-np.log(np.concatenate(chances)).mean())


def against_baseline(kind: str, players: int, weights: Sequence[float], table: tuple[int, int]) -> float:
    """The share of a win in a match against the baseline, at one of its seats."""
    seed, place = table
    bots: list[tuple[Any, int]] = [(PeerBot(), 0)] * players
    bots[place] = (QuickBot(weights), 0)
    match = play_bots(load(kind, GAMES), bots, {"players": str(players)}, seed, MAX_COMMANDS)
    winners = match.outcome.winners
    return (match.seats[place] in winners) / max(len(winners), 1)


def measure_wins(
    kind: str, players: int, weights: Sequence[float], deals: int, matches: Matches
) -> tuple[float, float, float]:
    """The share of wins against the baseline, each deal played at every seat, with its 95 % interval."""
    tables = [(FIRST_UNSEEN_SEED + deal, place) for deal in range(deals) for place in range(players)]
    win_shares = list(matches.play(partial(against_baseline, kind, players, weights), tables))
    return share_interval([fmean(win_shares[deal * players : (deal + 1) * players]) for deal in range(deals)])


def describe_weights(strategy: Strategy, weights: Sequence[float]) -> list[str]:
    """The result in the game's terms: what one more of each feature is worth in VP at the beginning, the
    largest first.
    """
    weights_by_name = dict(zip(strategy.FEATURES, weights, strict=True))
    point_weight = abs(weights_by_name.get("vp", 0.0)) or 1.0
    ranked_names = sorted(weights_by_name, key=lambda name: -abs(weights_by_name[name]))
    return [
        f"{name.replace('_', ' '):16} {weights_by_name[name] / point_weight:+7.2f} VP"
        for name in ranked_names
        if abs(weights_by_name[name]) >= point_weight / 50
    ]


def first_seed_of(seed: int) -> int:
    """The seed of the first match, by the seed of a run."""
    return seed * 100_000


def learn_weights(kind: str, players: int, generations: int, match_count: int, seed: int, matches: Matches) -> Floats:
    """The weights after some generations, each of which plays so many matches."""
    strategy, lessons = strategy_of(kind), list[Lesson]()
    prior_weights = weights = np.array([START_WEIGHTS.get(name, 0.0) for name in strategy.FEATURES])
    for generation in range(generations):
        first_seed = first_seed_of(seed) + generation * match_count
        exploration_rate = float(np.interp(generation, (0, max(generations - 1, 1)), EXPLORATION_RATES))
        task = partial(lesson, kind, players, weights.tolist(), exploration_rate)
        results = matches.play(task, range(first_seed, first_seed + match_count))
        new_lessons = [Lesson(np.array(features), winner) for features, winner in filter(None, results)]
        loss_before = log_loss(weights, new_lessons) if new_lessons else 0.0
        lessons += new_lessons
        if not lessons:
            raise SystemExit("learn: no match has come to an end: play more of them")
        weights = fit_weights(lessons, prior_weights)
        print(
            f"generation {generation + 1}: {len(new_lessons)} of {match_count} matches ended, "
            f"surprise {loss_before:.3f} before, {log_loss(weights, new_lessons or lessons):.3f} after",
            flush=True,
        )
    return weights


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="learn", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("game", nargs="?", default="zimbabwe")
    parser.add_argument("--generations", type=int, default=4)
    parser.add_argument("--matches", type=int, default=24, help="matches in a generation")
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--deals", type=int, default=25, help="deals for the measurement, each played from every seat")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--into", type=Path, help="file of matches; new ones are appended")
    parser.add_argument("--out", type=Path, help="a file for the weights")
    arguments = parser.parse_args()
    if (
        min(
            arguments.generations,
            arguments.matches,
            arguments.players - 1,
            arguments.deals,
            arguments.seed + 1,
            arguments.workers,
        )
        < 1
    ):
        print("learn: all numbers begin at 1, players at 2, seeds at 0", file=sys.stderr)
        return 2
    if first_seed_of(arguments.seed) + arguments.generations * arguments.matches > FIRST_UNSEEN_SEED:
        print("learn: seeds end at 9: later matches are only used to measure", file=sys.stderr)
        return 2
    strategy = strategy_of(arguments.game)
    with ProcessPoolExecutor(arguments.workers, get_context("spawn")) as pool:
        matches = Matches(pool.map, arguments.into)
        weights = learn_weights(
            arguments.game, arguments.players, arguments.generations, arguments.matches, arguments.seed, matches
        ).tolist()
        print("\n".join(describe_weights(strategy, weights)), flush=True)
        share, low, high = measure_wins(arguments.game, arguments.players, weights, arguments.deals, matches)
    print(
        f"wins {share:.0%} of {arguments.deals * arguments.players} against the baseline, 95 %: {low:.0%} to {high:.0%}"
    )
    if arguments.out:
        weights_by_feature = dict(zip(strategy.FEATURES, weights, strict=True))
        run_options = {name: value for name, value in vars(arguments).items() if name not in ("into", "out", "workers")}
        record = {
            "run": run_options,
            "matches": matches.digest.hexdigest(),
            "share": share,
            "weights": weights_by_feature,
        }
        arguments.out.write_bytes(msgspec.json.format(msgspec.json.encode(record)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
