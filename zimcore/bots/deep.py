"""`deep`: a tree search over whole turns (PUCT, max^n), in which every seat plays for itself.

A node is a position where a seat begins a turn or is to bid. Its branches are turns that start with one of the
likeliest commands and that `quick` finishes. A leaf's values are every seat's chance to win. With three or more seats,
and where nothing is hidden, `quick` first plays another turn for every seat. In a game that has a strategy and no
learned chances, the values are the result of `quick` playing on at every seat. Values are averaged on the way back to
the root. PUCT selects branches by their mean value and prior. If the game hides something, there is a tree for each of
a few sampled worlds; a command's visits and values are added up over the trees.

In other words: MCTS (Monte Carlo tree search), policy.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import exp, sqrt
from random import Random
from statistics import fmean
from typing import Any

from zimcore.bots.bot import Choice, ThinkingProgress, View
from zimcore.bots.levels import (
    ONLY_CANDIDATE_REASON,
    VICTORY_WORTH,
    QuickBot,
    TriedPlan,
    chances_cost,
    drop_alike,
    first_best,
    has_learned_chances,
    lead_of,
    play_out,
    positions_searched,
    sample_worlds,
    strong_judges_by_chances,
    vary_kinds,
)
from zimcore.chances import WINS_BY_FORCE, chance_values, winning_turn
from zimcore.game import Command, Game, Seat
from zimcore.toolkit.monte_carlo import MonteCarloStrategy
from zimcore.toolkit.words import numbered

MAX_BRANCHES, PRIOR_TEMPERATURE, C_PUCT = 10, 2.0, 0.25
"""The most branches of a node; the temperature of the prior (a command worth this many points less gets e times less
weight); and the PUCT constant, which weighs the prior against the mean value."""
PRIOR_VISITS = 2
"""Pseudo-visits added to every mean, so that one lucky visit decides little."""
VICTORY_SHARE, LEAD_SCALE = 0.6, 10.0
"""The share of an end's value that is victory (the rest is the lead), and the scale of the logistic curve that
turns a lead into a value: a lead of `LEAD_SCALE` points has the value 0.73.
"""
MAX_TURN_COMMANDS, DESCENT_COST, EVALUATION_COST = 24, 20, 100
"""The most commands in a turn; and what a descent and an evaluation by the chances model cost: as many positions as
`quick` judges in the same time."""
DEFAULT_NODES = 100_000
"""Default number of positions for a command: ten seconds a turn of about two commands."""


class Branch:
    """A candidate turn: the plan that begins it, its prior, visits and sums of values, and the node after it."""

    __slots__ = ("node", "prior", "tried_plan", "value_sums", "visits")

    def __init__(self, tried_plan: TriedPlan, prior: float) -> None:
        self.tried_plan, self.prior = tried_plan, prior
        self.visits = 0
        self.value_sums: dict[Seat, float] = {}
        self.node: Node | None = None

    def mean(self, seat: Seat) -> float:
        """A seat's mean value, from 0 to 1."""
        return self.value_sums[seat] / self.visits


class Node:
    """A position and its value so far; its branches are added at the second visit.

    `seat` is to move; it is "" if the match is over. `first_values` are every seat's values at the first visit;
    `mean_value` is the mean of all visits for `seat`.
    """

    __slots__ = ("branches", "first_values", "mean_value", "seat", "state", "visits")

    def __init__(self, state: Any, seat: Seat) -> None:
        self.state, self.seat = state, seat
        self.first_values: dict[Seat, float] = {}
        self.visits, self.mean_value = 0, 0.5
        self.branches: list[Branch] | None = None

    def record_value(self, values: dict[Seat, float]) -> None:
        """Records the values of the first visit: of a playout, or of the state."""
        self.first_values, self.visits, self.mean_value = values, 1, values.get(self.seat, 0.0)

    def select_branch(self, branches: Sequence[Branch]) -> Branch:
        """The branch with the best PUCT score; one without visits counts with the node's value."""
        exploration, seat = C_PUCT * sqrt(self.visits), self.seat

        def puct_score(branch: Branch) -> float:
            value = branch.mean(seat) if branch.visits else self.mean_value
            return value + exploration * branch.prior / (1 + branch.visits)

        return max(branches, key=puct_score)


class TreeSearch:
    """The search tree of a position."""

    def __init__(self, game: Game, quick: QuickBot, state: Any, seat: Seat) -> None:
        self.game, self.quick = game, quick
        self.positions_used = 0  # includes costs that are counted as positions
        self.root = Node(state, seat)
        self.expand(self.root)

    def expand(self, node: Node) -> list[Branch]:
        """Adds branches to a node: the likeliest commands, the best of each kind first."""
        tried_plans = self.quick.evaluate_candidates(self.game, node.state, node.seat)
        self.positions_used += positions_searched(tried_plans)
        ordered_plans = vary_kinds(tried_plans)
        if len(ordered_plans) > MAX_BRANCHES:
            ordered_plans = drop_alike(ordered_plans)[:MAX_BRANCHES]
        weights = [exp(max((plan.value - ordered_plans[0].value) / PRIOR_TEMPERATURE, -20)) for plan in ordered_plans]
        # Half by the evaluation and half uniform, since the evaluation is often wrong by some points.
        priors = [(weight / sum(weights) + 1 / len(ordered_plans)) / 2 for weight in weights]
        node.branches = [Branch(plan, prior) for plan, prior in zip(ordered_plans, priors, strict=True)]
        # The best branch begins with the node's values: `quick` played its command first in the node's playout. The
        # branch and the node after it do so, too, where chances judged the node itself, without a playout.
        if node.first_values:
            node.branches[0].visits, node.branches[0].value_sums = 1, dict(node.first_values)
        return node.branches

    def step(self) -> None:
        """Descends to a new branch, evaluates it, and updates all nodes on the way."""
        node, descent = self.root, list[tuple[Node, Branch]]()
        while node.seat and (not descent or node.visits):
            branch = node.select_branch(node.branches or self.expand(node))
            descent.append((node, branch))
            if branch.node is None:
                branch.node = self.node_after(branch, node.seat)
                if branch.visits:
                    branch.node.record_value(dict(branch.value_sums))
            node = branch.node
        self.positions_used += DESCENT_COST
        if not node.first_values:
            node.record_value(self.leaf_values(node.state, descent[-1][0].seat))
        for parent, taken_branch in descent:
            parent.visits += 1
            taken_branch.visits += 1
            for seat, value in node.first_values.items():
                taken_branch.value_sums[seat] = taken_branch.value_sums.get(seat, 0.0) + value
            parent.mean_value += (node.first_values[parent.seat] - parent.mean_value) / parent.visits

    def leaf_values(self, state: Any, seat: Seat) -> dict[Seat, float]:
        """The value of a position for each seat, from 0 to 1, after `seat` has played a turn."""
        if self.judges_leaves_by_chances:
            self.positions_used += EVALUATION_COST + chances_cost(self.game)
            if strong_judges_by_chances(self.game) and len(self.game.evolution.seats(state)) > 2:
                # After one more turn of every seat, chances are comparable: all seats have had equally many turns.
                state, positions_played = play_out(self.game, state, seat, self.quick, 1)
                self.positions_used += positions_played
            return chance_values(self.game, state)
        end_state, positions_played = play_out(self.game, state, seat, self.quick)
        self.positions_used += positions_played
        return end_values(self.game, end_state, self.quick)

    @property
    def judges_leaves_by_chances(self) -> bool:
        """Whether leaves are judged by chances, learned or by random playouts."""
        game = self.game
        judges_by_playouts = isinstance(game.strategy, MonteCarloStrategy) and game.chances is not None
        return judges_by_playouts or has_learned_chances(game)

    @property
    def is_decided(self) -> bool:
        """Whether the most visited turn ends the match with a win (only ends with a win have so high a value)."""
        most_visited_branch = max(self.root.branches or (), key=lambda branch: branch.visits)
        return bool(
            most_visited_branch.node
            and not most_visited_branch.node.seat
            and most_visited_branch.mean(self.root.seat) >= VICTORY_SHARE
        )

    def node_after(self, branch: Branch, seat: Seat) -> Node:
        """The node after a turn: the branch's first command, then `quick` until the turn ends."""
        state, to_move = branch.tried_plan.next_state, self.game.evolution.to_move(branch.tried_plan.next_state)
        for _ in range(MAX_TURN_COMMANDS):
            if not to_move or to_move[0] != seat:
                break
            tried_plans = self.quick.evaluate_candidates(self.game, state, seat)
            self.positions_used += positions_searched(tried_plans)
            state = first_best(tried_plans).next_state
            to_move = self.game.evolution.to_move(state)
        return Node(state, to_move[0] if to_move else "")


class DeepBot:
    """Plays the turn with the best value in a tree search."""

    def __init__(self, quick: QuickBot | None = None) -> None:
        self.quick = quick or QuickBot()

    def choose(self, view: View, nodes: int, rng: Random) -> Choice:
        """The first command of the best turn."""
        *_, progress = self.search_steps(view, nodes, rng)
        return progress.choice

    def search_steps(self, view: View, nodes: int, rng: Random) -> Iterator[ThinkingProgress]:
        """Yields the choice after each step of the search."""
        max_nodes = nodes or DEFAULT_NODES
        if commands := winning_turn(view.game, view.state, view.seat):
            yield ThinkingProgress(max_nodes, max_nodes, Choice(commands[0], WINS_BY_FORCE))
            return
        trees = [TreeSearch(view.game, self.quick, world, view.seat) for world in sample_worlds(view, rng)]
        if all(len(tree.root.branches or ()) == 1 for tree in trees):
            max_nodes = 0
        while (positions_used := sum(tree.positions_used for tree in trees)) < max_nodes and not all(
            tree.is_decided for tree in trees
        ):
            for tree in trees:
                tree.step()
            yield ThinkingProgress(min(positions_used, max_nodes), max_nodes, self.best_choice(view, trees))
        yield ThinkingProgress(max_nodes, max_nodes, self.best_choice(view, trees))

    def best_choice(self, view: View, trees: Sequence[TreeSearch]) -> Choice:
        """The command with the best value so far, and its visits."""
        seat, branches_by_command = view.seat, dict[Command, list[Branch]]()
        for tree in trees:
            for branch in tree.root.branches or ():
                branches_by_command.setdefault(branch.tried_plan.command, []).append(branch)

        mean_root_value = fmean(tree.root.mean_value for tree in trees)

        def smoothed_mean(branches: Sequence[Branch]) -> float:
            """The mean value of a command, with `PRIOR_VISITS` more visits at the mean value of the roots."""
            visits, value_sum = visits_of(branches), sum(branch.value_sums.get(seat, 0.0) for branch in branches)
            return (value_sum + PRIOR_VISITS * mean_root_value) / (visits + PRIOR_VISITS)

        command = max(branches_by_command, key=lambda command: smoothed_mean(branches_by_command[command]))
        branches = branches_by_command[command]
        if len(branches_by_command) == 1:
            return Choice(command, ONLY_CANDIDATE_REASON)
        all_visits = sum(map(visits_of, branches_by_command.values()))
        positions_used = sum(tree.positions_used for tree in trees)
        effort = f"{visits_of(branches)} of {numbered(all_visits, 'try')}"
        budget_text = f"a budget of {numbered(positions_used, 'position')}"
        return Choice(command, f"{effort}, {budget_text}, value {smoothed_mean(branches):.0%}")


def visits_of(branches: Sequence[Branch]) -> int:
    """The visits of a command in all trees."""
    return sum(branch.visits for branch in branches)


def end_values(game: Game, state: Any, quick: QuickBot) -> dict[Seat, float]:
    """The value of a position for each seat, from 0 to 1, by victory and lead over the best other seat."""
    outcome, values_by_seat = game.evolution.outcome(state), dict[Seat, float]()
    for seat in game.evolution.seats(state):
        has_won = seat in outcome.winners
        lead = lead_of(game, state, seat, quick) - VICTORY_WORTH * has_won  # in points: without the worth of a victory
        lead_value = 1 / (1 + exp(-lead / LEAD_SCALE))
        values_by_seat[seat] = (
            VICTORY_SHARE * has_won + (1 - VICTORY_SHARE) * lead_value if outcome.over else lead_value
        )
    return values_by_seat
