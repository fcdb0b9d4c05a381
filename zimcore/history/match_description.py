"""What a match is described by among others: its figures, and how it stands or has ended."""

from __future__ import annotations

from zimcore.commits import Position
from zimcore.history.evaluation import Values


def standing(position: Position) -> Values:
    """The figures of a position and more: `rounds`, `moves`, `kind`, `players`, and of each seat `won` and `score`."""
    outcome, figures = position.outcome, position.figures
    seats = {
        seat: {**figures[seat], "won": seat in outcome.winners, "score": outcome.scores.get(seat)}
        for seat in position.seats
    }
    about = {
        "over": outcome.over,
        "winner": outcome.winner,
        "rounds": figures.get("round"),
        "moves": position.commit.number,
        "kind": position.game.name,
        "players": len(seats),
    }
    return {**about, **figures, **seats}
