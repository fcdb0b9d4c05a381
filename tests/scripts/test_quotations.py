"""Others own the rulebooks: rules are said in our own words, and a quotation is only the clause that is disputed."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.rules.quotations import WORD, quoted_share, read_books, run_digests
from tests.project_files import ROOT, project_files
from zimcore.games.registry import game

MAX_SHARE = 0.05
"""The part of a rulebook's runs of five words that all files may hold together, what matches by chance included."""
MAX_QUOTED_WORDS = 30
"""The words of a rulebook that one rule may quote."""
SILENT = {"R-GEO-04"}
"""Readings of what the rulebook does not speak of: there is nothing to quote."""
PASSAGE = "each player now provides a gift, or passes. The first gift must be at least 1 cattle"
"""A passage of the rulebook of The Great Zimbabwe."""


def test_the_project_holds_little_of_each_rulebook() -> None:
    shares = quoted_share((ROOT / name for name in project_files()), read_books())
    assert {title: f"{share:.1%}" for title, share in shares.items() if not 0 < share <= MAX_SHARE} == {}, (
        "python scripts/rules/quotations.py names the files"
    )


def test_a_copied_passage_is_counted(tmp_path: Path) -> None:
    (tmp_path / "copied.md").write_text(f"> {PASSAGE.upper()}", "utf-8")
    (tmp_path / "own.md").write_text("In turn, everybody gives some cattle or stays out of it.", "utf-8")
    books = read_books()
    shares = quoted_share([tmp_path / "copied.md"], books)
    assert shares["The Great Zimbabwe"] == len(run_digests(PASSAGE)) / len(books["The Great Zimbabwe"])
    assert set(quoted_share([tmp_path / "own.md"], books).values()) == {0}


@pytest.mark.parametrize("kind", ["zimbabwe", "africana"])
def test_only_disputed_rules_quote_the_rulebook_in_few_words(kind: str) -> None:
    rules = game(kind).texts.rules()
    assert {rule.code for rule in rules if rule.words} == {rule.code for rule in rules if rule.reading} - SILENT
    lengths = {rule.code: len(WORD.findall(rule.words)) for rule in rules}
    assert {code: length for code, length in lengths.items() if length > MAX_QUOTED_WORDS} == {}
