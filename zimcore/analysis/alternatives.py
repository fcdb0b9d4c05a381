"""Compares alternatives to a turn: programs play each one on to the end many times.

Games are paired by their number: game 5 of each alternative has the same hidden cards, the same programs, and these
make the same random errors in each round. So it takes far fewer games to find a difference between two alternatives
than with independent games.

In other words: what-if analysis, rollout, Monte Carlo evaluation, paired difference.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from math import sqrt
from random import Random
from statistics import fmean, stdev
from typing import Any, NamedTuple

import msgspec

from zimcore.analysis.chance_figures import values_reader
from zimcore.analysis.match_analysis import to_plain
from zimcore.analysis.playouts import CHOICE_NOISE, MAX_TURN_COMMANDS
from zimcore.analysis.turns import QUICK, is_same_turn, turn_key
from zimcore.analysis.worlds import sample_world
from zimcore.bots.bot_match import MAX_COMMANDS, choose_command
from zimcore.bots.levels import state_after
from zimcore.bots.pools import make_pool
from zimcore.bots.process_pool import results_one_by_one
from zimcore.bots.registry import ConfiguredBot, parse_bot
from zimcore.commits import Commit, Position
from zimcore.documents.positions import seat_with_unseen_cards
from zimcore.game import Accepted, Command, Game, GameError, HiddenError, NotationError, RefusedError, Seat, parts
from zimcore.history.expression import ExpressionError, parse
from zimcore.history.sweep import is_pattern, matching_texts
from zimcore.service import game as game_of

MAX_ALTERNATIVES = 200
"""The most alternatives in one comparison."""
QUICK_SHARE = 0.2
"""For bots other than `quick`: the share of turns that `quick` plays instead, with random errors."""
MIN_GAMES_TO_DECIDE, GAMES_PER_CHECK = 16, 8
"""Games of each alternative before a decision is possible, and games between two checks."""
INTERVAL_STANDARD_ERRORS, DECISIVE_STANDARD_ERRORS = 1.96, 3.0
"""Standard errors of a 95 % interval, and of the lead that stops the games: more, since it is checked often."""


class AlternativeGame(msgspec.Struct, frozen=True, rename={"game_number": "number", "seat_commands": "played"}):
    """A game that programs have played from an alternative to its end. `alternative` is an index into the alternatives.

    `winners` are the winning seats. `values` holds the value of each expression at the end as a number (1 for true), or
    None if it was no number. `seat_commands` are what was played after the alternative, only in the first
    game.
    """

    alternative: int
    game_number: int
    winners: tuple[Seat, ...]
    values: tuple[float | None, ...]
    seat_commands: tuple[tuple[Seat, str], ...] = ()


class Comparison(NamedTuple):
    """A comparison: alternatives at a position, the bot that plays them on, how many games of each, and the seed.

    `commits` are those up to the position. `expressions` are those whose values at the ends are compared.
    """

    position: Position
    commits: Sequence[Commit]
    alternatives: Sequence[tuple[str, ...]]
    bot: ConfiguredBot
    games_each: int
    expressions: tuple[str, ...] = ()
    seed: int = 0


class GameTask(NamedTuple):
    """A game to play: the commits up to the position, the commands of the alternative, and how to play on.

    All tasks of a comparison share the bytes of `pickled_commits`: they are written and read once in each process.
    """

    game_name: str
    pickled_commits: bytes
    alternative: int
    commands: tuple[str, ...]
    bot: str
    seed: int
    game_number: int
    expressions: tuple[str, ...]

    @property
    def label(self) -> str:
        """A name for messages: `game 3 after bid 3`."""
        return f"game {self.game_number + 1} after {'; '.join(self.commands) or 'the position'}"


class Estimate(NamedTuple):
    """A mean over games, and half the width of its 95 % interval: None after one game."""

    mean: float
    margin: float | None


def check_can_play_on(position: Position) -> None:
    """Raises `GameError` where nobody is to move, and `HiddenError` where the hand of the seat to move is hidden."""
    if not position.to_move:
        raise GameError(position.place, "the game is over: there is no alternative", ["log", "undo"])
    if (seat := seat_with_unseen_cards(position)) is not None:
        raise HiddenError(f"the hand of {seat} is hidden, and programs would have to play it")


def expand_alternatives(position: Position, texts: Sequence[str]) -> list[tuple[str, ...]]:
    """The alternatives that texts stand for, as canonical commands: `bid 3`, `adore *`, `adore eshu; build d7; end`.

    Raises `GameError` for a text that is no command or matches no legal one, `RefusedError` for an illegal command.
    """
    alternatives = dict.fromkeys(
        tuple(command_texts)
        for text in texts
        for command_texts in _expand_commands(position, [*parts(position.game.notation, text)])
    )
    if len(alternatives) > MAX_ALTERNATIVES:
        limit_text = f"at most {MAX_ALTERNATIVES} are compared"
        raise GameError(
            f"these are {len(alternatives)} alternatives", limit_text, [f"legal {_position_text(position)}"]
        )
    return list(alternatives)


def _expand_commands(position: Position, texts: Sequence[str]) -> list[list[str]]:
    if not texts:
        return [[]]
    game, (text, *later_texts) = position.game, texts
    if not is_pattern(text):
        commands = [_parse_command(game, position, text)]
    else:
        mover_text, _, pattern = text.lower().rpartition(":")
        _check_mover(position, mover_text.strip(), text)
        commands = [
            _parse_command(game, position, command_text) for command_text in matching_texts(position, pattern.strip())
        ]
        if not commands:
            raise NotationError(text, "no legal command is like this", [f"legal {_position_text(position)}"])
    alternatives = list[list[str]]()
    for command in commands:
        decision = game.rules.decide(position.state, position.mover, command)
        if not isinstance(decision, Accepted):
            raise RefusedError(game.notation.format(command), decision)
        next_position = msgspec.structs.replace(position, state=decision.state)
        if later_texts and game.secrets and next_position.mover != position.mover:
            mover = next_position.mover
            why = f"then it is the turn of {mover}, whose cards are hidden" if mover else "then no seat is to move"
            raise GameError("; ".join([text, *later_texts]), why, [f"whatif {_position_text(position)} {text!r}"])
        alternatives += [
            [game.notation.format(command), *later_commands]
            for later_commands in _expand_commands(next_position, later_texts)
        ]
    return alternatives


def _position_text(position: Position) -> str:
    return f"{position.place}@{position.commit.number}"


def _parse_command(game: Game, position: Position, text: str) -> Command:
    seat, command = game.notation.parse(text, position.state)
    _check_mover(position, seat or "", text)
    parsed_command: Command = command
    return parsed_command


def _check_mover(position: Position, seat: str, text: str) -> None:
    if seat not in ("", position.mover):
        raise NotationError(
            text, f"it is the turn of {position.mover or 'no seat'}", [f"show {_position_text(position)}"]
        )


def play_to_end(
    game: Game, state: Any, bot: ConfiguredBot, game_number: int, seed: int
) -> tuple[Any, list[tuple[Seat, str]]]:
    """Plays a game to its end with programs in every seat. Returns the last state and the commands played."""
    seat_commands = list[tuple[Seat, Command]]()
    while (to_move := game.evolution.to_move(state)) and len(seat_commands) < MAX_COMMANDS:
        seat, turn_start = to_move[0], state
        rng = Random(f"{seed} {game_number} {seat} {turn_key(game, state)}")
        is_quick_turn = bot.level == "quick" or (game.strategy is not None and rng.random() < QUICK_SHARE)
        for _ in range(MAX_TURN_COMMANDS):
            if is_quick_turn:
                candidates = QUICK.evaluate_candidates(game, state, seat)
                plan = max(candidates, key=lambda candidate: candidate.value + rng.gauss(0, CHOICE_NOISE)).commands
                state = state_after(game, state, seat, plan)
            else:
                random_seed = f"{seed} {game_number} {len(seat_commands)}"
                choice, state = choose_command(game, state, seat, bot.bot, bot.nodes, random_seed)
                plan = (choice.command,)
            seat_commands += [(seat, command) for command in plan]
            if not is_same_turn(game, turn_start, state):
                break
    return state, [(seat, game.notation.format(command)) for seat, command in seat_commands]


def play_tasks(tasks: Sequence[GameTask]) -> list[AlternativeGame]:
    """Plays the games of these tasks. Worker processes call it."""
    return [_play_task(game_of(task.game_name), task) for task in tasks]


@lru_cache(maxsize=2)
def replay_commits(game_name: str, pickled_commits: bytes) -> Any:
    """The position after these commits, cached: change only copies of it."""
    game, plain_commits = game_of(game_name), pickle.loads(pickled_commits)  # noqa: S301 - written by our own process
    state = game.evolution.initial()
    for _, _, events in plain_commits:
        for event in events:
            game.evolution.evolve(state, event)
    return state


def _play_task(game: Game, task: GameTask) -> AlternativeGame:
    state = game.evolution.copy(replay_commits(task.game_name, task.pickled_commits))
    state = play_alternative(game, state, task)
    last_state, seat_commands = play_to_end(game, state, parse_bot(task.bot), task.game_number, task.seed)
    values = tuple(_expression_value(game, last_state, expression) for expression in task.expressions)
    return AlternativeGame(
        task.alternative,
        task.game_number,
        game.evolution.outcome(last_state).winners,
        values,
        tuple(seat_commands) if task.game_number == 0 else (),
    )


def play_alternative(game: Game, state: Any, task: GameTask) -> Any:
    """The position after the alternative, in a sampled world: the game's number decides what the hidden cards are.

    Stops before the first command that is illegal with those cards.
    """
    state = sample_world(game, state, game.evolution.to_move(state)[0], task.game_number, task.seed)
    for text in task.commands:
        seat = "".join(game.evolution.to_move(state)[:1])
        try:
            decision = game.rules.decide(state, seat, game.notation.parse(text, state)[1])
        except GameError:
            break
        if not isinstance(decision, Accepted):
            break
        state = decision.state
    return state


def _expression_value(game: Game, state: Any, expression: str) -> float | None:
    try:
        value = parse(expression).value(values_reader(expression)(game, state))
    except ExpressionError:  # such as a division by 0
        return None
    return float(value) if isinstance(value, (bool, int, float)) else None


RecallGame = Callable[[int, int], AlternativeGame | None]
KeepGame = Callable[[AlternativeGame], None]


def compare_alternatives(
    comparison: Comparison,
    workers: int = 1,
    cluster: str | None = None,
    recall: RecallGame = lambda alternative, game_number: None,
    keep: KeepGame = lambda game: None,
) -> Generator[AlternativeGame]:
    """Plays the first game of each alternative, then the second of each, and so on, until the best one is clear.

    Games that `recall` finds are not played again; each new game goes to `keep` at once. Close the generator to stop.
    """
    alternatives, seat = comparison.alternatives, comparison.position.mover
    schedule = list(product(range(comparison.games_each), range(len(alternatives))))
    recalled_games = {
        (game_number, alternative): game
        for game_number, alternative in schedule
        if (game := recall(alternative, game_number))
    }
    tasks = [
        task for task in iter_tasks(comparison, schedule) if (task.game_number, task.alternative) not in recalled_games
    ]
    games = list[AlternativeGame]()
    with make_pool(workers, cluster, play_tasks, len(tasks)) as pool:
        new_games = results_one_by_one(pool, tasks)
        for game_number, alternative in schedule:
            game = recalled_games.get((game_number, alternative))
            if game is None:
                game = next(new_games)
                keep(game)
            games.append(game)
            yield game
            if alternative == len(alternatives) - 1 and is_decided(
                games, len(alternatives), seat, 0 if comparison.expressions else -1
            ):
                return


def iter_tasks(comparison: Comparison, schedule: Iterable[tuple[int, int]]) -> Iterator[GameTask]:
    """A task for each game of a schedule, which has pairs of a game's number and its alternative."""
    game, bot = comparison.position.game, str(comparison.bot)
    pickled_commits = pickle.dumps([to_plain(commit) for commit in comparison.commits])
    for game_number, alternative in schedule:
        yield GameTask(
            game.name,
            pickled_commits,
            alternative,
            comparison.alternatives[alternative],
            bot,
            comparison.seed,
            game_number,
            comparison.expressions,
        )


def victory_share(game: AlternativeGame, seat: Seat) -> float:
    """A seat's share of the victory, from 0 to 1: winners share it equally."""
    return game.winners.count(seat) / len(game.winners) if game.winners else 0.0


def values_by_game(
    games: Sequence[AlternativeGame], alternative: int, seat: Seat, expression_index: int = -1
) -> dict[int, float]:
    """The value of an expression in each game of an alternative, by the game's number; both are named by their index.

    For expression -1 it is the seat's share of the victory.
    """
    values = {
        game.game_number: victory_share(game, seat) if expression_index < 0 else game.values[expression_index]
        for game in games
        if game.alternative == alternative
    }
    return {game_number: value for game_number, value in values.items() if value is not None}


def estimate_mean(values: Sequence[float], *, of_wins: bool = False) -> Estimate:
    """The mean with its 95 % interval.

    `of_wins` says that the values are victories: a hundred wins in a row prove no certainty, so that the variance of
    one more game, which might have gone either way, is added.

    >>> estimate_mean([1.0])
    Estimate(mean=1.0, margin=None)
    >>> round(estimate_mean([0.0, 1.0] * 50).margin, 3), round(estimate_mean([1.0] * 16, of_wins=True).margin, 2)
    (0.098, 0.12)
    """
    if len(values) < 2:
        return Estimate(fmean(values) if values else 0.0, None)
    return Estimate(fmean(values), INTERVAL_STANDARD_ERRORS * _standard_error(values, of_wins=of_wins))


def _standard_error(values: Sequence[float], *, of_wins: bool) -> float:
    doubt = 1 / len(values) if of_wins else 0.0
    return sqrt((stdev(values) ** 2 + doubt) / len(values))


def estimate_difference(
    values: Mapping[int, float], other_values: Mapping[int, float], *, of_wins: bool = False
) -> Estimate:
    """By how much `values` are better than `other_values` on average, over the games with the same numbers."""
    return estimate_mean(
        [value - other_values[game_number] for game_number, value in values.items() if game_number in other_values],
        of_wins=of_wins,
    )


def is_decided(
    games: Sequence[AlternativeGame], alternative_count: int, seat: Seat, expression_index: int = -1
) -> bool:
    """Whether one alternative clearly leads all others: in the expression with this index, or for -1 in victories."""
    games_each = len(games) // alternative_count
    if alternative_count < 2 or games_each < MIN_GAMES_TO_DECIDE or games_each % GAMES_PER_CHECK:
        return False
    values_by_alternative = [
        values_by_game(games, alternative, seat, expression_index) for alternative in range(alternative_count)
    ]
    if not all(values_by_alternative):
        return False
    best_values = max(values_by_alternative, key=lambda alternative_values: fmean(alternative_values.values()))
    leads_over_others = [
        [
            best_values[game_number] - value
            for game_number, value in alternative_values.items()
            if game_number in best_values
        ]
        for alternative_values in values_by_alternative
        if alternative_values is not best_values
    ]
    return all(
        len(leads) >= MIN_GAMES_TO_DECIDE
        and fmean(leads) > DECISIVE_STANDARD_ERRORS * _standard_error(leads, of_wins=expression_index < 0)
        for leads in leads_over_others
    )
