"""Matches between bots, without a store."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from random import Random
from typing import Any, get_args, get_type_hints

import msgspec

from zimcore.bots.bot import FAILURE_HINTS, Bot, Choice, Thinker, ThinkingProgress, View, Waiter, view_for
from zimcore.bots.registry import ConfiguredBot
from zimcore.game import Accepted, Command, Deal, Event, Game, GameError, Outcome, Seat
from zimcore.toolkit.progress import ReportProgress, ignore_progress

MAX_COMMANDS = 5_000
"""The most commands in a match; a longer one is cut off."""


class PlayedMatch(msgspec.Struct, frozen=True):
    """A match that was played: its moves, outcome and last state, and the CPU seconds of each seat's bot."""

    seed: int
    seats: tuple[Seat, ...]
    moves: tuple[tuple[Seat, Command], ...]
    outcome: Outcome
    state: Any
    seconds: Mapping[Seat, float]


def play_configured_bots(
    game: Game, configured_bots: Sequence[ConfiguredBot], options: Mapping[str, str], seed: int
) -> PlayedMatch:
    """Plays a whole match, with the first bot at the first seat. Raises `GameError` if a bot's command is illegal."""
    return play_bots(game, [(each.bot, each.nodes) for each in configured_bots], options, seed)


def play_bots(
    game: Game, bots: Sequence[tuple[Bot, int]], options: Mapping[str, str], seed: int, max_commands: int = MAX_COMMANDS
) -> PlayedMatch:
    """Plays a match between bots with their budgets, for at most `max_commands` commands."""
    state = start_state(game, options, seed)
    seats, moves = game.evolution.seats(state), list[tuple[Seat, Command]]()
    if len(seats) != len(bots):
        problem = f"{len(bots)} bots can't play this match of {game.title}"
        raise GameError(problem, f"it has {len(seats)} seats", [f"--players {len(seats)}"])
    bot_by_seat, seconds = dict(zip(seats, bots, strict=True)), dict.fromkeys(seats, 0.0)
    while (to_move := game.evolution.to_move(state)) and len(moves) < max_commands:
        seat, start_seconds = to_move[0], time.process_time()
        choice, state = choose_command(game, state, seat, *bot_by_seat[seat], random_seed=f"{seed} {len(moves)}")
        seconds[seat] += time.process_time() - start_seconds
        moves.append((seat, choice.command))
    return PlayedMatch(seed, seats, tuple(moves), game.evolution.outcome(state), state, seconds)


def start_state(game: Game, options: Mapping[str, str], seed: int) -> Any:
    """The position after the set-up."""
    return game.rules.apply(game.evolution.initial(), "", game.rules.set_up(options, seed)).state


def choose_command(game: Game, state: Any, seat: Seat, bot: Bot, nodes: int, random_seed: str) -> tuple[Choice, Any]:
    """A bot's choice, and the state after it. Raises `GameError` if the bot fails, or if its command is illegal."""
    choice = think(bot, view_for(game, state, seat), nodes, random_seed)
    decision = game.rules.decide(state, seat, choice.command)
    if not isinstance(decision, Accepted):
        reasons = "; ".join(refusal.reason for refusal in decision.refusals)
        raise GameError(f"the bot of {seat} can't play {game.notation.format(choice.command)}", reasons, ["legal"])
    return choice, decision.state


def think(bot: Bot, view: View, nodes: int, random_seed: str, report: ReportProgress = ignore_progress) -> Choice:
    """A bot's choice. Raises `GameError` if the bot fails.

    Calls `report` with the progress of a `Thinker`, and while a `Waiter` waits; an exception from it stops the bot.
    """
    if isinstance(bot, Waiter):
        bot.on_wait = lambda: report(0, 0)
    for progress in thinking_steps(bot, view, nodes, Random(random_seed)):
        report(progress.nodes_searched, progress.nodes_planned)
    return progress.choice


def thinking_steps(bot: Bot, view: View, nodes: int, rng: Random) -> Iterator[ThinkingProgress]:
    """Yields a bot's progress, at least once; the last one has its choice."""
    try:
        if isinstance(bot, Thinker):
            yield from bot.search_steps(view, nodes, rng)
            return
        choice = bot.choose(view, nodes, rng)
        command_types = playable_types(view.game.evolution.EVENTS[0])
        if not isinstance(choice, Choice) or not isinstance(choice.command, command_types):
            raise TypeError(f"it returned {choice!r:.80}, not a choice of a command")
        yield ThinkingProgress(0, 0, choice)
    except GameError:
        raise
    except Exception as error:  # a bot may raise anything
        problem = f"the bot of {view.seat} has failed"
        raise GameError(problem, f"{type(error).__name__}: {error}", FAILURE_HINTS) from error


@cache
def playable_types(played_event: type[Event]) -> tuple[type[Command], ...]:
    """The command types that a seat can play: those that the game's `Played` event declares, without deals.

    If it declares none, any `Command`.
    """
    annotation = get_type_hints(played_event)["command"]
    command_types = [
        command_type
        for command_type in get_args(annotation) or (annotation,)
        if isinstance(command_type, type) and issubclass(command_type, Command)
    ]
    return tuple(command_type for command_type in command_types if not issubclass(command_type, Deal)) or (Command,)
