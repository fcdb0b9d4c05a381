"""Chances as figures, which expressions speak of: `zulu.chance > 0.5`."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from zimcore.chances import chances
from zimcore.game import Game, figures

CHANCE = re.compile(r"\bchance\b")


def look(expression: str) -> Callable[[Game, Any], dict[str, Any]]:
    """What a position is described by for an expression: with the chances only where it speaks of them, as they are
    dearer than all else.
    """
    return with_chances if CHANCE.search(expression) else figures


def with_chances(game: Game, state: Any) -> dict[str, Any]:
    """All figures of a position, and of each seat its `chance` from 0 to 1, by the model alone. Raises `GameError`
    where nobody has learned it.
    """
    found = figures(game, state)
    for seat, chance in chances(game, state).items():
        found[seat] = {**found[seat], "chance": round(chance.mean, 3)}
    return found
