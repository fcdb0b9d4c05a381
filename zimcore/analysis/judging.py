"""Compares a turn or bid with the best one found: what it gave away, and how sure that is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import exp, sqrt
from statistics import stdev
from typing import Any

import msgspec

from zimcore.analysis.judgement import (
    DEFAULT_NODES,
    MAX_PLAYOUTS,
    MODEL_WEIGHT,
    EndChances,
    blend_chances,
    judge_position,
    refine_chances,
    state_after_turn,
    world_sampler,
)
from zimcore.analysis.playouts import playout
from zimcore.analysis.turns import Budget, CandidateTurn
from zimcore.analysis.worlds import luck_by_seat, state_seen_by
from zimcore.chances import Chance, chances
from zimcore.game import Command, Game, Seat
from zimcore.reasons import reason_for_turn
from zimcore.toolkit.words import numbered

JUDGEMENT_VERSION = "chances 8"
"""The version of judgements. Another version may judge otherwise with the same budget and seed."""
MIN_PLAYOUTS = 4
"""The least number of playouts that compare the turn played with the best one; they go on until half the budget is
spent. They have other numbers than the playouts that found the best turn, so that luck does not pass for a better turn.
"""
MISTAKE_WORDS = {0.15: "blunder", 0.10: "mistake", 0.05: "inaccuracy"}
"""The least loss of the chance to win for each word."""
MIN_STANDARD_ERRORS = 1.0
"""The least loss that has a word, in standard errors."""


class JudgedTurn(
    msgspec.Struct,
    frozen=True,
    kw_only=True,
    rename={"chances_before": "before", "best_commands": "best", "loss": "given"},
):
    """The judgement of a turn or bid that was played.

    `chances` are every seat's after the turn, `chances_before` those before it; `chance` is the seat's own, by
    playouts. `best_commands` are the better turn in notation (empty if none was found), `best_chance` the seat's chance
    after that. `loss` is what the turn gave away, from 0 to 1, by the same playouts as these two; `error` is its
    standard error. `luck` is how much better each seat's chance is by the cards that came up than on average.
    """

    chances_before: dict[Seat, Chance]
    chances: dict[Seat, Chance]
    chance: float
    best_commands: tuple[str, ...] = ()
    why: str = ""
    best_chance: float
    loss: float
    error: float
    nodes: int
    luck: dict[Seat, float] = {}

    @property
    def word(self) -> str:
        """`inaccuracy`, `mistake` or `blunder`; "" if it is none of them, or not surely."""
        return mistake_word(self.loss, self.error)

    @property
    def summary(self) -> str:
        """What the turn gave away, and the better turn; "" if `word` is empty."""
        if not self.word:
            return ""
        why = f" ({self.why})" if self.why else ""
        return (
            f"{self.word}, {numbered(round(100 * self.loss), 'point')}: better was {'; '.join(self.best_commands)}{why}"
        )

    @property
    def accuracy(self) -> float:
        """From 0 to 100 (nothing given away), by the formula that chess sites use for chances to win."""
        return max(0.0, min(100.0, 103.1668 * exp(-0.04354 * 100 * self.loss) - 3.1669))


def mistake_word(loss: float, error: float) -> str:
    """The word for a loss, from 0 to 1, with its standard error; "" for a small or unsure one.

    >>> mistake_word(0.12, 0.02), mistake_word(0.12, 0.2), mistake_word(0.01, 0.0)
    ('mistake', '', '')
    """
    if loss < MIN_STANDARD_ERRORS * error:
        return ""
    return next((word for min_loss, word in MISTAKE_WORDS.items() if loss >= min_loss), "")


def judge_turn(
    game: Game,
    state: Any,
    seat: Seat,
    commands: Sequence[Command],
    end_state: Any,
    nodes: int = DEFAULT_NODES,
    seed: int = 0,
) -> JudgedTurn:
    """Judges the turn that a seat has played in a position. The same position, budget and seed give the same judgement.

    The position's chances and best turn come from `judge_position` with the same budget.
    """
    visible_state = state_seen_by(game, state, seat)
    judgement = judge_position(game, visible_state, seat, nodes, seed)
    command_set, best_ranked_turn = frozenset(commands), judgement.best
    listed_turn = next(
        (
            ranked_turn.turn
            for ranked_turn in judgement.ranked_turns
            if frozenset(ranked_turn.turn.commands) == command_set
        ),
        None,
    )
    played_turn = listed_turn or CandidateTurn(tuple(commands), end_state, chances(game, end_state))
    loss = error = 0.0
    nodes_searched, best_chances = judgement.nodes_searched, best_ranked_turn.chances
    if played_turn is not best_ranked_turn.turn:
        budget = Budget(nodes // 2)
        played_ends, best_ends = paired_playouts(
            game, visible_state, seat, (played_turn, best_ranked_turn.turn), seed, budget
        )
        differences = [
            best_end[seat] - played_end[seat] for played_end, best_end in zip(played_ends, best_ends, strict=True)
        ]
        loss = max(
            0.0, blend_chances(best_ranked_turn.turn.chances[seat].mean - played_turn.chances[seat].mean, differences)
        )
        error = sqrt(len(differences)) * stdev(differences) / (MODEL_WEIGHT + len(differences))
        loss = min(loss, best_ranked_turn.chances[seat].mean)
        best_chances = shift_chances(
            refine_chances(played_turn, played_ends), seat, best_ranked_turn.chances[seat].mean - loss
        )
        nodes_searched += budget.nodes_spent
    return JudgedTurn(
        chances_before=dict(chances(game, state)),
        chances=dict(best_chances),
        chance=best_chances[seat].mean,
        best_commands=tuple(map(game.notation.format, best_ranked_turn.turn.commands)) if loss else (),
        why=reason_for_turn(game, visible_state, seat, best_ranked_turn.turn.commands) if loss else "",
        best_chance=best_ranked_turn.chances[seat].mean,
        loss=loss,
        error=error,
        nodes=nodes_searched,
        luck=luck_by_seat(game, state, seat, commands, end_state, seed),
    )


def paired_playouts(
    game: Game,
    state: Any,
    seat: Seat,
    turns: Sequence[CandidateTurn],
    seed: int,
    budget: Budget,
    max_playouts: int = MAX_PLAYOUTS,
) -> list[list[EndChances]]:
    """The ends of playouts of each turn, with the same numbers for all, and the same worlds where cards are hidden."""
    ends_by_turn: list[list[EndChances]] = [[] for _ in turns]
    sample_numbered_world = world_sampler(game, state, seat, seed)
    for playouts_done, number in enumerate(range(MAX_PLAYOUTS, MAX_PLAYOUTS + max_playouts)):
        if playouts_done >= MIN_PLAYOUTS and not budget.has_nodes_left:
            break
        for turn, turn_ends in zip(turns, ends_by_turn, strict=True):
            turn_ends.append(
                playout(game, state_after_turn(game, sample_numbered_world(number), seat, turn), number, seed, budget)
            )
    return ends_by_turn


def shift_chances(chances_by_seat: Mapping[Seat, Chance], seat: Seat, mean: float) -> dict[Seat, Chance]:
    """Sets a seat's chance to `mean` and scales the others' in proportion.

    >>> model_chances = {"a": Chance(0.5), "b": Chance(0.3), "c": Chance(0.2)}
    >>> [round(chance.mean, 2) for chance in shift_chances(model_chances, "a", 0.6).values()]
    [0.6, 0.24, 0.16]
    """
    sum_of_others = sum(chance.mean for other_seat, chance in chances_by_seat.items() if other_seat != seat)
    share = (1 - mean) / sum_of_others if sum_of_others else 0.0
    return {
        other_seat: Chance(mean if other_seat == seat else chance.mean * share, chance.error)
        for other_seat, chance in chances_by_seat.items()
    }
