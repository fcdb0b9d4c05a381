"""The game of cards that `zim new-game trumps --cards` writes, as a module."""

from __future__ import annotations

from pathlib import Path
from string import Template

from zimcore.toolkit.bundle import Bundle

FILE = Path(__file__).parents[2] / "zimcli/new_game/cards.py.txt"
SOURCE = Template(FILE.read_text("utf-8")).safe_substitute(name="trumps", title="Trumps")
exec(compile(SOURCE, str(FILE), "exec"))

GAME: Bundle = globals()["GAME"]
