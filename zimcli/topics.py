"""The parts of a game that can be explained, by the sections of its rulebook."""

from __future__ import annotations

from collections.abc import Sequence

from zimcore.game import Rule


def part(rule: Rule) -> str:
    """The part of the game that a rule belongs to: `raising monuments`."""
    return rule.section.rpartition(":")[2].strip().lower()


def topics(rules: Sequence[Rule]) -> list[str]:
    """The parts of the game."""
    return list(dict.fromkeys(topic for rule in rules for topic in part(rule).split(", ")))


def about(all_rules: Sequence[Rule], name: str) -> list[Rule]:
    """The rules of a part of the game, or that guard a command; failing that, those that speak of it."""
    words = name.replace("_", " ")
    found = [rule for rule in all_rules if name in rule.guards or words in part(rule)]
    return found or [rule for rule in all_rules if words in rule.text.lower()]
