"""Compares a turn or bid with the best one found: what it gave away, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, sqrt
from statistics import stdev
from typing import Any

import msgspec

from zimcore.analysis.judgement import (
    MAX_PLAYOUTS,
    MODEL_WEIGHT,
    NODES,
    Ends,
    blend,
    dealer,
    judgement,
    played_from,
    refine_chances,
)
from zimcore.analysis.playouts import playout
from zimcore.analysis.turns import Budget, CandidateTurn
from zimcore.analysis.worlds import as_seen, luck
from zimcore.chances import Chance, chances
from zimcore.game import Command, Game, Seat
from zimcore.reasons import reason
from zimcore.toolkit.words import numbered

ENGINE = "chances 6"
"""The version of judgements. Another version may judge otherwise with the same budget and seed."""
MIN_PLAYOUTS = 4
"""The least number of playouts that compare the turn played with the best one; they go on until half the budget is
spent. They have other numbers than the playouts that found the best turn, so that luck does not pass for a better turn.
"""
WORDS = {0.15: "blunder", 0.10: "mistake", 0.05: "inaccuracy"}
"""The least loss of the chance to win for each word."""
MIN_STANDARD_ERRORS = 1.0
"""The least loss that has a word, in standard errors."""


class JudgedTurn(msgspec.Struct, frozen=True, kw_only=True):
    """The judgement of a turn or bid that was played.

    `chances` are every seat's after the turn, `before` those before it; `chance` is the seat's own, by playouts. `best`
    is the better turn in notation (empty if none was found), `best_chance` the seat's chance after that. `given` is
    what the turn gave away, from 0 to 1, by the same playouts as these two; `error` is its standard error. `luck` is
    how much better each seat's chance is by the cards that came up than it would be on average.
    """

    before: dict[Seat, Chance]
    chances: dict[Seat, Chance]
    chance: float
    best: tuple[str, ...] = ()
    why: str = ""
    best_chance: float
    given: float
    error: float
    nodes: int
    luck: dict[Seat, float] = {}

    @property
    def word(self) -> str:
        """`inaccuracy`, `mistake` or `blunder`; "" if it is none of them, or not surely."""
        return mistake_word(self.given, self.error)

    @property
    def summary(self) -> str:
        """What the turn gave away, and the better turn; "" if `word` is empty."""
        if not self.word:
            return ""
        why = f" ({self.why})" if self.why else ""
        return f"{self.word}, {numbered(round(100 * self.given), 'point')}: better was {'; '.join(self.best)}{why}"

    @property
    def accuracy(self) -> float:
        """From 0 to 100 (nothing given away), by the formula that chess sites use for chances to win."""
        return max(0.0, min(100.0, 103.1668 * exp(-0.04354 * 100 * self.given) - 3.1669))


def mistake_word(loss: float, error: float) -> str:
    """The word for a loss, from 0 to 1, with its standard error; "" for a small or unsure one.

    >>> mistake_word(0.12, 0.02), mistake_word(0.12, 0.2), mistake_word(0.01, 0.0)
    ('mistake', '', '')
    """
    if loss < MIN_STANDARD_ERRORS * error:
        return ""
    return next((word for least, word in WORDS.items() if loss >= least), "")


def judge(
    game: Game, state: Any, seat: Seat, commands: Sequence[Command], after: Any, nodes: int = NODES, seed: int = 0
) -> JudgedTurn:
    """Judges the turn that a seat has played in a position. The same position, budget and seed give the same judgement.

    The position's chances and best turn come from `judgement` with the same budget.
    """
    visible_state = as_seen(game, state, seat)
    result = judgement(game, visible_state, seat, nodes, seed)
    key, best = frozenset(commands), result.best
    own_turn = next((each.turn for each in result.lines if frozenset(each.turn.commands) == key), None)
    played_turn = own_turn or CandidateTurn(tuple(commands), after, chances(game, after))
    loss = error = 0.0
    nodes_searched, best_chances = result.nodes_searched, best.chances
    if played_turn is not best.turn:
        budget = Budget(nodes // 2)
        own_values, best_values = pairs(game, visible_state, seat, (played_turn, best.turn), seed, budget)
        differences = [b[seat] - a[seat] for a, b in zip(own_values, best_values, strict=True)]
        loss = max(0.0, blend(best.turn.chances[seat].mean - played_turn.chances[seat].mean, differences))
        error = sqrt(len(differences)) * stdev(differences) / (MODEL_WEIGHT + len(differences))
        loss = min(loss, best.chances[seat].mean)
        best_chances = shift_chances(refine_chances(played_turn, own_values), seat, best.chances[seat].mean - loss)
        nodes_searched += budget.spent
    return JudgedTurn(
        before=dict(chances(game, state)),
        chances=dict(best_chances),
        chance=best_chances[seat].mean,
        best=tuple(map(game.notation.format, best.turn.commands)) if loss else (),
        why=reason(game, visible_state, seat, best.turn.commands) if loss else "",
        best_chance=best.chances[seat].mean,
        given=loss,
        error=error,
        nodes=nodes_searched,
        luck=luck(game, state, seat, commands, after, seed),
    )


def pairs(
    game: Game,
    state: Any,
    seat: Seat,
    turns: Sequence[CandidateTurn],
    seed: int,
    budget: Budget,
    most: int = MAX_PLAYOUTS,
) -> list[list[Ends]]:
    """The ends of playouts of each turn, with the same numbers for all, and the same worlds where cards are hidden."""
    ends: list[list[Ends]] = [[] for _ in turns]
    deal = dealer(game, state, seat, seed)
    for count, number in enumerate(range(MAX_PLAYOUTS, MAX_PLAYOUTS + most)):
        if count >= MIN_PLAYOUTS and not budget.is_left:
            break
        for turn, turn_ends in zip(turns, ends, strict=True):
            turn_ends.append(playout(game, played_from(game, deal(number), seat, turn), number, seed, budget))
    return ends


def shift_chances(chances_by_seat: Mapping[Seat, Chance], seat: Seat, mean: float) -> dict[Seat, Chance]:
    """Sets a seat's chance to `mean` and scales the others' in proportion.

    >>> known = {"a": Chance(0.5), "b": Chance(0.3), "c": Chance(0.2)}
    >>> [round(each.mean, 2) for each in shift_chances(known, "a", 0.6).values()]
    [0.6, 0.24, 0.16]
    """
    sum_of_others = sum(each.mean for name, each in chances_by_seat.items() if name != seat)
    share = (1 - mean) / sum_of_others if sum_of_others else 0.0
    return {
        name: Chance(mean if name == seat else each.mean * share, each.error) for name, each in chances_by_seat.items()
    }
