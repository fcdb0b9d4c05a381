"""Writes what the tests show of each rule beside the rulebook of each game, for `zim rules --coverage`.

`python -m tests.tested_rules` makes the files anew from the marks of the tests; a test proves that they are current.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.decider_kit import Mark, marks_in

TESTS = Path(__file__).parent
HEAD = "# What the tests show of each rule. Made from their marks: python -m tests.tested_rules\n"


def files() -> Iterator[Path]:
    """The file of each game that has tests."""
    for rulebook in sorted(TESTS.parent.glob("zimcore/*/rulebook.toml")):
        if (TESTS / rulebook.parent.name).is_dir():
            yield rulebook.with_name("tested.toml")


def marks_of(game: str) -> list[Mark]:
    """All marks of the tests of a game, in the order of the files."""
    sources = sorted((TESTS / game).glob("test_*.py"))
    return [mark for source in sources for mark in marks_in(source.read_text("utf-8"))]


def text(game: str) -> str:
    """The file for a game."""
    marks = marks_of(game)
    return HEAD + "".join(_entry(code, marks) for code in sorted({mark.code for mark in marks}))


def _entry(code: str, marks: list[Mark]) -> str:
    lines = [f"\n[{code}]\n"]
    for shows in ("accepts", "refuses"):
        tests = dict.fromkeys(mark.test for mark in marks if (mark.code, mark.shows) == (code, shows))
        lines += [f"{shows} = [\n", *(f'  "{test}",\n' for test in tests), "]\n"] if tests else []
    return "".join(lines)


if __name__ == "__main__":
    for file in files():
        file.write_text(text(file.parent.name), "utf-8")
