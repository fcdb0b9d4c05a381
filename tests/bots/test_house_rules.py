"""Programs play by any house rules: what they choose is legal, to the end of the game."""

from __future__ import annotations

from random import Random

import pytest

from zimcore.bots.bot_match import play_configured_bots
from zimcore.bots.registry import parse_bot
from zimcore.games.registry import game
from zimcore.history.disputed_readings import reading_options


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
@pytest.mark.parametrize("kind", ["zimbabwe", "africana"])
def test_programs_play_by_any_house_rules(kind: str, seed: int) -> None:
    readings = reading_options(game(kind)).items()
    chosen_options = {name: value for name, value in readings if seed == 4 or Random(f"{seed} {name}").random() < 0.6}
    match = play_configured_bots(game(kind), [parse_bot("quick")] * 2, {"players": "2", **chosen_options}, seed)
    assert match.outcome.over
