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

from scripts.benchmarks import bench_judging
from scripts.research.selfplay import (
    UNSEEN_PLAYER_COUNTS,
    UNSEEN_TABLE_KINDS,
    play_games,
    position_samples,
    samples_of_record,
)
from scripts.shared.measure import CORES, expect_at_least, expect_at_most, recording_files
from tests.recordings import Document, documents, replay
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


class PredictedPosition(NamedTuple):
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


def bench(folder: Path, is_long: bool = False) -> None:
    """Measures the chances at all kinds of tables, then the judgement of turns; the short form has fewer games."""
    positions_by_game = dict[str, list[PredictedPosition]]()
    for name, count in GAMES_PLAYED.items():
        games_played = count // (1 if is_long else SHORT_DIVISOR)
        print(f"chances over {games_played} games of {name} by bots that were kept back")
        positions_by_game[name] = positions_of_games(name, "mixed", games_played, SEED)
        print_tables(positions_by_game[name], name)
    measure_unseen_styles(UNSEEN_GAMES // (1 if is_long else SHORT_DIVISOR))
    predict = partial(predicted_positions, load("zimbabwe", GAMES))
    recording_paths = recording_files()
    if recording_paths:
        with ProcessPoolExecutor(CORES) as pool:
            matches = list(pool.map(recorded_positions, documents(recording_paths), chunksize=2))
        print(f"chances over {len(matches)} recorded games")
        positions_of_recordings = [
            position for match in enumerate(matches, GAMES_PLAYED["zimbabwe"]) for position in predict(*match)
        ]
        print_tables(positions_of_recordings, "zimbabwe")
        print("chances over both together")
        print_tables([*positions_by_game["zimbabwe"], *positions_of_recordings], "zimbabwe")
    bench_judging.bench(folder, is_long)


def positions_of_games(name: str, table_kind: str, count: int, seed: int) -> list[PredictedPosition]:
    """The positions of games at such tables, with the model's chances."""
    predict = partial(predicted_positions, load(name, GAMES))
    records = play_games(name, table_kind, range(count), seed, CORES)
    with ProcessPoolExecutor(CORES) as pool:
        return [
            position
            for match in enumerate(pool.map(samples_of_record, records, chunksize=8))
            for position in predict(*match)
        ]


def measure_unseen_styles(count: int) -> None:
    """Measures the chances at tables of styles that no training has met (see styles.py), against the goals."""
    styles_positions = positions_of_games("zimbabwe", "styles", count, SEED)
    for table_kind in UNSEEN_TABLE_KINDS:
        print(f"chances over {count} games of zimbabwe, tables {table_kind}")
        positions = positions_of_games("zimbabwe", table_kind, count, SEED)
        print_tables(positions, "zimbabwe", goals={})
        for players in UNSEEN_PLAYER_COUNTS:
            positions_with_players = [position for position in positions if len(position.chances) == players]
            weight = gap_weight(
                [position for position in styles_positions if len(position.chances) == players] or styles_positions
            )
            loss, error, match_count = loss_over_matches(positions_with_players)
            points_loss = loss_over_matches(positions_with_players, weight)[0]
            fitted_loss = loss_over_matches(positions_with_players, gap_weight(positions_with_players))[0]
            comparison = (
                f"±{1.96 * error:.3f}, {match_count} games; VP - VR {points_loss:.3f}, fitted here {fitted_loss:.3f}"
            )
            expect_at_most(
                f"log-loss, {table_kind}, {players} players",
                comparison,
                loss,
                UNSEEN_GOALS.get((table_kind, players), log(players)),
            )
            positions_by_rounds = [
                [position for position in positions_with_players if position.round in rounds]
                for rounds in ROUND_RANGES["zimbabwe"].values()
            ]
            worst_loss, error, _ = max(
                loss_over_matches(range_positions) for range_positions in positions_by_rounds if range_positions
            )
            worst_details = f"±{1.96 * error:.3f}, the worst of the rounds"
            expect_at_most(
                f"worse than nothing, {table_kind}, {players} players", worst_details, worst_loss - log(players), 0
            )
        forecasts = [
            (chance, seat == position.winner) for position in positions for seat, chance in enumerate(position.chances)
        ]
        have_won = [won for chance, won in forecasts if chance > LIKELY_CHANCE]
        share, seat_count = fmean(have_won), f"{len(have_won)} seats"
        expect_at_least(f"shown over {LIKELY_CHANCE:.0%}, happened, {table_kind}", seat_count, share, WIN_SHARES[0])
        expect_at_most(f"shown over {LIKELY_CHANCE:.0%}, happened, {table_kind}", seat_count, share, WIN_SHARES[1])


def loss_over_matches(positions: Sequence[PredictedPosition], weight: float | None = None) -> tuple[float, float, int]:
    """The mean log-loss of games, its standard error, and their number: of the chances, or of points with a weight."""
    losses_by_match = dict[int, list[float]]()
    for position in positions:
        losses_by_match.setdefault(position.match, []).append(
            position.loss if weight is None else gap_loss(position, weight)
        )
    means = [fmean(losses) for losses in losses_by_match.values()]
    return fmean(means), pstdev(means) / len(means) ** 0.5, len(means)


def recorded_positions(document: Document) -> list[Any]:
    """The positions of a recorded game."""
    game, (moves, last_state) = load("zimbabwe", GAMES), replay(document)
    seat_moves = [(seat, command) for _, seat, command in moves]
    return list(position_samples(game, moves[0][0], seat_moves, game.evolution.outcome(last_state).winners))


def predicted_positions(game: Game, number: int, rows: Iterable[Any]) -> Iterator[PredictedPosition]:
    """The positions of a match, with the model's chances."""
    trained_model: Model = load_model(chance_features(game))
    gap_index = trained_model.features.index(POINTS_FEATURES[game.name])
    for row in rows:
        features_by_seat = {str(seat): x for seat, x in enumerate(row.x)}
        predicted_chances = [chance.mean for chance in trained_model.chances(features_by_seat).values()]
        yield PredictedPosition(row.round, number, [x[gap_index] for x in row.x], predicted_chances, row.winner)


def print_tables(positions: Sequence[PredictedPosition], game_name: str, goals: Mapping[str, float] = GOALS) -> None:
    """Prints the tables."""
    print("  players  rounds  games  positions  uniform   points  chances  error")
    for players in (2, 3, 4, 5):
        for name, rounds in ROUND_RANGES[game_name].items():
            round_positions = [
                position for position in positions if len(position.chances) == players and position.round in rounds
            ]
            if round_positions:
                loss, games = (
                    fmean(position.loss for position in round_positions),
                    {position.match for position in round_positions},
                )
                means = [
                    fmean(position.loss for position in round_positions if position.match == match) for match in games
                ]
                error = pstdev(means) / len(means) ** 0.5
                details = f"{log(players):7.3f}  {least_gap_loss(round_positions):7.3f}  {loss:7.3f}  {error:5.3f}"
                print(f"  {players:7}  {name:>6}  {len(games):5}  {len(round_positions):9}  {details}")
    print("  shown       mean  happened  seats")
    forecasts = [
        (chance, seat == position.winner) for position in positions for seat, chance in enumerate(position.chances)
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
    for name, goal in goals.items() if game_name == "zimbabwe" else ():
        losses = [
            position.loss
            for position in positions
            if len(position.chances) == 4 and position.round in ROUND_RANGES[game_name][name]
        ]
        if losses:
            comparison = f"a first model {goal:.2f}, uniform {log(4):.3f}"
            expect_at_most(f"log-loss of 4 players, rounds {name}", comparison, fmean(losses), 0.9 * goal)


def least_gap_loss(positions: Sequence[PredictedPosition]) -> float:
    """The least log-loss that VP - VR alone can reach."""
    weight = gap_weight(positions)
    return fmean(gap_loss(position, weight) for position in positions)


def gap_weight(positions: Sequence[PredictedPosition]) -> float:
    """The weight of VP - VR with the least log-loss."""
    weights = [step / 40 for step in range(41)]
    return min(weights, key=lambda weight: fmean(gap_loss(position, weight) for position in positions))


def gap_loss(position: PredictedPosition, weight: float) -> float:
    """The log-loss of the winner by VP - VR alone."""
    return log_loss(softmax([weight * gap for gap in position.gaps])[position.winner])
