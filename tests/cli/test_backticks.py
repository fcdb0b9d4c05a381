"""Every text in backticks in tutorials and help can be typed, or is a known name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.test_hints import EXTRAS, hint_fault
from zimcli.settings.config import Config
from zimcli.shell.registry import ENTRIES, ENTRIES_BY_NAME, SUBCOMMANDS
from zimcore.documents.listings import GameInfo
from zimcore.games.registry import GAMES, game

KNOWN_NAMES = {
    *EXTRAS,
    *Config.__struct_fields__,
    *GameInfo.__struct_fields__,
    *("#", ";", "2>", ">2", "-wal", "auto", "score"),
    *('"as": "zulu"', '"open": true', "amend-12", "zulu--what-if"),
    *("cra pot d", "init", "salvage NEW", "skip"),
    *("deep:nodes=20000", "strong"),
    *("kicked-out", "left", "replaced"),
    *("moves", "people", "players", "rounds", "won"),
}
"""Names that are no commands: extras, settings, fields, signs, lines, beginnings of commands, bots, reasons."""
UNFINISHED = re.compile("^Missing argument|requires an argument")
"""The error of a command that is named without its arguments: its beginning is right."""
BACKTICKED = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")


def texts_in_backticks() -> Iterator[tuple[str, str]]:
    """Each text in backticks, with its place."""
    for entry in ENTRIES:
        for text in BACKTICKED.findall(" ".join((entry.load_command().help or "").split())):
            yield f"help {entry.name}", text
    for game_name in GAMES:
        comments = " ".join(
            line.lstrip("# ") for line in game(game_name).texts.tutorial().splitlines() if line[:1] == "#"
        )
        for text in BACKTICKED.findall(comments):
            yield f"tutorial {game_name}", text


def text_fault(text: str, file: Path) -> str:
    """What is wrong with a text; "" if nothing is."""
    first_word, *other_words = text.removeprefix("zim ").split(" ")
    if other_words and other_words[0] in SUBCOMMANDS.get(first_word, ()):
        first_word, text = other_words[0], f"zim {' '.join(other_words)}"
    verbs = {verb for game_name in GAMES for verb in game(game_name).notation.SYNTAX}
    if text in KNOWN_NAMES or text == "zim" or first_word in verbs:
        return ""
    if first_word in ENTRIES_BY_NAME or text.startswith("-"):
        fault = hint_fault(text, file)
        return "" if UNFINISHED.search(fault) else fault
    if text.startswith("zim --store"):
        return hint_fault(text.replace("--store NEW", "--store sqlite:///NEW"), file)
    return "no command, and no name that is known"


@pytest.mark.parametrize("text", ["cards", "logs --all", "undo --upp", "zim serv"])
def test_text_that_can_not_be_typed_is_found(text: str, tmp_path: Path) -> None:
    assert text_fault(text, tmp_path)


def test_all_text_in_backticks_can_be_typed(tmp_path: Path) -> None:
    (file := tmp_path / "file").touch()
    texts = {*texts_in_backticks()}
    assert len(texts) > 60
    assert [(source, text, fault) for source, text in sorted(texts) if (fault := text_fault(text, file))] == []
