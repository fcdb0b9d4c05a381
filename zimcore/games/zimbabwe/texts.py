"""The texts of the game: all rules, a whole game, and a tutorial."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from zimcore.game import Rule
from zimcore.games.zimbabwe.house import HOUSE_RULES
from zimcore.games.zimbabwe.rules import guarded
from zimcore.toolkit.rulebook import read_rules


@cache
def rules() -> Sequence[Rule]:
    """All rules in the order of the rulebook."""
    return read_rules(Path(__file__).with_name("rulebook.toml"), guarded(), HOUSE_RULES)


def demo() -> str:
    """A whole game for four, with a fork."""
    return Path(__file__).with_name("demo.zim").read_text("utf-8")


def tutorial() -> str:
    """The first rounds, as one of the players."""
    return Path(__file__).with_name("tutorial.zim").read_text("utf-8")
