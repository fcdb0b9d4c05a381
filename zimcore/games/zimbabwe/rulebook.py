"""The text of every rule, read from rulebook.toml beside this file, with the commands that it guards."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from zimcore.game import Rule
from zimcore.games.zimbabwe.rules import guarded
from zimcore.toolkit.rulebook import read_rules


@cache
def rules() -> Sequence[Rule]:
    """All rules in the order of the rulebook."""
    return read_rules(Path(__file__).with_name("rulebook.toml"), guarded())
