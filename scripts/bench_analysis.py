"""Benchmarks the chances of the analysis on games that the model was not trained on, and its judgement of turns.

It prints the log-loss of the winner, by players and rounds, with the standard error over games. For comparison: that of
equal chances and of points alone (VP - VR, or the lead in VP, with a weight fitted to these same games). It also prints
how often predicted chances came true. The first games are played here, by bots of several levels; others by
styles that no training has met; recorded ones are read from the files in ZIM_RECORDINGS
(`games_bot.jsonl:games_mixed.jsonl`), if it is set. `bench_judging` prints the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from math import log
from pathlib import Path
from statistics import fmean, pstdev
from typing import Any, NamedTuple

import bench_judging
from measure import CORES, expect_at_least, expect_at_most, recording_files
from recordings import Document, documents, replay
from selfplay import UNSEEN_PLAYER_COUNTS, UNSEEN_TABLE_KINDS, play_games, position_rows, record_rows

from zimcore.chances import Model, chance_features, load_model, softmax
from zimcore.game import Game
from zimcore.games.registry import GAMES
from zimcore.service import game as load

GAMES_PLAYED: Mapping[str, int] = {"zimbabwe": 400, "africana": 300}
"""How many games are played here."""
SEED = 1001
"""The seed of these games, different from those of the training games."""
ROUND_RANGES = {
    "zimbabwe": {"1-2": range(1, 3), "3-4": range(3, 5), "5": range(5, 6), "6": range(6, 7), "7+": range(7, 99)},
    "africana": {"1-5": range(1, 6), "6-10": range(6, 11), "11-15": range(11, 16), "16+": range(16, 999)},
}
POINTS_FEATURES = {"zimbabwe": "gap", "africana": "lead"}
"""The feature for how many points a seat is ahead."""
GOALS = {"3-4": 1.22, "5": 1.24, "6": 1.05, "7+": 1.23}
"""The log-loss of a first model with ten features, four players, by rounds. Ours should be a tenth lower."""


UNSEEN_GAMES, SHORT_DIVISOR = 400, 8
"""The games of each kind of tables of unseen styles; the short form has so many times fewer games of all kinds."""
UNSEEN_GOALS = {("one-unseen", 2): 0.56, ("one-unseen", 4): 1.28, ("unseen", 4): 1.08}
"""The log-loss to reach there, by tables and players."""
LIKELY_CHANCE, WIN_SHARES = 0.8, (0.75, 0.9)
"""Of the seats whose chance is above this, so many should win."""


class JudgedTurn(NamedTuple):
    """A position: its round, the match, VP - VR of each seat, the predicted chances, and the winner."""

    round: int
    match: int
    gaps: list[float]
    chances: list[float]
    winner: int

    @property
    def loss(self) -> float:
        """The log-loss of the winner."""
        return log_loss(self.chances[self.winner])


def log_loss(chance: float) -> float:
    """The log-loss of an event that had this chance."""
    return -log(max(chance, 1e-6))


def bench(folder: Path, long: bool = False) -> None:
    """Measures the chances at all kinds of tables, then the judgement of turns; the short form has fewer games."""
    held_back_turns = dict[str, list[JudgedTurn]]()
    for name, count in GAMES_PLAYED.items():
        games_played = count // (1 if long else SHORT_DIVISOR)
        print(f"chances over {games_played} games of {name} by bots that were kept back")
        held_back_turns[name] = played_turns(name, "mixed", games_played, SEED)
        print_tables(held_back_turns[name], name)
    measure_unseen_styles(UNSEEN_GAMES // (1 if long else SHORT_DIVISOR))
    judge = partial(judged_turns, load("zimbabwe", GAMES))
    recording_paths = recording_files()
    if recording_paths:
        with ProcessPoolExecutor(CORES) as pool:
            matches = list(pool.map(recorded_positions, documents(recording_paths), chunksize=2))
        print(f"chances over {len(matches)} recorded games")
        recorded_turns = [
            position for match in enumerate(matches, GAMES_PLAYED["zimbabwe"]) for position in judge(*match)
        ]
        print_tables(recorded_turns, "zimbabwe")
        print("chances over both together")
        print_tables([*held_back_turns["zimbabwe"], *recorded_turns], "zimbabwe")
    bench_judging.bench(folder, long)


def played_turns(name: str, table_kind: str, count: int, seed: int) -> list[JudgedTurn]:
    """The positions of games at such tables, with the model's chances."""
    judge = partial(judged_turns, load(name, GAMES))
    records = play_games(name, table_kind, range(count), seed, CORES)
    with ProcessPoolExecutor(CORES) as pool:
        return [
            position for match in enumerate(pool.map(record_rows, records, chunksize=8)) for position in judge(*match)
        ]


def measure_unseen_styles(count: int) -> None:
    """Measures the chances at tables of styles that no training has met (see styles.py), against the goals."""
    trained_turns = played_turns("zimbabwe", "styles", count, SEED)
    for table_kind in UNSEEN_TABLE_KINDS:
        print(f"chances over {count} games of zimbabwe, tables {table_kind}")
        turns = played_turns("zimbabwe", table_kind, count, SEED)
        print_tables(turns, "zimbabwe", goals={})
        for players in UNSEEN_PLAYER_COUNTS:
            player_turns = [position for position in turns if len(position.chances) == players]
            weight = gap_weight(
                [position for position in trained_turns if len(position.chances) == players] or trained_turns
            )
            loss, error, match_count = loss_over_matches(player_turns)
            points_loss = loss_over_matches(player_turns, weight)[0]
            fitted_loss = loss_over_matches(player_turns, gap_weight(player_turns))[0]
            comparison = (
                f"±{1.96 * error:.3f}, {match_count} games; VP - VR {points_loss:.3f}, fitted here {fitted_loss:.3f}"
            )
            expect_at_most(
                f"log-loss, {table_kind}, {players} players",
                comparison,
                loss,
                UNSEEN_GOALS.get((table_kind, players), log(players)),
            )
            turns_by_rounds = [
                [position for position in player_turns if position.round in rounds]
                for rounds in ROUND_RANGES["zimbabwe"].values()
            ]
            worst_loss, error, _ = max(loss_over_matches(some_turns) for some_turns in turns_by_rounds if some_turns)
            worst_figures = f"±{1.96 * error:.3f}, the worst of the rounds"
            expect_at_most(
                f"worse than nothing, {table_kind}, {players} players", worst_figures, worst_loss - log(players), 0
            )
        forecasts = [
            (chance, seat == position.winner) for position in turns for seat, chance in enumerate(position.chances)
        ]
        outcomes = [won for chance, won in forecasts if chance > LIKELY_CHANCE]
        share, seat_count = fmean(outcomes), f"{len(outcomes)} seats"
        expect_at_least(f"shown over {LIKELY_CHANCE:.0%}, happened, {table_kind}", seat_count, share, WIN_SHARES[0])
        expect_at_most(f"shown over {LIKELY_CHANCE:.0%}, happened, {table_kind}", seat_count, share, WIN_SHARES[1])


def loss_over_matches(turns: Sequence[JudgedTurn], weight: float | None = None) -> tuple[float, float, int]:
    """The mean log-loss of games, its standard error, and their number: of the chances, or of points with a weight."""
    losses_by_match = dict[int, list[float]]()
    for each in turns:
        losses_by_match.setdefault(each.match, []).append(each.loss if weight is None else gap_loss(each, weight))
    means = [fmean(losses) for losses in losses_by_match.values()]
    return fmean(means), pstdev(means) / len(means) ** 0.5, len(means)


def recorded_positions(document: Document) -> list[Any]:
    """The positions of a recorded game."""
    game, (moves, last_state) = load("zimbabwe", GAMES), replay(document)
    seat_moves = [(seat, command) for _, seat, command in moves]
    return list(position_rows(game, moves[0][0], seat_moves, game.evolution.outcome(last_state).winners))


def judged_turns(game: Game, number: int, match: Iterable[Any]) -> Iterator[JudgedTurn]:
    """The positions of a match, with the model's chances."""
    trained_model: Model = load_model(chance_features(game))
    gap_index = trained_model.features.index(POINTS_FEATURES[game.name])
    for row in match:
        seats = {str(seat): x for seat, x in enumerate(row.x)}
        means = [chance.mean for chance in trained_model.chances(seats).values()]
        yield JudgedTurn(row.round, number, [x[gap_index] for x in row.x], means, row.winner)


def print_tables(turns: Sequence[JudgedTurn], kind: str, goals: Mapping[str, float] = GOALS) -> None:
    """Prints the tables."""
    print("  players  rounds  games  positions  uniform   points  chances  error")
    for players in (2, 3, 4, 5):
        for name, rounds in ROUND_RANGES[kind].items():
            round_turns = [
                position for position in turns if len(position.chances) == players and position.round in rounds
            ]
            if round_turns:
                loss, games = (
                    fmean(position.loss for position in round_turns),
                    {position.match for position in round_turns},
                )
                means = [fmean(position.loss for position in round_turns if position.match == match) for match in games]
                error = pstdev(means) / len(means) ** 0.5
                figures = f"{log(players):7.3f}  {least_gap_loss(round_turns):7.3f}  {loss:7.3f}  {error:5.3f}"
                print(f"  {players:7}  {name:>6}  {len(games):5}  {len(round_turns):9}  {figures}")
    print("  shown       mean  happened  seats")
    forecasts = [
        (chance, seat == position.winner) for position in turns for seat, chance in enumerate(position.chances)
    ]
    for low_percent in range(0, 100, 10):
        forecast_tier = [
            forecast
            for forecast in forecasts
            if low_percent / 100 <= forecast[0] < (low_percent + 10) / 100 + (low_percent == 90)
        ]
        if forecast_tier:
            mean, win_rate = fmean(chance for chance, _ in forecast_tier), fmean(won for _, won in forecast_tier)
            print(f"  {low_percent:3}-{low_percent + 10:3} %  {mean:6.1%}  {win_rate:8.1%}  {len(forecast_tier):5}")
    for name, goal in goals.items() if kind == "zimbabwe" else ():
        losses = [
            position.loss
            for position in turns
            if len(position.chances) == 4 and position.round in ROUND_RANGES[kind][name]
        ]
        if losses:
            comparison = f"a first model {goal:.2f}, uniform {log(4):.3f}"
            expect_at_most(f"log-loss of 4 players, rounds {name}", comparison, fmean(losses), 0.9 * goal)


def least_gap_loss(turns: Sequence[JudgedTurn]) -> float:
    """The least log-loss that VP - VR alone can reach."""
    weight = gap_weight(turns)
    return fmean(gap_loss(position, weight) for position in turns)


def gap_weight(turns: Sequence[JudgedTurn]) -> float:
    """The weight of VP - VR with the least log-loss."""
    weights = [step / 40 for step in range(41)]
    return min(weights, key=lambda weight: fmean(gap_loss(position, weight) for position in turns))


def gap_loss(turn: JudgedTurn, weight: float) -> float:
    """The log-loss of the winner by VP - VR alone."""
    return log_loss(softmax([weight * gap for gap in turn.gaps])[turn.winner])
