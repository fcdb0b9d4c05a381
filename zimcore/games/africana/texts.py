"""The texts of the game: rules, words, a primer, examples, a whole game, and a tutorial."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from zimcore.game import Example, PrimerSection, Rule, Task, Word
from zimcore.games.africana.house import HOUSE_RULES
from zimcore.games.africana.notation import SYNTAX
from zimcore.games.africana.rules import guarded
from zimcore.toolkit.rulebook import by_verb, read_examples, read_primer, read_rules, read_tasks, read_words


@cache
def rules() -> Sequence[Rule]:
    """All rules in the order of the rulebook, then the readings of its open questions."""
    return read_rules(Path(__file__).with_name("rulebook.toml"), by_verb(guarded(), SYNTAX), HOUSE_RULES)


@cache
def words() -> Sequence[Word]:
    """The words that beginners ask about."""
    return read_words(Path(__file__).with_name("words.toml"))


@cache
def primer() -> Sequence[PrimerSection]:
    """The primer, in the order in which it is read."""
    return read_primer(Path(__file__).with_name("primer.toml"))


@cache
def tasks() -> Sequence[Task]:
    """The tasks of the lessons, in order."""
    return read_tasks(Path(__file__).with_name("lessons.toml"))


@cache
def examples() -> Mapping[str, Example]:
    """The examples of rules, by code."""
    return read_examples(Path(__file__).with_name("examples.toml"), demo())


def demo() -> str:
    """A whole game for two."""
    return Path(__file__).with_name("demo.zim").read_text("utf-8")


def tutorial() -> str:
    """The first rounds, as one of the players."""
    return Path(__file__).with_name("tutorial.zim").read_text("utf-8")
