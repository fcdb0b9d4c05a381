"""The values that describe a match in a list of matches: its figures, and its standing or result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from zimcore.commits import Position
from zimcore.game import Game
from zimcore.history.position_values import PositionValues


def match_values(
    position: Position, read_values: Callable[[Game, Any], PositionValues] = PositionValues
) -> PositionValues:
    """The values of a position, and: `over`, `winner`, `rounds`, `moves`, `kind`, `players`; `won`, `score` by seat."""
    outcome, values = position.outcome, read_values(position.game, position.state)
    facts = {
        "over": outcome.over,
        "winner": outcome.winner,
        "rounds": values.get("round"),
        "moves": position.commit.number,
        "kind": position.game.name,
        "players": len(position.seats),
    }
    results_by_seat = {
        seat: {"won": seat in outcome.winners, "score": outcome.scores.get(seat)} for seat in position.seats
    }
    return values.include(facts, results_by_seat)
