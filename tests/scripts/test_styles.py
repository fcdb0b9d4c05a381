"""Each style of play finishes a game against itself."""

from __future__ import annotations

from random import Random

import pytest

from scripts.research.selfplay import STYLE_PREFIX, play_match_of
from scripts.research.styles import HELD_OUT, STYLES


@pytest.mark.parametrize("style", [*STYLES, *HELD_OUT])
def test_a_style_plays_a_game_to_its_end(style: str) -> None:
    record = play_match_of("zimbabwe", 5, (STYLE_PREFIX + style,) * 2, Random(5))
    assert record
    assert record.winners
