"""Finds whole turns worth playing, with every seat's chance after each.

The game's strategy names candidate commands. A turn starts with the best commands of different kinds, alone or followed
by a second one, and the quick bot finishes it. The model judges the end: it was trained on positions where a turn
begins.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from zimcore.bots.levels import QuickBot, chances_cost, first_best, positions_searched, state_after, vary_kinds
from zimcore.chances import Chance, chances, winning_turn
from zimcore.game import Command, Game, GameError, Seat
from zimcore.toolkit.monte_carlo import MonteCarloStrategy
from zimcore.toolkit.progress import ReportProgress, ignore_progress

QUICK = QuickBot()
MAX_TURN_COMMANDS = 40
"""The most commands in a turn; a longer one is cut off."""


TURN_FIGURES = ("actor", "over", "phase", "round", "winner")
"""The figures that say which turn it is, whatever was played before, in games that have rounds."""


class CandidateTurn(NamedTuple):
    """A turn or bid: its commands, the position after it, and every seat's chance there."""

    commands: tuple[Command, ...]
    end_state: Any
    chances: Mapping[Seat, Chance]


class Budget:
    """Counts the positions searched against a limit, and reports progress to `report`."""

    def __init__(self, max_nodes: int, report: ReportProgress = ignore_progress) -> None:
        self.max_nodes = max_nodes
        self.nodes_spent = 0
        self.report = report

    def spend(self, nodes: int) -> None:
        """Counts positions searched."""
        self.nodes_spent += nodes
        self.report(min(self.nodes_spent, self.max_nodes), self.max_nodes)

    @property
    def has_nodes_left(self) -> bool:
        """Whether the limit is not yet reached."""
        return self.nodes_spent < self.max_nodes


def is_same_turn(game: Game, state_before: Any, state_after: Any) -> bool:
    """Whether both positions are in the same turn: the same seat to move, in the same phase and round."""
    if game.evolution.to_move(state_before) != game.evolution.to_move(state_after):
        return False
    values_before, values_after = game.display.common(state_before), game.display.common(state_after)
    return all(values_before.get(name) == values_after.get(name) for name in ("round", "phase"))


def turn_key(game: Game, state: Any) -> str:
    """A text for the turn of a position, for random errors that do not depend on what was played before."""
    figures = game.display.common(state)
    names = TURN_FIGURES if "round" in figures else figures
    return str([(name, figures[name]) for name in sorted(names) if name in figures])


def iter_turns(game: Game, state: Any, seat: Seat, budget: Budget, max_nodes: int) -> Iterator[CandidateTurn]:
    """Yields turns of the seat to move as it finds them, at least one, until `max_nodes` positions were searched.

    Raises `GameError` if the seat is not to move.
    """
    if seat not in game.evolution.to_move(state):
        raise GameError(f"{seat or 'nobody'} is not to move", game.display.status(state), ["show", "undo", "new"])
    seen_command_sets = set[frozenset[Command]]()
    if commands := tuple(winning_turn(game, state, seat)):
        seen_command_sets.add(frozenset(commands))
        end_state = state_after(game, state, seat, commands)
        yield CandidateTurn(commands, end_state, chances(game, end_state))
    for opening, opening_state in openings(game, state, seat, budget):
        if seen_command_sets and budget.nodes_spent >= max_nodes:
            break
        commands, end_state = finish_turn(game, state, opening_state, seat, opening, budget)
        command_set = frozenset(commands)  # the same commands in another order mostly lead to the same position
        if command_set not in seen_command_sets:
            seen_command_sets.add(command_set)
            budget.spend(chances_cost(game))
            yield CandidateTurn(commands, end_state, chances(game, end_state))


def knows_own_cards(game: Game, state: Any, seat: Seat) -> bool:
    """Whether a seat knows all cards that it could play. Zim plans nothing past a card that it can't see."""
    return game.secrets is None or not game.secrets.hides(state, seat)


def can_plan_on(game: Game, state: Any, seat: Seat) -> bool:
    """Whether the position after a command is known well enough to plan the next one.

    It is not if the strategy is a Monte Carlo search: it plays in sampled worlds, where drawn cards look known.
    """
    if game.secrets and isinstance(game.strategy, MonteCarloStrategy):
        return False
    return knows_own_cards(game, state, seat)


def openings(game: Game, state: Any, seat: Seat, budget: Budget) -> Iterator[tuple[tuple[Command, ...], Any]]:
    """Beginnings of a turn, by one command and then by two, the best of each kind first."""
    first_candidates = vary_kinds(QUICK.evaluate_candidates(game, state, seat))
    budget.spend(positions_searched(first_candidates))
    for candidate in first_candidates:
        yield tuple(candidate.commands), candidate.next_state
    for candidate in first_candidates:
        if is_same_turn(game, state, candidate.next_state) and can_plan_on(game, candidate.next_state, seat):
            second_candidates = vary_kinds(QUICK.evaluate_candidates(game, candidate.next_state, seat))
            budget.spend(positions_searched(second_candidates))
            yield from (((*candidate.commands, *second.commands), second.next_state) for second in second_candidates)


def finish_turn(
    game: Game, turn_start: Any, state: Any, seat: Seat, opening: tuple[Command, ...], budget: Budget
) -> tuple[tuple[Command, ...], Any]:
    """The commands of a turn that the quick bot has finished, and the position after it. Stops at unknown cards."""
    commands = list(opening)
    while (
        is_same_turn(game, turn_start, state) and can_plan_on(game, state, seat) and len(commands) < MAX_TURN_COMMANDS
    ):
        candidates = QUICK.evaluate_candidates(game, state, seat)
        budget.spend(positions_searched(candidates))
        best_plan = first_best(candidates)
        commands += best_plan.commands
        state = best_plan.next_state
    return tuple(commands), state
