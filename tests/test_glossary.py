"""The glossary leads somewhere: each module that it names is there, and a search for the field's words finds it."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
ROW_PATTERN = re.compile(r"^\| (?!our word|---)(.+?) \| (.+?) \| `(.+?)` \| (.+?) \|$", re.MULTILINE)


def rows(text: str) -> list[tuple[str, ...]]:
    """Our word, the field's words, the module and the sentence of each row."""
    return [match.groups() for match in ROW_PATTERN.finditer(text)]


def row_faults(row: tuple[str, ...], root: Path = ROOT) -> list[str]:
    """The modules and words of a row that a reader would not find."""
    _, words, module, _ = row
    path = root / module
    path = path / "__init__.py" if path.is_dir() else path
    if not path.exists():
        return [f"no module {module}"]
    text = path.read_text("utf-8").lower()
    return [f"{word} is not found in {module}" for word in words.split(", ") if word.lower() not in text]


GLOSSARY = rows((ROOT / "docs" / "glossary.md").read_text("utf-8"))


def test_the_glossary_has_rows() -> None:
    assert len(GLOSSARY) > 40


def test_a_search_for_the_words_of_the_field_finds_the_module() -> None:
    faults = {row[0]: row_faults(row) for row in GLOSSARY}
    assert {name: row_faults for name, row_faults in faults.items() if row_faults} == {}


def test_a_missing_module_or_word_is_noticed() -> None:
    assert row_faults(("", "chat", "zimcore/nowhere.py", "")) == ["no module zimcore/nowhere.py"]
    assert row_faults(("", "fold, blockchain", "zimcore/game.py", "")) == ["blockchain is not found in zimcore/game.py"]
