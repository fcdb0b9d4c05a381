"""How each rule is tested: how many tests show it kept, and how many show it refusing a command.

`python -m tests.tested_rules` prints the counts of all rules; with a code, or its beginning, the tests by name. It
reads the marks in the source files, so the counts do not depend on which tests are run.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from tests.decider_kit import Mark, marks_in
from zimcore.games.registry import GAMES, game

TESTS_FOLDER = Path(__file__).parent


def sources(kind: str) -> dict[str, str]:
    """The source of each file with tests of a kind of game, by the file's name."""
    return {path.stem: path.read_text("utf-8") for path in sorted((TESTS_FOLDER / kind).glob("test_*.py"))}


def marks_of(kind: str) -> list[Mark]:
    """All marks of the tests of a kind of game, in the order of the files."""
    return [mark for source in sources(kind).values() for mark in marks_in(source)]


def codes(kind: str) -> list[str]:
    """The codes of the rulebook, in its order."""
    return [rule.code for rule in game(kind).texts.rules()]


def guarded_codes(kind: str) -> set[str]:
    """The codes of the rules that can refuse a command."""
    return set(import_module(f"zimcore.games.{kind}.rules").guarded())


def tests_of(code: str, shows: str, marks: list[Mark]) -> list[str]:
    """The tests that show a rule kept (`accepts`), or a command being refused by it (`refuses`)."""
    return list(dict.fromkeys(mark.test for mark in marks if (mark.code, mark.shows) == (code, shows)))


def report(kind: str) -> Iterator[str]:
    """A line for each rule, with its counts. A rule that guards no command has "-" instead of tests that refuse."""
    marks, guards = marks_of(kind), guarded_codes(kind)
    yield f"{'rule':<12}  kept  refuses"
    for code in codes(kind):
        accepting_count, refusing_count = (len(tests_of(code, shows, marks)) for shows in ("accepts", "refuses"))
        yield f"{code:<12}  {accepting_count:>4}  {refusing_count if code in guards else '-':>7}"


def details(kind: str, beginning: str) -> Iterator[str]:
    """The names of the tests of each rule whose code has this beginning."""
    marks = marks_of(kind)
    for code in codes(kind):
        if code.startswith(beginning):
            names = [(shows, name) for shows in ("accepts", "refuses") for name in tests_of(code, shows, marks)]
            yield from (code, *(f"  {shows} in {name}" for shows, name in names))


if __name__ == "__main__":
    for kind in GAMES:
        print(*(details(kind, sys.argv[1]) if sys.argv[1:] else report(kind)), sep="\n")
