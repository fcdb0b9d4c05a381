"""The strategy for bots: turns worth trying, features of a position, and a baseline to measure bots against."""

from __future__ import annotations

from pathlib import Path

import msgspec

from zimcore.games.africana.strategy.candidates import candidates
from zimcore.games.africana.strategy.features import FEATURES, features
from zimcore.games.africana.strategy.peer import baseline

__all__ = ["FEATURES", "WEIGHTS", "baseline", "candidates", "features"]

WEIGHTS: dict[str, float] = msgspec.json.decode(Path(__file__).with_name("weights.json").read_bytes())["weights"]
"""The weight of each feature; the file names the training run."""
