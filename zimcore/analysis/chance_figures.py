"""The values that an expression can use at a position, with chances where it asks for them: `zulu.chance > 0.5`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from zimcore.chances import chances
from zimcore.game import Game, Seat
from zimcore.history.position_values import PositionValues, ValuesAt

CHANCE_WORD = re.compile(r"\bchance\b", re.IGNORECASE)


def values_reader(expression: str, values_at: ValuesAt | None = None) -> Callable[[Game, Any], PositionValues]:
    """The function that makes the values of a position for an expression.

    It works out chances only if the expression uses them: they cost most.
    """
    read_chances = chances_by_model if CHANCE_WORD.search(expression) else None
    return lambda game, state: PositionValues(game, state, chances=read_chances, at=values_at)


def chances_by_model(game: Game, state: Any) -> Mapping[Seat, float]:
    """Each seat's chance to win, from 0 to 1, by the model alone. Raises `GameError` for a game without a model."""
    return {seat: chance.mean for seat, chance in chances(game, state).items()}
