"""Each sentence of the rulebooks has a rule, or a line that says why it needs none (docs/rules-coverage.md)."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from zimcore.games.registry import game

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "rules-coverage.md"
ROW = re.compile(r"\| (\d+) \| (.+) \| (.+) \|")
CODE = re.compile(r"\b(?:R|A|AMB)-[A-Z0-9]+(?:-\d\d)?\b")
RULES_ONLY_IN_DUTCH = {"A-SETUP-01"}
"""Rules that only the Dutch part of the rulebook states."""


def rows(kind: str) -> list[tuple[int, str, str]]:
    """The rows of the page about one game."""
    section = PAGE.read_text("utf-8").partition(f"## {game(kind).title}\n")[2].partition("\n## ")[0]
    return [(int(sentence_number), opening, cells) for sentence_number, opening, cells in ROW.findall(section)]


each_game = pytest.mark.parametrize("kind", ["zimbabwe", "africana"])


@each_game
def test_every_sentence_has_an_existing_rule_or_a_reason(kind: str) -> None:
    codes = {rule.code for rule in game(kind).texts.rules()}
    sentences = rows(kind)
    assert [number for number, _, _ in sentences] == list(range(1, len(sentences) + 1))
    assert len(sentences) > 200
    assert [row for row in sentences if not row[2].strip()] == []
    assert {code for _, _, cells in sentences for code in CODE.findall(cells)} <= codes


@each_game
def test_every_rule_of_the_rulebook_has_its_sentence(kind: str) -> None:
    codes = {code for _, _, cells in rows(kind) for code in CODE.findall(cells)}
    quoting_rules = {rule.code for rule in game(kind).texts.rules() if rule.source in ("rulebook", "reading")}
    assert quoting_rules - codes - RULES_ONLY_IN_DUTCH == set()


def run_coverage(tmp_path: Path, zimbabwe: str, africana: str) -> subprocess.CompletedProcess[str]:
    files = [tmp_path / "zimbabwe.txt", tmp_path / "africana.txt"]
    for file, text in zip(files, (zimbabwe, africana), strict=True):
        file.write_text(text, "utf-8")
    command = [sys.executable, "-P", "-m", "scripts.rules.coverage", *map(str, files)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


ZIMBABWE_TEXT = "Passing.\n\nEach gift must be paid in full immediately."
AFRICANA_TEXT = "GAME COMPONENTS\n\n2 books"


def test_a_sentence_without_a_rule_or_a_reason_is_named(tmp_path: Path) -> None:
    covered_result = run_coverage(tmp_path, ZIMBABWE_TEXT, AFRICANA_TEXT)
    assert (covered_result.returncode, covered_result.stderr) == (0, "")
    assert "| 2 | Each gift must be … | R-BID-04, R-BID-08 |" in covered_result.stdout
    uncovered_result = run_coverage(
        tmp_path, f"{ZIMBABWE_TEXT} A player who passes thrice in a row leaves the table and the game.", AFRICANA_TEXT
    )
    assert uncovered_result.returncode == 1
    assert "neither a rule nor a reason: zimbabwe 3: A player who passes thrice" in uncovered_result.stderr


def test_a_missing_rulebook_is_an_error(tmp_path: Path) -> None:
    command = [sys.executable, "-P", "-m", "scripts.rules.coverage", str(tmp_path / "a"), str(tmp_path / "b")]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr.startswith("error: ")) == (2, True)
