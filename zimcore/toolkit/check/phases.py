"""The phase of a position, for reports of what was tried: its field `phase`, or the verbs that are legal."""

from __future__ import annotations

from itertools import islice
from typing import Any

from zimcore.game import Game
from zimcore.toolkit.notation import name_of

MAX_LISTED = 400
"""How many legal commands are looked at for their verbs."""


def phase_of(game: Game, state: Any) -> str:
    """The name of a phase: `bidding`, or `lay or pass`."""
    to_move = game.evolution.to_move(state)
    if not to_move:
        return "the end"
    phase = getattr(state, "phase", "")
    if isinstance(phase, str) and phase:
        return phase
    commands = islice(game.rules.legal(state, to_move[0]), MAX_LISTED)
    return " or ".join(sorted({name_of(type(command)) for command in commands}))
