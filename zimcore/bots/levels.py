"""The levels: from any legal command to the best one that can be found.

`nodes` are the positions that a bot looks at for one command; the same view, chance and nodes give the same command.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from operator import mul
from random import Random
from statistics import fmean
from typing import Any, NamedTuple

from zimcore.bots.bot import Choice, View
from zimcore.game import Command, Game, GameError, Seat, Strategy

ONLY_CANDIDATE = "nothing else is worth trying"
VICTORY = 50.0
"""What a victory is worth beside the points by which one leads."""
STRONG_BRANCHES, STRONG_MARGIN, STRONG_TURNS, STRONG_NODES = 5, 4.0, 20, 4_000
"""Of `strong`: the commands that it plays out at most, by how much less they may be worth than the best one, for how
many turns of everybody (bids are turns too), and the positions that it looks at for a command if nobody says it."""
WINNING_LEAD = VICTORY - 10
"""A lead that only a victory gives: nothing better has to be looked for."""
SAMPLED_WORLDS, PLANNED_TURNS = 3, 3
"""Where much is hidden: how often it is imagined, and for how many turns of everybody plans are played out then."""


class RandomBot:
    """Any legal command."""

    def choose(self, view: View, nodes: int, rng: Random) -> Choice:
        """Drawn, not listed."""
        command = view.game.rules.legal(view.state, view.seat).sample(rng)
        if command is None:
            raise GameError(f"{view.seat} can't play", "no command is legal")
        return Choice(command, "drawn at random")


class PeerBot:
    """The game's baseline, which is never tuned."""

    def choose(self, view: View, nodes: int, rng: Random) -> Choice:
        """By its rule."""
        return Choice(strategy_of(view.game).baseline(view.state, view.seat), "by the rule of the baseline")


class TriedPlan(NamedTuple):
    """A plan that was tried: what the position after it is worth, its first command, that position, and the plan."""

    worth: float
    command: Command
    after: Any
    plan: Sequence[Command] = ()


class QuickBot:
    """The best next command by a tuned evaluation."""

    def __init__(self, weights: Sequence[float] | None = None) -> None:
        self.weights = weights

    def choose(self, view: View, nodes: int, rng: Random) -> Choice:
        """The candidate after which the position is worth most."""
        found = self.rank_candidates(view.game, view.state, view.seat, nodes)
        chosen = first_best(found)
        return Choice(chosen.command, f"best of {len(found)}" if len(found) > 1 else ONLY_CANDIDATE)

    def weigh(self, strategy: Strategy) -> Sequence[float]:
        """What each feature counts for: by its own weights, or those of the game."""
        return self.weights or weight_row(strategy)

    def rank_candidates(self, game: Game, state: Any, seat: Seat, nodes: int = 0) -> list[TriedPlan]:
        """The candidates in the order in which the game thinks of them, so many at most; 0 for all."""
        strategy = strategy_of(game)
        weights = self.weigh(strategy)
        features, found = strategy.features, list[TriedPlan]()
        for plan in islice(strategy.candidates(state, seat), nodes or None):
            after = state_after(game, state, seat, plan)
            found.append(TriedPlan(sum(map(mul, weights, features(after, seat))), plan[0], after, plan))
        return found


class StrongBot:
    """The best candidates of `quick`, each played out with `quick` at every seat, until one of them wins."""

    def __init__(self, quick: QuickBot | None = None) -> None:
        self.quick = quick or QuickBot()

    def choose(self, view: View, nodes: int, rng: Random) -> Choice:
        """The candidate after which the seat stands best in the end: the first one that wins is good enough."""
        game, seat, state = view.game, view.seat, view.state
        found = self.quick.rank_candidates(game, state, seat)
        ranked = vary_kinds(found)
        likely = [each for each in ranked[:STRONG_BRANCHES] if each.worth >= ranked[0].worth - STRONG_MARGIN]
        if len(likely) == 1:
            return Choice(likely[0].command, ONLY_CANDIDATE)
        worlds, spent, ahead = sample_worlds(view, rng), len(found), list[tuple[float, TriedPlan]]()
        for each in likely:
            # All meet the same worlds, so that none is better for having had more luck.
            met = [self.evaluate_end(game, state_after(game, world, seat, each.plan), seat) for world in worlds]
            stands, spent = fmean(lead for lead, _ in met), spent + sum(looked for _, looked in met)
            ahead.append((stands, each))
            if stands >= WINNING_LEAD or spent >= (nodes or STRONG_NODES):
                break
        stands, chosen = max(ahead, key=lambda each: each[0])
        why = f"best of {len(ahead)} after {spent} positions, {stands:+.0f} against the others"
        return Choice(chosen.command, why)

    def evaluate_end(self, game: Game, state: Any, seat: Seat) -> tuple[float, int]:
        """How a seat stands against the best other, in the end or after many turns; and the positions looked at."""
        ends, looked = played_out(game, state, seat, self.quick)
        return lead_of(game, ends, seat, self.quick), looked


def played_out(game: Game, state: Any, seat: Seat, quick: QuickBot) -> tuple[Any, int]:
    """A position after many turns of `quick` at every seat, or in the end; and the positions that were looked at.

    The turn of `seat`, which may have begun, is the first one.
    """
    looked, turns, last = 0, 0, seat
    most = (PLANNED_TURNS if game.secrets else STRONG_TURNS) * len(game.evolution.seats(state))
    while (to_move := game.evolution.to_move(state)) and turns < most:
        turns += to_move[0] != last
        last = to_move[0]
        found = quick.rank_candidates(game, state, last)
        looked += len(found)
        state = first_best(found).after
    return state, looked


def sample_worlds(view: View, rng: Random) -> list[Any]:
    """What a position may be, for all that a seat knows: where something is hidden, several by chance."""
    secrets, apply = view.game.secrets, view.game.rules.apply
    if secrets is None:
        return [view.state]
    return [apply(view.state, "", secrets.redeal(view.seat, rng.getrandbits(32))).state for _ in range(SAMPLED_WORLDS)]


def state_after(game: Game, state: Any, seat: Seat, plan: Sequence[Command]) -> Any:
    """The position after a plan."""
    for command in plan:
        state = game.rules.apply(state, seat, command).state
    return state


def lead_of(game: Game, state: Any, seat: Seat, quick: QuickBot) -> float:
    """By how much a seat is ahead of the best other, by what the position is worth to each; 100 for a victory."""
    outcome = game.evolution.outcome(state)
    if outcome.over:
        scores = {each: score or 0 for each, score in outcome.scores.items()}
        return VICTORY * (seat in outcome.winners) + scores.pop(seat) - max(scores.values())
    strategy = strategy_of(game)
    weights = quick.weigh(strategy)
    worth = {each: sum(map(mul, weights, strategy.features(state, each))) for each in game.evolution.seats(state)}
    return float(worth.pop(seat) - max(worth.values()))


def vary_kinds(found: Sequence[TriedPlan]) -> list[TriedPlan]:
    """The best of each kind of command, and then the others: what is much alike comes late."""
    ranked = sorted(found, key=lambda each: -each.worth)
    first = {type(each.command): each for each in reversed(ranked)}
    kinds = sorted(first.values(), key=lambda each: -each.worth)
    return [*kinds, *(each for each in ranked if each is not first[type(each.command)])]


def first_best(found: Sequence[TriedPlan]) -> TriedPlan:
    """The first of those that are worth most."""
    return max(found, key=lambda each: each.worth)


def strategy_of(game: Game) -> Strategy:
    """The game's strategy. Raises `GameError` where it has none."""
    if game.strategy is None:
        raise GameError(f"no bot can play {game.title} well", "it has no strategy", ["random"])
    return game.strategy


def weight_row(strategy: Strategy) -> Sequence[float]:
    """The weights in the order of the features."""
    return [strategy.WEIGHTS.get(name, 0.0) for name in strategy.FEATURES]
