"""What a match is described by among others: its figures, and how it stands or has ended."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from zimcore.commits import Position
from zimcore.game import Game
from zimcore.history.position_values import PositionValues


def standing(position: Position, look: Callable[[Game, Any], PositionValues] = PositionValues) -> PositionValues:
    """The values of a position and more: `rounds`, `moves`, `kind`, `players`, and of each seat `won` and `score`."""
    outcome, values = position.outcome, look(position.game, position.state)
    about = {
        "over": outcome.over,
        "winner": outcome.winner,
        "rounds": values.get("round"),
        "moves": position.commit.number,
        "kind": position.game.name,
        "players": len(position.seats),
    }
    won = {seat: {"won": seat in outcome.winners, "score": outcome.scores.get(seat)} for seat in position.seats}
    return values.include(about, won)
