"""The moves of all levels are pinned by one version: if you change them, raise `BOTS_VERSION`.

Then `ZIM_GOLDEN=write pytest tests/bots/test_versions.py` records what the levels play now.
"""

from __future__ import annotations

import json
import os
from hashlib import sha256
from pathlib import Path

import pytest

from zimcore.bots.bot_match import play_bots
from zimcore.bots.registry import BOTS_VERSION, load_level
from zimcore.game import Game
from zimcore.games.africana import GAME as AFRICANA
from zimcore.games.zimbabwe import GAME as ZIMBABWE

VERSIONS_FILE = Path(__file__).parents[1] / "data" / "bots.json"
BUDGETS = {"random": (0, 60), "peer": (0, 60), "quick": (0, 60), "strong": (400, 16), "deep": (400, 8)}
"""Positions for a command, and the commands that are played, by level."""


def digest_of_moves(game: Game, level: str) -> str:
    """What a level plays at all seats, in short."""
    nodes, max_commands = BUDGETS[level]
    match = play_bots(game, [(load_level(level), nodes)] * 3, {"players": "3"}, 5, max_commands)
    text = "\n".join(game.notation.format(command) for _, command in match.moves)
    return sha256(text.encode()).hexdigest()[:16]


@pytest.mark.parametrize("level", BUDGETS)
@pytest.mark.parametrize("game", [ZIMBABWE, AFRICANA], ids=lambda game: game.name)
def test_the_moves_of_a_level_change_only_with_its_version(game: Game, level: str) -> None:
    recorded_entries = json.loads(VERSIONS_FILE.read_text()) if VERSIONS_FILE.exists() else {}
    key, current_entry = f"{game.name} {level}", {"version": BOTS_VERSION, "plays": digest_of_moves(game, level)}
    if os.environ.get("ZIM_GOLDEN") == "write":
        recorded_entry = recorded_entries.get(key)
        assert recorded_entry is None or recorded_entry == current_entry or recorded_entry["version"] < BOTS_VERSION, (
            "first raise BOTS_VERSION in zimcore/bots/registry.py"
        )
        VERSIONS_FILE.write_text(json.dumps({**recorded_entries, key: current_entry}, indent=1, sort_keys=True) + "\n")
        return
    assert recorded_entries.get(key) == current_entry, (
        "raise BOTS_VERSION in zimcore/bots/registry.py, and write the file anew"
    )
