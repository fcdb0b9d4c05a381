"""Judges a position for the seat to move: every seat's chance to win, and the turns worth playing.

Hints, the table's pane of advice, the page and analyses all use it, with a budget in positions. The same position,
budget and seed give the same judgement, locally and on a server.

A third of the budget finds turns and ranks them by the model's chances. The rest plays a few of them out: each playout
goes to one of the two turns that look best so far. The first playout of each turn has the same hidden cards and luck,
the second too, and so on: so they can be compared. There is an answer at any moment; a larger budget only refines it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from math import sqrt
from statistics import stdev
from typing import Any

import msgspec

from zimcore.analysis.playouts import playout
from zimcore.analysis.turns import Budget, CandidateTurn, iter_turns
from zimcore.analysis.worlds import play_in_world, sample_world
from zimcore.chances import Chance
from zimcore.game import Game, Seat
from zimcore.toolkit.progress import ReportProgress, ignore_progress

DEFAULT_NODES = 4000
"""Default number of positions for one judgement: about a second of one core."""
FINDING_DIVISOR = 3
"""The part of the budget that finds turns: one third."""
SHORTLIST_SIZE, BEST_COUNT = 5, 3
"""How many turns are played out, and how many of these are the model's best; the others are the best of other kinds."""
MAX_PLAYOUTS = 24
"""The most playouts of one turn: more add little."""
MODEL_WEIGHT = 2
"""The weight of the model's chances, in playouts: this comes nearest to the result of many more playouts."""

EndChances = Mapping[Seat, float]
"""Every seat's chance after a playout."""


class RankedTurn(msgspec.Struct, frozen=True):
    """A turn, every seat's chance to win after it, and the number of playouts behind these chances."""

    turn: CandidateTurn
    chances: Mapping[Seat, Chance]
    playouts: int = 0


class Judgement(msgspec.Struct, frozen=True):
    """A judgement of a position: the turns worth a look, best first.

    `nodes_searched` counts the positions searched, of at most `nodes`; `turns_found` counts the turns found.
    """

    seat: Seat
    ranked_turns: tuple[RankedTurn, ...]
    turns_found: int
    nodes_searched: int
    nodes: int

    @property
    def best(self) -> RankedTurn:
        """The best turn."""
        return self.ranked_turns[0]

    @property
    def chances(self) -> Mapping[Seat, Chance]:
        """Every seat's chance to win after the best turn."""
        return self.best.chances


def judge_position(
    game: Game,
    state: Any,
    seat: Seat,
    nodes: int = DEFAULT_NODES,
    seed: int = 0,
    report: ReportProgress = ignore_progress,
) -> Judgement:
    """Judges a position as the seat to move knows it. Raises `GameError` if it is not that seat's turn."""
    *_, judgement = improving_judgements(game, state, seat, nodes, seed, report)
    return judgement


def improving_judgements(
    game: Game,
    state: Any,
    seat: Seat,
    nodes: int = DEFAULT_NODES,
    seed: int = 0,
    report: ReportProgress = ignore_progress,
) -> Iterator[Judgement]:
    """Yields better and better judgements, at least one; `judge_position` returns the last. Raises `GameError`."""
    budget = Budget(nodes, report)
    turns = list[CandidateTurn]()
    for turn in iter_turns(game, state, seat, budget, nodes // FINDING_DIVISOR):
        turns.append(turn)
        ranked_turns = [
            RankedTurn(turn, turn.chances) for turn in shortlist_turns(rank_turns(turns, seat), SHORTLIST_SIZE)
        ]
        yield Judgement(seat, tuple(ranked_turns), len(turns), budget.nodes_spent, nodes)
    if len(turns) == 1 or turn_chance(ranked_turns[0], seat) >= 1.0:  # nothing is left to find out
        return
    ends_by_turn: list[list[EndChances]] = [[] for _ in ranked_turns]
    sample_numbered_world = world_sampler(game, state, seat, seed)
    while budget.has_nodes_left and (turn_index := next_turn_index(ranked_turns, ends_by_turn, seat)) is not None:
        turn_end = state_after_turn(
            game, sample_numbered_world(len(ends_by_turn[turn_index])), seat, ranked_turns[turn_index].turn
        )
        ends_by_turn[turn_index].append(playout(game, turn_end, len(ends_by_turn[turn_index]), seed, budget))
        ranked_turns[turn_index] = RankedTurn(
            ranked_turns[turn_index].turn,
            refine_chances(ranked_turns[turn_index].turn, ends_by_turn[turn_index]),
            len(ends_by_turn[turn_index]),
        )
        yield Judgement(
            seat,
            tuple(sorted(ranked_turns, key=lambda ranked_turn: -turn_chance(ranked_turn, seat))),
            len(turns),
            budget.nodes_spent,
            nodes,
        )


def rank_turns(turns: Sequence[CandidateTurn], seat: Seat) -> list[CandidateTurn]:
    """Turns by the model's chances, the best first."""
    return sorted(turns, key=lambda turn: -turn.chances[seat].mean)


def shortlist_turns(turns: Sequence[CandidateTurn], max_turns: int) -> list[CandidateTurn]:
    """At most `max_turns` of ranked turns, in their order: the likeliest ones, then the best of other kinds.

    The same commands on another square are hardly another idea.
    """
    indices = list(range(min(BEST_COUNT, len(turns))))
    shortlisted_kinds = {turn_kind(turns[index]) for index in indices}
    for index, turn in enumerate(turns):
        if len(indices) < max_turns and turn_kind(turn) not in shortlisted_kinds:
            shortlisted_kinds.add(turn_kind(turn))
            indices.append(index)
    indices += [index for index in range(len(turns)) if index not in indices][: max_turns - len(indices)]
    return [turns[index] for index in sorted(indices)]


def turn_kind(turn: CandidateTurn) -> tuple[type, ...]:
    """The kind of a turn: the types of its commands."""
    return tuple(map(type, turn.commands))


def next_turn_index(
    ranked_turns: Sequence[RankedTurn], ends_by_turn: Sequence[Sequence[EndChances]], seat: Seat
) -> int | None:
    """The index of the turn to play out next, None when enough was played out.

    Each turn once; then, of the two that look best, the one with fewer playouts.
    """
    for index, turn_ends in enumerate(ends_by_turn):
        if not turn_ends:
            return index
    best_two_indices = sorted(range(len(ranked_turns)), key=lambda index: -turn_chance(ranked_turns[index], seat))[:2]
    least_played_index = min(best_two_indices, key=lambda index: len(ends_by_turn[index]))
    return least_played_index if len(ends_by_turn[least_played_index]) < MAX_PLAYOUTS else None


def turn_chance(ranked_turn: RankedTurn, seat: Seat) -> float:
    """A seat's chance after a turn."""
    return ranked_turn.chances[seat].mean


def world_sampler(game: Game, state: Any, seat: Seat, seed: int) -> Any:
    """A function from a number to a world: the hidden cards dealt anew, alike for all turns. It caches worlds."""
    return cache(lambda number: sample_world(game, state, seat, number, seed))


def state_after_turn(game: Game, world: Any, seat: Seat, turn: CandidateTurn) -> Any:
    """The position after a turn in a world, or in the position itself if the game hides nothing."""
    return play_in_world(game, world, seat, turn.commands) if game.secrets else turn.end_state


def refine_chances(turn: CandidateTurn, ends: Sequence[EndChances]) -> dict[Seat, Chance]:
    """The chances after a turn, from the model's chances and the ends of playouts."""
    chances_by_seat = {}
    for seat, chance in turn.chances.items():
        playout_chances = [end[seat] for end in ends]
        deviation = stdev(playout_chances) if playout_chances[1:] else 0.0
        error = sqrt((MODEL_WEIGHT * chance.error) ** 2 + len(playout_chances) * deviation**2) / (
            MODEL_WEIGHT + len(playout_chances)
        )
        chances_by_seat[seat] = Chance(blend_chances(chance.mean, playout_chances), error)
    return chances_by_seat


def blend_chances(model_chance: float, playout_chances: Sequence[float]) -> float:
    """The weighted mean of the model's chance and the chances after playouts.

    >>> blend_chances(0.5, [0.25, 0.5])
    0.4375
    """
    return (MODEL_WEIGHT * model_chance + sum(playout_chances)) / (MODEL_WEIGHT + len(playout_chances))
