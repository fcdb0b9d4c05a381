"""Benchmarks the judgement of turns: are better bots judged to play better, and are blunders found?

The positions are from games of quick bots that were not used for training. Then it measures times: a whole game, a
hint, and the gain from two workers.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from random import Random
from statistics import fmean, stdev
from typing import Any, NamedTuple

from scripts.shared.measure import CORES, expect_at_least, expect_at_most, play_demo, seconds
from zimcore.analysis.hint import hint_answer
from zimcore.analysis.judgement import DEFAULT_NODES, FINDING_DIVISOR, MAX_PLAYOUTS, rank_turns
from zimcore.analysis.judging import judge_turn, paired_playouts
from zimcore.analysis.match_analysis import analyse_match, iter_decisions
from zimcore.analysis.turns import Budget, CandidateTurn, is_same_turn, iter_turns
from zimcore.bots.bot import view_for
from zimcore.bots.bot_match import play_bots, start_state
from zimcore.bots.levels import QuickBot
from zimcore.bots.registry import load_level
from zimcore.chances import chances
from zimcore.game import Command
from zimcore.games.registry import GAMES
from zimcore.service import Position, open_service
from zimcore.service import game as game_of_kind

SEED, PLAYERS = 3001, 4
RIVAL_COUNT, UNLIMITED_BUDGET = 3, 10**9
"""How many of the best turns others are compared with, and a budget that is never used up."""
REGRET_POSITIONS, PLANTED_POSITIONS, HINT_POSITIONS, WORKER_DECISIONS = 96, 96, 20, 16
"""The numbers of positions: to compare bots, to plant blunders, to ask for hints, and to compare workers."""
SHORT_DIVISOR = 8
"""The short form divides `REGRET_POSITIONS` and `PLANTED_POSITIONS` by this."""
BOTS = {"random": 0, "quick": 0, "strong": 0, "deep": 6000}
"""The bots whose turns are compared, with their budget of positions per command; 0 means no limit."""
TENTH_BEST, BLUNDER_LOSS, NEGLIGIBLE_LOSS = 9, 0.15, 0.02
"""The index of the turn to plant; the loss that surely makes it a blunder, by separate playouts; the loss below which
it is surely as good as the best.
"""
GRAVE_VERDICTS = ("mistake", "blunder")


class TurnStart(NamedTuple):
    """The beginning of a seat's turn: the number of a game, and of commands played."""

    game: int
    command_count: int


def bench(folder: Path, is_long: bool = False) -> None:
    """Runs all measurements, in the short form with fewer positions."""
    with ProcessPoolExecutor(CORES) as pool:
        divisor = 1 if is_long else SHORT_DIVISOR
        print_losses(list(pool.map(losses_by_bot, sample_turn_starts(REGRET_POSITIONS // divisor))))
        print_planted(list(pool.map(judge_poor_turns, sample_turn_starts(PLANTED_POSITIONS // divisor))))
    time_hints()
    time_whole_game(folder, CORES)


def sample_turn_starts(count: int) -> list[TurnStart]:
    """`count` positions, each in a different game."""
    return [TurnStart(number, Random(f"{SEED} {number}").randrange(20, 130)) for number in range(count)]


def position_at(turn_start: TurnStart) -> tuple[Any, Any, str]:
    """The game, the first state from `turn_start` on where a turn begins, and the seat to move."""
    game = game_of_kind("zimbabwe", GAMES)
    options, seed = {"players": str(PLAYERS)}, SEED + turn_start.game
    match = play_bots(game, [(QuickBot(), 0)] * PLAYERS, options, seed, 300)
    turn_start_state = state = start_state(game, options, seed)
    for index, (seat, command) in enumerate(match.moves):
        if (
            index >= min(turn_start.command_count, len(match.moves) - 20)
            and state.phase == "actions"
            and turn_start_state is state
        ):
            break
        state_before, state = state, game.rules.apply(state, seat, command).state
        turn_start_state = turn_start_state if is_same_turn(game, state_before, state) else state
    return game, state, game.evolution.to_move(state)[0]


def play_turn(game: Any, state: Any, seat: str, bot_name: str, nodes: int) -> CandidateTurn:
    """The commands that a bot plays until its turn is over."""
    commands, start_of_turn, rng = list[Command](), state, Random(f"{SEED} {bot_name}")
    while not commands or is_same_turn(game, start_of_turn, state):
        command = load_level(bot_name).choose(view_for(game, state, seat), nodes, rng).command
        commands.append(command)
        state = game.rules.apply(state, seat, command).state
    return CandidateTurn(tuple(commands), state, chances(game, state))


class TurnLoss(NamedTuple):
    """What a turn gives away, with its standard error."""

    mean: float
    error: float


def turn_losses(
    game: Any,
    state: Any,
    seat: str,
    candidates: Sequence[CandidateTurn],
    ranked_turns: Sequence[CandidateTurn],
    playout_count: int,
) -> list[TurnLoss]:
    """What turns give away against the best of them and of `ranked_turns`, by playouts alone.

    Half of the playouts choose the best turn, the other half measure the losses.
    """
    ends_by_turn = paired_playouts(
        game, state, seat, [*candidates, *ranked_turns[:RIVAL_COUNT]], SEED, Budget(UNLIMITED_BUDGET), playout_count
    )
    chances_by_turn = [[end_chances[seat] for end_chances in turn_ends] for turn_ends in ends_by_turn]
    best_chances = max(chances_by_turn, key=lambda turn_chances: fmean(turn_chances[: playout_count // 2]))
    losses_by_turn = (
        [best_chance - chance for chance, best_chance in zip(turn_chances, best_chances, strict=True)][
            playout_count // 2 :
        ]
        for turn_chances in chances_by_turn[: len(candidates)]
    )
    return [TurnLoss(fmean(losses), stdev(losses) / len(losses) ** 0.5) for losses in losses_by_turn]


def losses_by_bot(turn_start: TurnStart) -> dict[str, float]:
    """What each bot gives away at a place."""
    game, state, seat = position_at(turn_start)
    turns = [play_turn(game, state, seat, name, nodes) for name, nodes in BOTS.items()]
    ranked_turns = rank_turns(
        [*iter_turns(game, state, seat, Budget(DEFAULT_NODES), DEFAULT_NODES // FINDING_DIVISOR)], seat
    )
    return dict(
        zip(
            BOTS,
            (turn_loss.mean for turn_loss in turn_losses(game, state, seat, turns, ranked_turns, MAX_PLAYOUTS)),
            strict=True,
        )
    )


def print_losses(losses_at_positions: Sequence[dict[str, float]]) -> None:
    """Prints what each bot gives away per turn, on the same positions."""
    print(f"points given away a turn, {len(losses_at_positions)} positions, the same for all, one standard error")
    for name in BOTS:
        losses = [100 * bot_losses[name] for bot_losses in losses_at_positions]
        print(f"  {name:8} {fmean(losses):6.1f} ±{stdev(losses) / len(losses) ** 0.5:.1f}")
    for worse_bot, better_bot in (("quick", "strong"), ("strong", "deep")):
        differences = [100 * (bot_losses[worse_bot] - bot_losses[better_bot]) for bot_losses in losses_at_positions]
        error = stdev(differences) / len(differences) ** 0.5
        expect_at_least(
            f"points that {worse_bot} gives away more than {better_bot}", f"±{error:.1f}", fmean(differences), 0
        )


class PlantedTurn(NamedTuple):
    """A turn played instead of the best one: what it gives away by many playouts, and the analysis's verdict."""

    loss: TurnLoss
    verdict: str

    @property
    def is_blunder(self) -> bool:
        """Whether it is a blunder by more than one standard error."""
        return self.loss.mean - self.loss.error >= BLUNDER_LOSS


def judge_poor_turns(turn_start: TurnStart) -> dict[str, PlantedTurn]:
    """Judges the tenth best turn, and the best of the turns that look like a blunder, if there are any.

    Many turns are nearly as good as the best, so the tenth best is often no blunder.
    """
    game, state, seat = position_at(turn_start)
    ranked_turns = rank_turns(
        [*iter_turns(game, state, seat, Budget(DEFAULT_NODES), DEFAULT_NODES // FINDING_DIVISOR)], seat
    )
    chance_limit = ranked_turns[0].chances[seat].mean - BLUNDER_LOSS
    poor_turns = (turn for turn in ranked_turns if turn.chances[seat].mean <= chance_limit)
    turns_to_plant = {
        "the tenth best": ranked_turns[TENTH_BEST : TENTH_BEST + 1],
        "what looks like a blunder": [*poor_turns][:1],
    }
    planted_turns = {name: turn for name, turns in turns_to_plant.items() for turn in turns}
    losses = turn_losses(game, state, seat, [*planted_turns.values()], ranked_turns, 2 * MAX_PLAYOUTS)
    verdicts = [judge_turn(game, state, seat, turn.commands, turn.end_state).word for turn in planted_turns.values()]
    return dict(zip(planted_turns, map(PlantedTurn, losses, verdicts), strict=True))


def print_planted(turns_at_positions: Sequence[dict[str, PlantedTurn]]) -> None:
    """Prints how many planted blunders are found, and how often a good turn is called a mistake."""
    planted_turns = [turn for turns in turns_at_positions for turn in turns.values()]
    for name in dict.fromkeys(name for turns in turns_at_positions for name in turns):
        turns = [turns_by_name[name] for turns_by_name in turns_at_positions if name in turns_by_name]
        verdicts = [turn.verdict for turn in turns if turn.is_blunder]
        loss = 100 * fmean(turn.loss.mean for turn in turns)
        print(f"{name} planted in {len(turns)} positions: {loss:.1f} points given away")
        print(f"  {len(verdicts)} blunders, {sum(map(bool, verdicts))} found")
    verdicts = [turn.verdict for turn in planted_turns if turn.is_blunder]
    if verdicts:
        expect_at_least(
            "blunders that were planted and found", f"of {len(verdicts)}", sum(map(bool, verdicts)) / len(verdicts), 0.9
        )
        expect_at_least(
            "of them called mistakes or blunders",
            "",
            sum(verdict in GRAVE_VERDICTS for verdict in verdicts) / len(verdicts),
            0.9,
        )
    good_turns = [turn for turn in planted_turns if turn.loss.mean + turn.loss.error < NEGLIGIBLE_LOSS]
    if good_turns:
        turns_text = f"{len(good_turns)} turns that give away less than {NEGLIGIBLE_LOSS:.0%}"
        print(f"of {turns_text} {sum(bool(turn.verdict) for turn in good_turns)} got a verdict")


def time_hints() -> None:
    """Prints how long a hint takes."""
    times = []
    for turn_start in sample_turn_starts(HINT_POSITIONS):
        game, state, _ = position_at(turn_start)
        service = open_service("memory:")
        first_position = service.new("zimbabwe", {"players": str(PLAYERS), "seed": "1"}, name="k", by="bench")
        sampled_position = Position(first_position.match, first_position.line, first_position.commit, state, game)
        times.append(seconds(partial(hint_answer, sampled_position)))
    details = f"mean {fmean(times):.2f} s, load {os.getloadavg()[0]:.1f}"
    expect_at_most("seconds of a hint, the longest", details, max(times), 2)


def time_whole_game(folder: Path, workers: int) -> None:
    """Prints how long the demo's game takes, and its first turns with one worker and with several."""
    url = f"sqlite:///{folder}/games.db"
    play_demo(url)
    with (service := open_service(url)).store:
        game, commits = service.position("demo").game, service.log("demo")
    last_numbers = [decision.last for decision, _, _ in iter_decisions(game, commits)]

    def analyse_decisions(last_number: int, worker_count: int) -> None:
        for _ in analyse_match(game, commits[: last_number + 1], DEFAULT_NODES, 0, worker_count):
            pass

    duration = seconds(partial(analyse_decisions, last_numbers[-1], workers))
    details = f"{len(last_numbers)} turns and bids, {workers} workers, load {os.getloadavg()[0]:.1f}"
    expect_at_most("seconds of a game of four", details, duration, 180)
    one_worker_time, all_workers_time = (
        seconds(partial(analyse_decisions, last_numbers[WORKER_DECISIONS - 1], worker_count))
        for worker_count in (1, workers)
    )
    expect_at_least(
        f"times as fast with {workers} workers as with one",
        f"{one_worker_time:.1f} and {all_workers_time:.1f} s",
        one_worker_time / all_workers_time,
        1,
    )
