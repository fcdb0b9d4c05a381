"""Benchmarks the chances of the analysis on games that the model was not trained on, and its judgement of turns.

It prints the log-loss of the winner, by players and rounds, with the standard error over games. For comparison: that of
equal chances and of points alone (VP - VR, or the lead in VP, with a weight fitted to these same games). It also prints
how often predicted chances came true. The first games are played here, by bots of several levels; recorded ones are
read from the files in ZIM_RECORDINGS (`games_bot.jsonl:games_mixed.jsonl`), if it is set. `bench_judging` prints the
rest.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from math import log
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any, NamedTuple

import bench_judging
from measure import at_most, recordings
from recordings import Document, documents, replay
from selfplay import games, look, rows

from zimcore.chances import Model, chances_of, model, softmax
from zimcore.game import Game
from zimcore.games.registry import GAMES
from zimcore.service import game as load

PLAYED: Mapping[str, int] = {"zimbabwe": 400, "africana": 300}
"""How many games are played here."""
SEED = 1001
"""The seed of these games, different from those of the training games."""
ROUNDS = {
    "zimbabwe": {"1-2": range(1, 3), "3-4": range(3, 5), "5": range(5, 6), "6": range(6, 7), "7+": range(7, 99)},
    "africana": {"1-5": range(1, 6), "6-10": range(6, 11), "11-15": range(11, 16), "16+": range(16, 999)},
}
POINTS = {"zimbabwe": "gap", "africana": "lead"}
"""The feature for how many points a seat is ahead."""
GOALS = {"3-4": 1.22, "5": 1.24, "6": 1.05, "7+": 1.23}
"""The log-loss of a first model with ten features, four players, by rounds. Ours should be a tenth lower."""


class Judged(NamedTuple):
    """A position: its round, the match, VP - VR of each seat, the predicted chances, and the winner."""

    round: int
    match: int
    gaps: list[float]
    chances: list[float]
    winner: int

    @property
    def loss(self) -> float:
        """The log-loss of the winner."""
        return surprise(self.chances[self.winner])


def surprise(chance: float) -> float:
    """The log-loss of an event that had this chance."""
    return -log(max(chance, 1e-6))


def bench(folder: Path) -> None:
    """Measures the chances in all kinds of games, then the judgement of turns."""
    workers, held_back_turns = os.cpu_count() or 1, dict[str, list[Judged]]()
    for name, count in PLAYED.items():
        played = games(name, "mixed", range(count), SEED, workers)
        judge = partial(judged_turns, load(name, GAMES))
        with ProcessPoolExecutor(workers) as pool:
            turns = [each for match in enumerate(pool.map(look, played, chunksize=8)) for each in judge(*match)]
        print(f"chances over {count} games of {name} by bots that were kept back")
        print_tables(turns, name)
        held_back_turns[name] = turns
    judge = partial(judged_turns, load("zimbabwe", GAMES))
    recordings_read = recordings()
    if recordings_read:
        with ProcessPoolExecutor(workers) as pool:
            matches = list(pool.map(recording, documents(recordings_read), chunksize=2))
        print(f"chances over {len(matches)} recorded games")
        recorded_turns = [each for match in enumerate(matches, PLAYED["zimbabwe"]) for each in judge(*match)]
        print_tables(recorded_turns, "zimbabwe")
        print("chances over both together")
        print_tables([*held_back_turns["zimbabwe"], *recorded_turns], "zimbabwe")
    bench_judging.bench(folder)


def recording(document: Document) -> list[Any]:
    """The positions of a recorded game."""
    game, (moves, last) = load("zimbabwe", GAMES), replay(document)
    moves_played = [(seat, command) for _, seat, command in moves]
    return list(rows(game, moves[0][0], moves_played, game.evolution.outcome(last).winners))


def judged_turns(game: Game, number: int, match: Iterable[Any]) -> Iterator[Judged]:
    """The positions of a match, with the model's chances."""
    trained_model: Model = model(chances_of(game))
    gap = trained_model.features.index(POINTS[game.name])
    for row in match:
        seats = {str(seat): x for seat, x in enumerate(row.x)}
        means = [each.mean for each in trained_model.chances(seats).values()]
        yield Judged(row.round, number, [x[gap] for x in row.x], means, row.winner)


def print_tables(turns: Sequence[Judged], kind: str) -> None:
    """Prints the tables."""
    print("  players  rounds  games  positions  uniform   points  chances  error")
    for players in (2, 3, 4, 5):
        for name, rounds in ROUNDS[kind].items():
            round_turns = [each for each in turns if len(each.chances) == players and each.round in rounds]
            if round_turns:
                loss, games = fmean(each.loss for each in round_turns), {each.match for each in round_turns}
                means = [fmean(each.loss for each in round_turns if each.match == match) for match in games]
                error = pstdev(means) / len(means) ** 0.5
                figures = f"{log(players):7.3f}  {by_gap(round_turns):7.3f}  {loss:7.3f}  {error:5.3f}"
                print(f"  {players:7}  {name:>6}  {len(games):5}  {len(round_turns):9}  {figures}")
    print("  told        mean  happened  seats")
    seats = [(chance, seat == each.winner) for each in turns for seat, chance in enumerate(each.chances)]
    for low in range(0, 100, 10):
        tier = [each for each in seats if low / 100 <= each[0] < (low + 10) / 100 + (low == 90)]
        if tier:
            mean, win_rate = fmean(chance for chance, _ in tier), fmean(won for _, won in tier)
            print(f"  {low:3}-{low + 10:3} %  {mean:6.1%}  {win_rate:8.1%}  {len(tier):5}")
    for name, goal in GOALS.items() if kind == "zimbabwe" else ():
        losses = [each.loss for each in turns if len(each.chances) == 4 and each.round in ROUNDS[kind][name]]
        if losses:
            comparison = f"a first model {goal:.2f}, uniform {log(4):.3f}"
            at_most(f"log-loss of 4 players, rounds {name}", comparison, fmean(losses), 0.9 * goal)


def by_gap(turns: Sequence[Judged]) -> float:
    """The least log-loss that VP - VR alone can reach."""
    weights = [step / 40 for step in range(41)]
    return min(
        fmean(surprise(softmax([weight * gap for gap in each.gaps])[each.winner]) for each in turns)
        for weight in weights
    )
