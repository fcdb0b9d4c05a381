"""Learns a game by playing it against itself: which figures make a seat win, and how far playouts should look.

The first games are played at random, the next by programs that use what was learned so far and sometimes play at
random. Then games against the program that has learned nothing decide how early playouts are cut off, or whether they
are played to their end as before.

A game depends only on its number and the games before, so that learning can be stopped and resumed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random
from statistics import fmean, stdev
from typing import Any

import msgspec

from zimcore.bots.bot import Choice, View
from zimcore.bots.bot_match import play_with, start_state
from zimcore.bots.levels import search
from zimcore.game import Game, GameError
from zimcore.toolkit.learned import Learned, features, fit_weights, learned_file
from zimcore.toolkit.monte_carlo import MonteCarloStrategy, Playouts
from zimcore.toolkit.words import numbered

GENERATION = 100
"""After how many games the weights are learned again."""
POSITIONS = 8
"""How many positions of a game are learned from."""
NODES = 150
"""Positions that a program searches for a command while it learns."""
WAVERS = 0.25
"""How often a program plays at random while it learns."""
LONGEST = 600
"""The most commands of a game to learn from."""
UNSEEN, DEALS = 1_000_000, 8
"""The first deal that no game learned from, and how many deals each way to use what was learned gets, at each seat."""


class Sample(msgspec.Struct, frozen=True):
    """A position: the features of each seat, and its share of the victory in the end."""

    features: tuple[dict[str, float], ...]
    shares: tuple[float, ...]


class Lesson(msgspec.Struct, frozen=True):
    """What learning gave: the weights, and the share of victories over programs that learned nothing.

    `share` is from `games` games in which a fair share is `fair`; `error` is its standard error.
    """

    learned: Learned
    share: float
    error: float
    fair: float
    games: int


def learn(game: Game, options: Mapping[str, str], games: int, report: Callable[[int, int], None]) -> Lesson:
    """Plays and learns, and writes the file beside the game. A file next to it keeps the games, to go on there.

    Raises `GameError` if the game has a strategy of its own, if nothing can be learned, or if no file can be written.
    """
    if not isinstance(game.strategy, MonteCarloStrategy):
        raise GameError(f"{game.name} needs no learning", "it has a strategy of its own", ["arena quick random"])
    seats = len(game.evolution.seats(start_state(game, options, 0)))
    total = games + len(used(seats)) * DEALS * seats
    try:
        samples = play_games(game, options, games, seats, lambda done: report(done, total))
        weights = fit_weights(rows(samples))
        if not any(weights.values()):
            raise GameError(
                f"nothing can be learned of {game.title}", "no figure of a seat is a number", ["check GAME"]
            )
        lesson = best(game, options, weights, games, lambda done: report(games + done, total))
        learned_file(game).write_bytes(msgspec.json.format(msgspec.json.encode(lesson.learned)) + b"\n")
    except OSError as error:
        why, hint = error.strerror or str(error), "install it from a folder of yours: pip install --editable FOLDER"
        raise GameError(f"the file beside {game.title} can't be written", why, [hint]) from error
    return lesson


def play_games(
    game: Game, options: Mapping[str, str], games: int, seats: int, report: Callable[[int], None]
) -> list[list[Sample]]:
    """The games against itself: those that the file has, and new ones, which are added to it."""
    store = games_file(game, options)
    lines = store.read_text("utf-8").split("\n")[:-1] if store.exists() else []  # without a line that was cut off
    store.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    samples = [msgspec.json.decode(line, type=list[Sample]) for line in lines[:games]]
    model = None
    with store.open("a", encoding="utf-8") as file:
        for number in range(len(samples), games):
            if number >= GENERATION and (model is None or number % GENERATION == 0):
                weights = fit_weights(rows(samples[: number - number % GENERATION]))
                model = learned_as(game, weights, seats, number)
            samples.append(sample_match(game, options, number, model))
            file.write(msgspec.json.encode(samples[-1]).decode() + "\n")
            file.flush()
            report(number + 1)
    return samples


def games_file(game: Game, options: Mapping[str, str]) -> Path:
    """The file with the games: of this version, and these options."""
    option_text = "".join(f"-{key}-{value}" for key, value in sorted(options.items()))
    return learned_file(game).with_suffix(f".{game.version}{option_text}.games")


def used(seats: int) -> Sequence[int]:
    """After how many commands playouts are cut off, to see which is best: when all others have played, and later."""
    return max(seats - 1, 1), 2 * seats


def rows(samples: Sequence[Sequence[Sample]]) -> list[tuple[Sequence[Mapping[str, float]], Sequence[float]]]:
    """All positions in the form that `fit_weights` takes."""
    return [(each.features, each.shares) for game in samples for each in game]


def learned_as(game: Game, weights: Mapping[str, float], commands: int, games: int) -> Learned:
    """Weights as they are stored."""
    made_by = f"{numbered(games, 'game')} against itself"
    return Learned(game.name, game.version, tuple(weights), tuple(weights.values()), commands, made_by)


def sample_match(game: Game, options: Mapping[str, str], number: int, model: Learned | None) -> list[Sample]:
    """Some positions of a game against itself: at random, or by programs with what was learned so far."""
    rng, strategy = Random(f"learn/{number}"), StrategyBot(game, model).strategy
    state, states = start_state(game, options, number), list[Any]()
    while (to_move := game.evolution.to_move(state)) and len(states) < LONGEST:
        seat = to_move[0]
        if model is None or rng.random() < WAVERS:
            command = game.rules.legal(state, seat).sample(rng)
        else:
            command = strategy.search(state, seat, NODES)[0].command
        state = game.rules.apply(state, seat, command).state
        states.append(state)
    outcome = game.evolution.outcome(state)
    seats = game.evolution.seats(state)
    shares = tuple(outcome.victory(seat) for seat in seats)
    if not outcome.over or not sum(shares):
        return []
    positions = rng.sample(states[:-1], min(POSITIONS, len(states) - 1))
    return [Sample(tuple(features(game, each)[seat] for seat in seats), shares) for each in positions]


def best(
    game: Game, options: Mapping[str, str], weights: Mapping[str, float], games: int, report: Callable[[int], None]
) -> Lesson:
    """The best way to use the weights, by games against programs that learned nothing."""
    seats = len(game.evolution.seats(start_state(game, options, 0)))
    lessons = list[Lesson]()
    for commands in used(seats):
        candidate = learned_as(game, weights, commands, games)
        bots = StrategyBot(game, candidate), StrategyBot(game, None)
        results = list[float]()
        for deal in range(DEALS):
            for seat in range(seats):
                results.append(share_of(game, options, bots, seat, seats, UNSEEN + deal))
                report(len(lessons) * DEALS * seats + len(results))
        error = stdev(results) / len(results) ** 0.5
        lessons.append(Lesson(candidate, fmean(results), error, 1 / seats, len(results)))
    lesson = max(lessons, key=lambda each: each.share)
    if lesson.share > lesson.fair:
        return lesson
    return msgspec.structs.replace(lesson, learned=msgspec.structs.replace(lesson.learned, commands=0))


class StrategyBot:
    """A bot that searches with a given strategy, whatever the game's own is."""

    def __init__(self, game: Game, learned_model: Learned | None) -> None:
        self.strategy = MonteCarloStrategy(Playouts(game, learned_model))

    def choose(self, view: View, nodes: int, rng: Random) -> Choice:
        """The best command by playouts of about so many positions."""
        return search(self.strategy, view, nodes)


def share_of(
    game: Game, options: Mapping[str, str], bots: tuple[StrategyBot, StrategyBot], seat: int, seats: int, seed: int
) -> float:
    """The first bot's share of a victory at one seat, with the second at all others."""
    table = [(bots[at != seat], NODES) for at in range(seats)]
    match = play_with(game, table, options, seed, LONGEST)
    return match.outcome.victory(match.seats[seat])
