"""Each style of play finishes a game against itself."""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random

import pytest

sys.path.append(str(Path(__file__).parents[2] / "scripts"))

from selfplay import STYLE_PREFIX, play_match_of
from styles import HELD_OUT, STYLES


@pytest.mark.parametrize("style", [*STYLES, *HELD_OUT])
def test_a_style_plays_a_game_to_its_end(style: str) -> None:
    record = play_match_of("zimbabwe", 5, (STYLE_PREFIX + style,) * 2, Random(5))
    assert record
    assert record.winners
