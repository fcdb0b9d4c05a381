"""The reasons for a turn are sentences of the game, as in its advice, without weights."""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner

from tests.nim import GAME as NIM
from zimcli.main import cli
from zimcore.bots.bot_match import play_with, start_state
from zimcore.bots.levels import QuickBot
from zimcore.game import Game
from zimcore.games.registry import GAMES
from zimcore.reasons import reason
from zimcore.service import game as load

WEIGHTS = ("place_late", "on_cards", "rising", "contested")
"""Words of features, which no player says."""


def positions(game: Game) -> Iterator[Any]:
    """Positions of a match of quick bots."""
    state = start_state(game, {"players": "3"}, 7)
    for at, (seat, command) in enumerate(play_with(game, [(QuickBot(), 0)] * 3, {"players": "3"}, 7, 90).played):
        if at % 6 == 0:
            yield state
        state = game.rules.apply(state, seat, command).state


@pytest.mark.parametrize("kind", ["zimbabwe", "africana"])
def test_a_reason_is_what_the_advice_says(kind: str) -> None:
    game, count = load(kind, GAMES), 0
    for state in positions(game):
        seat = game.evolution.to_move(state)[0]
        for each in game.questions.advice(state, seat)[:6]:
            command = game.notation.parse(each.text, state)[1]
            why = reason(game, state, seat, [command])
            if each.text.startswith("move "):  # advice tells the whole way that it begins
                assert why.split(", ")[0].startswith("to ")
            else:
                assert why == ", ".join(each.brings), each.text
            count += 1
    assert count > 30


@pytest.mark.parametrize("kind", ["zimbabwe", "africana"])
def test_whatever_is_legal_has_a_reason(kind: str) -> None:
    game, rng = load(kind, GAMES), Random(5)
    for state in positions(game):
        seat = game.evolution.to_move(state)[0]
        for _ in range(6):
            command = game.rules.legal(state, seat).sample(rng)
            assert command is not None
            why = reason(game, state, seat, [command])
            assert why or game.notation.format(command) == "end", command
            assert not any(word in why for word in WEIGHTS)


def test_a_game_without_words_of_its_own_says_what_a_log_would() -> None:
    state = start_state(NIM, {}, 7)
    seat = NIM.evolution.to_move(state)[0]
    command = NIM.notation.parse("take 2", state)[1]
    assert isinstance(reason(NIM, state, seat, [command]), str)


def test_a_bot_says_what_its_move_brings(tmp_path: Path) -> None:
    def zim(*words: str) -> str:
        return CliRunner().invoke(cli, ["--store", f"sqlite:///{tmp_path}/zim.db", *words]).output

    zim("new", "k", "players=2", "seed=7")
    assert "within reach: " in zim("bot", "k", "quick")
