"""What the rules say at a table: each rule's text, then what the table's options put in the place of its clauses.

Refusals, `rules`, `explain`, help, pages and HTTP ask here; nothing else asks a game for its rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from zimcore.game import Example, Game, PrimerSection, Rule, Task, Word


def rules_at_table(game: Game, setup_command: Any = None) -> list[Rule]:
    """The rules of a game; with the set-up command of a match, as its options have it.

    `house` has the options that overrule a clause of the rule, and the text ends with the words that hold instead.
    """
    chosen_options = {f"{option}={value}" for option, value in getattr(setup_command, "options", ())}
    return [at_table(rule, chosen_options) for rule in game.texts.rules()]


def at_table(rule: Rule, chosen_options: set[str]) -> Rule:
    """A rule at a table with these options.

    >>> from zimcore.game import Overruled
    >>> coin = Rule("T-1", "Heads wins.", "Toss", overruled=(Overruled("coin=tails", "Heads wins", "Tails wins."),))
    >>> [at_table(coin, options).text for options in (set(), {"coin=tails"})]
    ['Heads wins.', 'Heads wins. At this table (coin=tails): Tails wins.']
    """
    overruled = [each for each in rule.overruled if each.option in chosen_options]
    if not overruled:
        return rule
    texts = (rule.text, *(f"At this table ({each.option}): {each.words}" for each in overruled))
    return replace(rule, text=" ".join(texts), house=tuple(each.option for each in overruled))


def dispute_note(rule: Rule) -> str:
    """Why another reading of a rule exists: one of two kinds, or an addition; "" for a rule without one."""
    if rule.reading is None:
        return ""
    if rule.source == "addition":
        return "an addition, not in the rulebook"
    return "the rulebook leaves this open" if rule.source == "reading" else "the rulebook is clear, some play otherwise"


def section_label(source: str) -> str:
    """What stands before the section of a rule: where the rule comes from."""
    return SECTION_LABEL_BY_SOURCE.get(source, f"{source}, not in the rulebook")


SECTION_LABEL_BY_SOURCE = {
    "rulebook": "rulebook",
    "reading": "a reading of the rulebook",
    "deduction": "a deduction from the rulebook",
    "refresher": "the refresher that comes with the rulebook",
    "addition": "an addition, not in the rulebook",
}
"""What stands before the section of a rule, by the source of the rule."""


def by_section(rules: Iterable[Rule]) -> Mapping[str, Sequence[Rule]]:
    """Rules under the sections of the rulebook, in the order in which the sections begin."""
    rules_by_section: dict[str, list[Rule]] = {}
    for rule in rules:
        rules_by_section.setdefault(rule.section, []).append(rule)
    return rules_by_section


def find_word(game: Game, question: str) -> Word | None:
    """The word that a question is about: of the words in it, the one with the longest name; None if there is none."""
    spoken = f" {' '.join(re.findall(r'[a-z0-9-]+', question.lower()))} "
    words = optional_texts(game, "words", ())
    names = [(name, word) for word in words for name in (word.name, *word.also) if f" {name.lower()} " in spoken]
    return max(names, key=lambda each: len(each[0]), default=("", None))[1]


def primer_of(game: Game) -> Sequence[PrimerSection]:
    """The primer of a game; empty if it has none."""
    sections: Sequence[PrimerSection] = optional_texts(game, "primer", ())
    return sections


def examples_of(game: Game) -> Mapping[str, Example]:
    """The examples of a game's rules, by code."""
    examples: Mapping[str, Example] = optional_texts(game, "examples", {})
    return examples


def lessons_of(game: Game) -> Mapping[str, Sequence[Task]]:
    """The lessons of a game after its tutorial, each with its tasks, by title; empty if it has none."""
    tasks_by_lesson: dict[str, list[Task]] = {}
    for task in optional_texts(game, "tasks", ()):
        tasks_by_lesson.setdefault(task.lesson, []).append(task)
    return tasks_by_lesson


def optional_texts(game: Game, name: str, nothing: Any) -> Any:
    """Texts that the contract does not ask for: games of other packages may lack them."""
    return getattr(game.texts, name)() if hasattr(game.texts, name) else nothing
