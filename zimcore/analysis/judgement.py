"""Judges a position for the seat to move: every seat's chance to win, and the turns worth playing.

Hints, the table's pane of advice, the page and analyses all use it, with a budget in positions. The same position,
budget and seed give the same judgement, locally and on a server.

A third of the budget finds turns and ranks them by the model's chances. The rest plays a few of them out: each playout
goes to one of the two turns that look best so far, and playouts with the same number can be compared. So there is an
answer at any moment, and a larger budget only refines it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from math import sqrt
from statistics import stdev
from typing import Any

import msgspec

from zimcore.analysis.playouts import playout
from zimcore.analysis.turns import Budget, CandidateTurn, Report, each_turn, no_report
from zimcore.analysis.worlds import play_in_world, sample_world
from zimcore.chances import Chance
from zimcore.game import Game, Seat

NODES = 4000
"""Default number of positions for one judgement: about a second of one core."""
FINDING = 3
"""The part of the budget that finds turns: one third."""
SHORTLIST, LIKELIEST = 5, 3
"""How many turns are played out, and how many of these are the likeliest; the others are the best of other kinds."""
MAX_PLAYOUTS = 24
"""The most playouts of one turn: more add little."""
MODEL_WEIGHT = 2
"""The weight of the model's chances, in playouts: this comes nearest to the result of many more playouts."""

Ends = Mapping[Seat, float]
"""Every seat's chance after a playout."""


class TurnLine(msgspec.Struct, frozen=True):
    """A turn, every seat's chance to win after it, and the number of playouts behind these chances."""

    turn: CandidateTurn
    chances: Mapping[Seat, Chance]
    playouts: int = 0


class Judgement(msgspec.Struct, frozen=True):
    """A judgement of a position: the lines worth a look, best first.

    `nodes_searched` counts the positions searched, of at most `nodes`; `turns_found` counts the turns found.
    """

    seat: Seat
    lines: tuple[TurnLine, ...]
    turns_found: int
    nodes_searched: int
    nodes: int

    @property
    def best(self) -> TurnLine:
        """The best line."""
        return self.lines[0]

    @property
    def chances(self) -> Mapping[Seat, Chance]:
        """Every seat's chance to win after the best line."""
        return self.best.chances


def judgement(
    game: Game, state: Any, seat: Seat, nodes: int = NODES, seed: int = 0, report: Report = no_report
) -> Judgement:
    """Judges a position as the seat to move knows it. Raises `GameError` if it is not that seat's turn."""
    *_, result = thinking(game, state, seat, nodes, seed, report)
    return result


def thinking(
    game: Game, state: Any, seat: Seat, nodes: int = NODES, seed: int = 0, report: Report = no_report
) -> Iterator[Judgement]:
    """Yields better and better judgements, at least one; the last one is `judgement`. Raises `GameError`."""
    budget = Budget(nodes, report)
    turns = list[CandidateTurn]()
    for turn in each_turn(game, state, seat, budget, nodes // FINDING):
        turns.append(turn)
        lines = [TurnLine(each, each.chances) for each in shortlist(rank_turns(turns, seat), SHORTLIST)]
        yield Judgement(seat, tuple(lines), len(turns), budget.spent, nodes)
    if len(turns) == 1 or chance_of(lines[0], seat) >= 1.0:  # nothing is left to find out
        return
    ends: list[list[Ends]] = [[] for _ in lines]
    deal = dealer(game, state, seat, seed)
    while budget.is_left and (at := following(lines, ends, seat)) is not None:
        after = played_from(game, deal(len(ends[at])), seat, lines[at].turn)
        ends[at].append(playout(game, after, len(ends[at]), seed, budget))
        lines[at] = TurnLine(lines[at].turn, refine_chances(lines[at].turn, ends[at]), len(ends[at]))
        yield Judgement(
            seat, tuple(sorted(lines, key=lambda each: -chance_of(each, seat))), len(turns), budget.spent, nodes
        )


def rank_turns(turns: Sequence[CandidateTurn], seat: Seat) -> list[CandidateTurn]:
    """Turns by the model's chances, the best first."""
    return sorted(turns, key=lambda each: -each.chances[seat].mean)


def shortlist(turns: Sequence[CandidateTurn], most: int) -> list[CandidateTurn]:
    """At most `most` of ranked turns, in their order: the likeliest ones, then the best of other kinds.

    The same commands on another square are hardly another idea.
    """
    indices = list(range(min(LIKELIEST, len(turns))))
    kinds = {kind(turns[at]) for at in indices}
    for at, each in enumerate(turns):
        if len(indices) < most and kind(each) not in kinds:
            kinds.add(kind(each))
            indices.append(at)
    indices += [at for at in range(len(turns)) if at not in indices][: most - len(indices)]
    return [turns[at] for at in sorted(indices)]


def kind(turn: CandidateTurn) -> tuple[type, ...]:
    """The kind of a turn: the types of its commands."""
    return tuple(map(type, turn.commands))


def following(lines: Sequence[TurnLine], ends: Sequence[Sequence[Ends]], seat: Seat) -> int | None:
    """The index of the line to play out next, None when enough was played out.

    Each line once; then, of the two that look best, the one with fewer playouts.
    """
    for at, end in enumerate(ends):
        if not end:
            return at
    two = sorted(range(len(lines)), key=lambda at: -chance_of(lines[at], seat))[:2]
    least = min(two, key=lambda at: len(ends[at]))
    return least if len(ends[least]) < MAX_PLAYOUTS else None


def chance_of(line: TurnLine, seat: Seat) -> float:
    """A seat's chance after a line."""
    return line.chances[seat].mean


def dealer(game: Game, state: Any, seat: Seat, seed: int) -> Any:
    """A function from a number to a world: the hidden cards dealt anew, alike for all turns. It caches worlds."""
    return cache(lambda number: sample_world(game, state, seat, number, seed))


def played_from(game: Game, begin: Any, seat: Seat, turn: CandidateTurn) -> Any:
    """The position after a turn in a world, or in the position itself if the game hides nothing."""
    return play_in_world(game, begin, seat, turn.commands) if game.secrets else turn.after


def refine_chances(turn: CandidateTurn, ends: Sequence[Ends]) -> dict[Seat, Chance]:
    """The chances after a turn, from the model's chances and the ends of playouts."""
    chances_by_seat = {}
    for seat, chance in turn.chances.items():
        later_chances = [end[seat] for end in ends]
        deviation = stdev(later_chances) if later_chances[1:] else 0.0
        error = sqrt((MODEL_WEIGHT * chance.error) ** 2 + len(later_chances) * deviation**2) / (
            MODEL_WEIGHT + len(later_chances)
        )
        chances_by_seat[seat] = Chance(blend(chance.mean, later_chances), error)
    return chances_by_seat


def blend(immediate: float, later_chances: Sequence[float]) -> float:
    """The weighted mean of the model's chance and the chances after playouts.

    >>> blend(0.5, [0.25, 0.5])
    0.4375
    """
    return (MODEL_WEIGHT * immediate + sum(later_chances)) / (MODEL_WEIGHT + len(later_chances))
