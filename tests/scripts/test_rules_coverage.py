"""Each sentence of the rulebooks has a rule, or a line that says why it needs none (docs/rules-coverage.md)."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from zimcore.games.registry import game

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "rules-coverage.md"
ROW = re.compile(r"\| (\d+) \| (.+) \| (.+) \|")
OTHER_ROW = re.compile(r"\| (Africana in Dutch|refresher|summary) \| .+ \| (.+) \|")
CODE = re.compile(r"\b(?:R|A|AMB)-[A-Z0-9]+(?:-\d\d)?\b")
NAMED_TEXTS = {"Dutch rulebook": "Africana in Dutch", "Another summary": "summary"}
"""Words of rules, and the text that they speak of."""


def rows(kind: str) -> list[tuple[int, str, str]]:
    """The rows of the page about one game."""
    section = PAGE.read_text("utf-8").partition(f"## {game(kind).title}\n")[2].partition("\n## ")[0]
    return [(int(sentence_number), opening, cells) for sentence_number, opening, cells in ROW.findall(section)]


def codes_by_text() -> dict[str, set[str]]:
    """The rules beside the sentences of each other text."""
    codes: dict[str, set[str]] = {}
    for text, cell in OTHER_ROW.findall(PAGE.read_text("utf-8")):
        codes.setdefault(text, set()).update(CODE.findall(cell))
    return codes


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
    assert quoting_rules - codes - codes_by_text()["Africana in Dutch"] == set()


def test_each_rule_that_rests_on_another_text_has_its_sentence_there() -> None:
    for kind in ("zimbabwe", "africana"):
        for rule in game(kind).texts.rules():
            text = f"{rule.text} {rule.reading.other if rule.reading else ''}"
            texts = {title for words, title in NAMED_TEXTS.items() if words in text}
            texts |= {"refresher"} if rule.source == "refresher" else set()
            for title in texts:
                assert rule.code in codes_by_text()[title], f"{rule.code} rests on the {title}"


def test_the_page_has_all_sentences_of_other_texts() -> None:
    """A digest that no sentence has any more would leave its rule out without a word."""
    settings = tomllib.loads((ROOT / "scripts" / "rules" / "coverage.toml").read_text("utf-8"))["other"]
    assert {title: {*text["rules"]} for title, text in settings.items()} == codes_by_text()
    digests = {
        title: {digest for row in text["rules"].values() for digest in row.split()} for title, text in settings.items()
    }
    rows = [title for title, _ in OTHER_ROW.findall(PAGE.read_text("utf-8"))]
    assert {title: rows.count(title) for title in digests} == {title: len(row) for title, row in digests.items()}


def run_coverage(tmp_path: Path, zimbabwe: str, africana: str) -> subprocess.CompletedProcess[str]:
    files = [tmp_path / f"{name}.txt" for name in ("zimbabwe", "africana", "summary", "refresher")]
    for file, text in zip(files, (zimbabwe, africana, "", REFRESHER_TEXT), strict=True):
        file.write_text(text, "utf-8")
    command = [sys.executable, "-P", "-m", "scripts.rules.coverage", *map(str, files)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


ZIMBABWE_TEXT = "Passing.\n\nEach gift must be paid in full immediately."
REFRESHER_TEXT = (
    "Specialists\n\n- Each specialist can only be used once per turn (e.g. you can only place one water tile per turn)."
)
AFRICANA_TEXT = "GAME COMPONENTS\n\n2 books"


def test_a_sentence_without_a_rule_or_a_reason_is_named(tmp_path: Path) -> None:
    covered_result = run_coverage(tmp_path, ZIMBABWE_TEXT, AFRICANA_TEXT)
    assert (covered_result.returncode, covered_result.stderr) == (0, "")
    assert "| 2 | Each gift must be … | R-BID-04, R-BID-08 |" in covered_result.stdout
    assert "| refresher | Each specialist can only … | R-TURN-01 |" in covered_result.stdout
    assert "| Specialists" not in covered_result.stdout, "only what rules rest on"
    uncovered_result = run_coverage(
        tmp_path, f"{ZIMBABWE_TEXT} A player who passes thrice in a row leaves the table and the game.", AFRICANA_TEXT
    )
    assert uncovered_result.returncode == 1
    assert "neither a rule nor a reason: zimbabwe 3: A player who passes thrice" in uncovered_result.stderr


def test_a_missing_rulebook_is_an_error(tmp_path: Path) -> None:
    command = [sys.executable, "-P", "-m", "scripts.rules.coverage", *(str(tmp_path / name) for name in "abcd")]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (result.returncode, result.stderr.startswith("error: ")) == (2, True)
