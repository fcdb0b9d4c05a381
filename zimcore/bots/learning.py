"""Learns a game by playing it against itself: which figures make a seat win, and how far playouts should look.

The first games are played at random, the next by programs that use what was learned so far and sometimes play at
random. Then games against the program that has learned nothing choose how early playouts are cut off. Other games, also
against random players, must prove that this is better: without proof playouts go to their end, as before.

A game depends only on its number and the games before, so that learning can be stopped and resumed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from statistics import fmean, stdev
from typing import Any

import msgspec

from zimcore.bots.bot import Bot, Choice, View
from zimcore.bots.bot_match import play_bots, start_state
from zimcore.bots.levels import RandomBot
from zimcore.game import Game, GameError
from zimcore.toolkit.learned import LearnedModel, features, fit_weights, learned_file
from zimcore.toolkit.monte_carlo import MonteCarloStrategy, Playouts
from zimcore.toolkit.progress import ReportProgress
from zimcore.toolkit.words import numbered

GAMES_PER_GENERATION = 100
"""After how many games the weights are learned again."""
POSITIONS_PER_GAME = 8
"""How many positions of a game are learned from."""
LEARNING_NODES = 150
"""Positions that a program searches for a command while it learns."""
RANDOM_COMMAND_SHARE = 0.25
"""How often a program plays at random while it learns."""
MAX_COMMANDS = 600
"""The most commands of a game to learn from."""
FIRST_TEST_DEAL, TEST_DEALS = 1_000_000, 8
"""The first deal that no game learned from, and on how many deals each cut-off is tested, at each seat."""
PROOF_DEALS = 24
"""On how many further deals the chosen cut-off must prove better, at each seat and against each opponent."""
PROOF_ERRORS = 1.645
"""How many standard errors a share must lie above a fair one: 95 % of the normal distribution lies below."""


class Sample(msgspec.Struct, frozen=True):
    """A position: the features of each seat, and its share of the victory in the end."""

    features: tuple[dict[str, float], ...]
    shares: tuple[float, ...]


class MatchShare(msgspec.Struct, frozen=True):
    """A share of the victories in `games` games, and its standard error. Equal players would have `fair_share`."""

    share: float
    error: float
    fair_share: float
    games: int

    @property
    def is_better(self) -> bool:
        """Whether it is above a fair share by more than luck explains, with a confidence of 95 %."""
        return self.share - PROOF_ERRORS * self.error > self.fair_share


class LearningResult(msgspec.Struct, frozen=True):
    """What learning gave: the weights, and what they won against programs that learned nothing and random players.

    `against_random` is None where the first match proved nothing, so that no second one was played.
    """

    learned_model: LearnedModel
    against_unlearned: MatchShare
    against_random: MatchShare | None = None

    @property
    def is_proven(self) -> bool:
        """Whether it plays better than both."""
        return self.against_unlearned.is_better and self.against_random is not None and self.against_random.is_better


def learn_game(game: Game, options: Mapping[str, str], game_count: int, report: ReportProgress) -> LearningResult:
    """Plays and learns. A file beside the game keeps the games, to resume.

    Raises `GameError` if the game has a strategy of its own, if nothing can be learned, or if it can't be written.
    """
    if not isinstance(game.strategy, MonteCarloStrategy):
        raise GameError(f"{game.name} needs no learning", "it has a strategy of its own", ["arena quick random"])
    seat_count = len(game.evolution.seats(start_state(game, options, 0)))
    test_games = (len(playout_limits(seat_count)) * TEST_DEALS + 2 * PROOF_DEALS) * seat_count
    total_games = game_count + test_games
    try:
        samples_by_game = play_games(
            game, options, game_count, seat_count, lambda games_played: report(games_played, total_games)
        )
        weights = fit_weights(training_rows(samples_by_game))
        if not any(weights.values()):
            raise GameError(
                f"nothing can be learned of {game.title}",
                "no shown value of a seat is a number",
                ["check GAME"],
            )
        return best_learning_result(
            game, options, weights, game_count, lambda games_played: report(game_count + games_played, total_games)
        )
    except OSError as error:
        why, hint = error.strerror or str(error), "install it from a folder of yours: pip install --editable FOLDER"
        raise GameError(f"the file beside {game.title} can't be written", why, [hint]) from error


def play_games(
    game: Game, options: Mapping[str, str], game_count: int, seat_count: int, report: Callable[[int], None]
) -> list[list[Sample]]:
    """The games against itself: those that the file has, and new ones, which are added to it."""
    games_path = games_file(game, options)
    lines = (
        games_path.read_text("utf-8").split("\n")[:-1] if games_path.exists() else []
    )  # without a line that was cut off
    games_path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    samples_by_game = [msgspec.json.decode(line, type=list[Sample]) for line in lines[:game_count]]
    learned_model = None
    with games_path.open("a", encoding="utf-8") as file:
        for number in range(len(samples_by_game), game_count):
            if number >= GAMES_PER_GENERATION and (learned_model is None or number % GAMES_PER_GENERATION == 0):
                weights = fit_weights(training_rows(samples_by_game[: number - number % GAMES_PER_GENERATION]))
                learned_model = to_learned_model(game, weights, seat_count, number)
            samples_by_game.append(sample_match(game, options, number, learned_model))
            file.write(msgspec.json.encode(samples_by_game[-1]).decode() + "\n")
            file.flush()
            report(number + 1)
    return samples_by_game


def games_file(game: Game, options: Mapping[str, str]) -> Path:
    """The file with the games: of this version, and these options."""
    option_text = "".join(f"-{key}-{value}" for key, value in sorted(options.items()))
    return learned_file(game).with_suffix(f".{game.version}{option_text}.games")


def playout_limits(seat_count: int) -> Sequence[int]:
    """After how many commands playouts are cut off, to see which is best: when all others have played, and later."""
    return max(seat_count - 1, 1), 2 * seat_count


def training_rows(
    samples_by_game: Sequence[Sequence[Sample]],
) -> list[tuple[Sequence[Mapping[str, float]], Sequence[float]]]:
    """All positions in the form that `fit_weights` takes."""
    return [(sample.features, sample.shares) for samples in samples_by_game for sample in samples]


def to_learned_model(game: Game, weights: Mapping[str, float], max_commands: int, game_count: int) -> LearnedModel:
    """Weights as they are stored."""
    made_by = f"{numbered(game_count, 'game')} against itself"
    return LearnedModel(game.name, game.version, tuple(weights), tuple(weights.values()), max_commands, made_by)


def sample_match(
    game: Game, options: Mapping[str, str], number: int, learned_model: LearnedModel | None
) -> list[Sample]:
    """Some positions of a game against itself: at random, or by programs with what was learned so far."""
    rng, strategy = Random(f"learn/{number}"), StrategyBot(game, learned_model).strategy
    state, states = start_state(game, options, number), list[Any]()
    while (to_move := game.evolution.to_move(state)) and len(states) < MAX_COMMANDS:
        seat = to_move[0]
        if learned_model is None or rng.random() < RANDOM_COMMAND_SHARE:
            command = game.rules.legal(state, seat).sample(rng)
        else:
            command = strategy.search(state, seat, LEARNING_NODES)[0].command
        state = game.rules.apply(state, seat, command).state
        states.append(state)
    outcome = game.evolution.outcome(state)
    seats = game.evolution.seats(state)
    shares = tuple(outcome.victory(seat) for seat in seats)
    if not outcome.over or not sum(shares):
        return []
    sampled_states = rng.sample(states[:-1], min(POSITIONS_PER_GAME, len(states) - 1))
    return [Sample(tuple(features(game, position)[seat] for seat in seats), shares) for position in sampled_states]


def best_learning_result(
    game: Game, options: Mapping[str, str], weights: Mapping[str, float], game_count: int, report: Callable[[int], None]
) -> LearningResult:
    """The best cut-off with the weights, and what it proves on deals that had no part in choosing it."""
    seat_count = len(game.evolution.seats(start_state(game, options, 0)))
    games_played = 0

    def play_test(bot: Bot, opponent: Bot, first_deal: int, deals: int) -> MatchShare:
        nonlocal games_played
        shares = list[float]()
        for share in victory_shares(game, options, (bot, opponent), seat_count, range(first_deal, first_deal + deals)):
            shares.append(share)
            games_played += 1
            report(games_played)
        return MatchShare(fmean(shares), stdev(shares) / len(shares) ** 0.5, 1 / seat_count, len(shares))

    unlearned_bot = StrategyBot(game, None)
    models = [to_learned_model(game, weights, limit, game_count) for limit in playout_limits(seat_count)]
    tests = [play_test(StrategyBot(game, model), unlearned_bot, FIRST_TEST_DEAL, TEST_DEALS) for model in models]
    test, model = max(zip(tests, models, strict=True), key=lambda pair: pair[0].share)
    result = LearningResult(model, test)
    if test.share > test.fair_share:
        bot, proof_deal = StrategyBot(game, model), FIRST_TEST_DEAL + TEST_DEALS
        proof = play_test(bot, unlearned_bot, proof_deal, PROOF_DEALS)
        random_proof = play_test(bot, RandomBot(), proof_deal, PROOF_DEALS) if proof.is_better else None
        result = LearningResult(model, proof, random_proof)
    return result if result.is_proven else msgspec.structs.replace(result, learned_model=_without_cut_off(model))


def _without_cut_off(model: LearnedModel) -> LearnedModel:
    return msgspec.structs.replace(model, commands=0)


class StrategyBot:
    """A bot that searches with a given strategy, whatever the game's own is."""

    def __init__(self, game: Game, learned_model: LearnedModel | None) -> None:
        self.strategy = MonteCarloStrategy(Playouts(game, learned_model))

    def choose(self, view: View, nodes: int, rng: Random) -> Choice:
        """The best command by playouts of about `nodes` positions."""
        return Choice(self.strategy.search(view.state, view.seat, nodes)[0].command)


def victory_shares(
    game: Game, options: Mapping[str, str], bots: tuple[Bot, Bot], seat_count: int, deals: Sequence[int]
) -> Iterator[float]:
    """The first bot's share of each victory: on each deal once at each seat, with the second bot at all others."""
    challenger, opponent = bots
    for deal in deals:
        for challenger_index in range(seat_count):
            seated_bots = [
                (challenger if index == challenger_index else opponent, LEARNING_NODES) for index in range(seat_count)
            ]
            match = play_bots(game, seated_bots, options, deal, MAX_COMMANDS)
            yield match.outcome.victory(match.seats[challenger_index])
