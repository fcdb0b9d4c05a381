"""What is printed is accepted as typed: names of several words, in both games; and a name before its position."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Zim
from zimcore.service import game


@pytest.mark.parametrize(
    ("kind", "typed_text", "canonical_text"),
    [
        ("zimbabwe", "craft Wood Carver d4-e4", "craft wood_carver d4-e4"),
        ("africana", "move Walvis Bay gray assistant", "move walvis_bay gray_assistant"),
        ("africana", "france: move Cape Town joker recoloured", "move cape_town joker recoloured"),
    ],
)
def test_names_are_accepted_as_they_are_printed(kind: str, typed_text: str, canonical_text: str) -> None:
    played_game = game(kind)
    setup = played_game.rules.set_up({}, 1)
    state = played_game.rules.apply(played_game.evolution.initial(), "", setup).state
    _, command = played_game.notation.parse(typed_text, state)
    _, canonical_command = played_game.notation.parse(canonical_text, state)
    assert command == canonical_command


@pytest.mark.parametrize("words", [("fork", "k", "y1", "@-1")])
def test_a_name_before_its_position_says_the_order(zim: Zim, words: tuple[str, ...]) -> None:
    assert zim("new", "k").exit_code == 0
    assert zim("do", "k", "take 1").exit_code == 0
    result = zim(*words)
    command, game_name, name, position = words
    assert result.exit_code == 2
    assert f"try: zim {command} {game_name}{position} {name}" in result.stderr
    assert zim(command, f"{game_name}{position}", name).exit_code == 0


def test_help_knows_words_of_other_programs(zim: Zim) -> None:
    assert "zim help why" in zim("help", "blame").stderr
