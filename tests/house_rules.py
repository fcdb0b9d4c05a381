"""Checks for the house rules of every game."""

from __future__ import annotations

from typing import Any

from zimcore.game import Accepted


def begin_match(game: Any, **options: str) -> Accepted:
    """The answer to the set-up of a new game for two players."""
    answer = game.rules.decide(game.evolution.initial(), "", game.rules.set_up({"players": "2", **options}, 7))
    assert isinstance(answer, Accepted)
    return answer


def check_house_rule_flips(game: Any, rule: Any, option: str, *other_options: dict[str, str]) -> None:
    """`flip_house_rule` turns the events of a set-up into those of the other reading, and back, under all options."""
    for options in other_options:
        usual_events, other_events = (
            ("played", *begin_match(game, **{**options, option: value}).events) for value in (rule.usual, rule.other)
        )
        assert tuple(game.rules.flip_house_rule(usual_events, option)) == other_events  # "played" stays as it is
        assert tuple(game.rules.flip_house_rule(other_events, option)) == usual_events
