"""Every word in backticks in tutorials and help is one that can be typed, or the name of a thing that there is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.test_hints import EXTRAS, faults
from zimcli.config import Config
from zimcli.registry import BY_NAME, ENTRIES
from zimcore.documents.listings import GameInfo
from zimcore.games.registry import GAMES, game

NAMES = {
    *EXTRAS,
    *Config.__struct_fields__,
    *GameInfo.__struct_fields__,
    *("#", ";", "2>", ">2", "-wal", "auto", "score"),
    *('"as": "zulu"', '"open": true', "amend-12", "zulu--what-if"),
    *("cra pot d", "init", "salvage NEW", "skip"),
    *("moves", "players", "rounds", "won"),
}
"""What is no line: extras, settings, fields of documents, signs, names of lines, beginnings of commands."""
UNFINISHED = re.compile("^Missing argument|requires an argument")
"""A command that is named without what it is about: it begins as it should."""
TYPED = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")


def texts_in_backticks() -> Iterator[tuple[str, str]]:
    """Each text in backticks, with its place."""
    for entry in ENTRIES:
        for text in TYPED.findall(" ".join((entry.load().help or "").split())):
            yield f"help {entry.name}", text
    for name in GAMES:
        comments = " ".join(line.lstrip("# ") for line in game(name).texts.tutorial().splitlines() if line[:1] == "#")
        for text in TYPED.findall(comments):
            yield f"tutorial {name}", text


def wrong(text: str, file: Path) -> str:
    """What is wrong with it; "" where it is fine."""
    first = text.removeprefix("zim ").split(" ")[0]
    verbs = {verb for name in GAMES for verb in game(name).notation.SYNTAX}
    if text in NAMES or text == "zim" or first in verbs:
        return ""
    if first in BY_NAME or text.startswith("-"):
        fault = faults(text, file)
        return "" if UNFINISHED.search(fault) else fault
    if text.startswith("zim --store"):
        return faults(text.replace("--store NEW", "--store sqlite:///NEW"), file)
    return "no command, and no name that is known"


@pytest.mark.parametrize("text", ["cards", "logs --all", "undo --upp", "zim serv"])
def test_what_can_not_be_typed_is_found(text: str, tmp_path: Path) -> None:
    assert wrong(text, tmp_path)


def test_all_of_it_can_be_typed(tmp_path: Path) -> None:
    (file := tmp_path / "file").touch()
    texts = {*texts_in_backticks()}
    assert len(texts) > 60
    assert [(where, text, fault) for where, text in sorted(texts) if (fault := wrong(text, file))] == []
