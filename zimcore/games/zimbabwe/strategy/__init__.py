"""The strategy for bots: commands worth trying, and features of a position."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import msgspec

from zimcore.games.zimbabwe.strategy.candidates import candidates
from zimcore.games.zimbabwe.strategy.features import FEATURES, features
from zimcore.games.zimbabwe.strategy.peer import baseline

__all__ = ["FEATURES", "SLIPS", "WEIGHTS", "baseline", "candidates", "features"]

WEIGHTS: dict[str, float] = msgspec.json.decode(Path(__file__).with_name("weights.json").read_bytes())["weights"]
"""The weight of each feature; the file names the training run."""
SLIPS: Mapping[int, float] = {1780: 0.0, 1740: 0.05, 1690: 0.2, 1530: 0.45, 1440: 0.65, 1220: 1.0}
"""The slips of `strong` by Elo, ± about 100: shares so near that they could not be told apart are one row.

Measured by `scripts/ladder random strong~100 strong~65 strong~45 strong~30 peer strong~20 strong~12 quick strong~6
strong~3 strong --deals 6`, two players. `random` is 1010 there, `quick` 1530, `peer` 1620. With these three as
anchors, the rows held within 50 when version 10 of the levels was measured.
"""
