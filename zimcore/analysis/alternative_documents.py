"""Makes the documents of a comparison of alternatives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from zimcore.analysis.alternatives import (
    AlternativeGame,
    Comparison,
    Estimate,
    estimate_difference,
    estimate_mean,
    values_by_game,
)
from zimcore.documents.analysis import AlternativeDocument, EstimateDocument, WhatIfAnswer
from zimcore.documents.positions import position_document
from zimcore.game import GameError


def what_if_answer(
    comparison: Comparison,
    played_games: Sequence[AlternativeGame],
    reused_count: int = 0,
    lines_by_alternative: Mapping[int, str] | None = None,
) -> WhatIfAnswer:
    """The answer of `whatif`: `reused_count` games were played before; `lines_by_alternative` were made of them."""
    return WhatIfAnswer(
        position=position_document(comparison.position),
        seat=comparison.position.mover,
        bot=str(comparison.bot),
        seed=comparison.seed,
        by=comparison.expressions,
        alternatives=alternative_documents(comparison, played_games, lines_by_alternative or {}),
        decided=len(played_games) < comparison.games_each * len(comparison.alternatives),
        reused=reused_count,
    )


def alternative_documents(
    comparison: Comparison, played_games: Sequence[AlternativeGame], lines_by_alternative: Mapping[int, str]
) -> tuple[AlternativeDocument, ...]:
    """The alternatives as documents, the best first by what they are ordered by."""

    def estimate_document(estimate: Estimate) -> EstimateDocument:
        return EstimateDocument(estimate.mean, estimate.margin)

    turns, expression_texts, seat = comparison.alternatives, comparison.expressions, comparison.position.mover
    sorts_by_wins = not expression_texts
    for index, expression_text in enumerate(expression_texts):
        if not any(each.values[index] is not None for each in played_games):
            reason = "it is no number at the end of any game; you can compare instead: winner == kilwa"
            raise GameError(expression_text, reason, ["help expressions"])
    values_by_alternative = [
        values_by_game(played_games, alternative_index, seat, -1 if sorts_by_wins else 0)
        for alternative_index in range(len(turns))
    ]
    sorted_indexes = sorted(
        range(len(turns)),
        key=lambda alternative_index: -estimate_mean([*values_by_alternative[alternative_index].values()]).mean,
    )
    return tuple(
        AlternativeDocument(
            commands=turns[alternative_index],
            games=sum(game.alternative == alternative_index for game in played_games),
            wins=estimate_document(
                estimate_mean([*values_by_game(played_games, alternative_index, seat).values()], of_wins=True)
            ),
            values={
                expression_text: estimate_document(
                    estimate_mean([*values_by_game(played_games, alternative_index, seat, expression_index).values()])
                )
                for expression_index, expression_text in enumerate(expression_texts)
            },
            behind=estimate_document(
                estimate_difference(
                    values_by_alternative[sorted_indexes[0]],
                    values_by_alternative[alternative_index],
                    of_wins=sorts_by_wins,
                )
            )
            if alternative_index != sorted_indexes[0]
            else None,
            line=lines_by_alternative.get(alternative_index, ""),
        )
        for alternative_index in sorted_indexes
    )
