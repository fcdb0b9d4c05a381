"""What the house rules of every game are held to."""

from __future__ import annotations

from typing import Any

from zimcore.game import Accepted


def begun(game: Any, **options: str) -> Accepted:
    """What a new game of two comes to."""
    answer = game.rules.decide(game.evolution.initial(), "", game.rules.set_up({"players": "2", **options}, 7))
    assert isinstance(answer, Accepted)
    return answer


def is_turned_over_and_back(game: Any, rule: Any, option: str, *all_others: dict[str, str]) -> None:
    """Turned over, the facts of a set-up are those of a game begun by the other reading, whatever else is chosen."""
    for others in all_others:
        usual, other = (
            ("played", *begun(game, **{**others, option: value}).events) for value in (rule.usual, rule.other)
        )
        assert tuple(game.rules.otherwise(usual, option)) == other  # the first is passed on
        assert tuple(game.rules.otherwise(other, option)) == usual
