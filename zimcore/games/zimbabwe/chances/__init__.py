"""The features of the chance to win, and the model trained on them."""

from __future__ import annotations

from pathlib import Path

from zimcore.games.zimbabwe.chances.features import FEATURES, TERMS, features
from zimcore.games.zimbabwe.chances.last_round import forced_winner, winning_turn

__all__ = ["FEATURES", "MODEL", "TERMS", "features", "forced_winner", "winning_turn"]

MODEL: bytes = Path(__file__).with_name("model.json").read_bytes()
"""The trained model as JSON; the file names the training runs."""
