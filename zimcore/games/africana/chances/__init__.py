"""The features of the chance to win, and the model trained on them."""

from __future__ import annotations

from pathlib import Path

from zimcore.game import Command, Seat
from zimcore.games.africana.chances.features import FEATURES, TERMS, features
from zimcore.games.africana.state import State

__all__ = ["FEATURES", "MODEL", "TERMS", "features", "forced_winner", "winning_turn"]

MODEL: bytes = Path(__file__).with_name("model.json").read_bytes()
"""The trained model as JSON; the file names the training runs."""


def forced_winner(state: State) -> Seat:
    """No seat: cards to come are hidden until the end."""
    return ""


def winning_turn(state: State) -> tuple[Command, ...]:
    """No commands: cards to come are hidden until the end."""
    return ()
