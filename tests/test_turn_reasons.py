"""The reasons for a turn are sentences of the game, as in its advice, without weights."""

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from click.testing import CliRunner

from tests.nim import GAME as NIM
from zimcli.main import cli
from zimcore.bots.bot_match import play_bots, start_state
from zimcore.bots.levels import QuickBot
from zimcore.game import Game
from zimcore.games.registry import GAMES
from zimcore.reasons import reason_for_turn
from zimcore.service import game as find_game

FEATURE_WORDS = ("place_late", "on_cards", "rising", "contested")
"""Words of features, which no player says."""


def positions(game: Game) -> Iterator[Any]:
    """Positions of a match of quick bots."""
    state = start_state(game, {"players": "3"}, 7)
    match = play_bots(game, [(QuickBot(), 0)] * 3, {"players": "3"}, 7, 90)
    for move_number, (seat, command) in enumerate(match.moves):
        if move_number % 6 == 0:
            yield state
        state = game.rules.apply(state, seat, command).state


@pytest.mark.parametrize("kind", ["zimbabwe", "africana"])
def test_a_reason_is_that_of_the_advice(kind: str) -> None:
    game, checked_count = find_game(kind, GAMES), 0
    for state in positions(game):
        seat = game.evolution.to_move(state)[0]
        for advice in game.questions.advice(state, seat)[:6]:
            command = game.notation.parse(advice.text, state)[1]
            reason_text = reason_for_turn(game, state, seat, [command])
            if advice.text.startswith("move "):  # advice tells the whole way that it begins
                assert reason_text.split(", ")[0].startswith("to ")
            else:
                assert reason_text == ", ".join(advice.brings), advice.text
            checked_count += 1
    assert checked_count > 30


@pytest.mark.parametrize("kind", ["zimbabwe", "africana"])
def test_every_legal_command_has_a_reason(kind: str) -> None:
    game, rng = find_game(kind, GAMES), Random(5)
    for state in positions(game):
        seat = game.evolution.to_move(state)[0]
        for _ in range(6):
            command = game.rules.legal(state, seat).sample(rng)
            assert command is not None
            reason_text = reason_for_turn(game, state, seat, [command])
            assert reason_text or game.notation.format(command) == "end", command
            assert not any(word in reason_text for word in FEATURE_WORDS)


def test_a_game_without_a_strategy_gives_a_reason_from_the_log() -> None:
    state = start_state(NIM, {}, 7)
    seat = NIM.evolution.to_move(state)[0]
    command = NIM.notation.parse("take 2", state)[1]
    assert isinstance(reason_for_turn(NIM, state, seat, [command]), str)


def test_a_bot_says_what_its_move_brings(tmp_path: Path) -> None:
    def zim(*words: str) -> str:
        return CliRunner().invoke(cli, ["--store", f"sqlite:///{tmp_path}/zim.db", *words]).output

    zim("new", "k", "players=2", "seed=7")
    assert "within reach: " in zim("bot", "k", "quick")
