"""Matches to draw: the demonstrations of our own games."""

from __future__ import annotations

import pytest

from zimcore.game import Game
from zimcore.games import africana, zimbabwe
from zimcore.service import GameService, Viewer, open_service


@pytest.fixture(scope="session")
def service() -> GameService:
    """A store with the match of each demonstration, named after its game."""
    service = open_service("memory:")
    for game in (zimbabwe.GAME, africana.GAME):
        options, moves = demo_options_and_moves(game)
        service.new(game.name, options, name=game.name, by="anna")
        for move in moves:
            service.play(game.name, move, by="anna", viewer=Viewer(None))
    return service


def demo_options_and_moves(game: Game) -> tuple[dict[str, str], list[str]]:
    """The options of a demonstration, and the moves of its first line of play."""
    lines = game.texts.demo().partition("\ngoto ")[0].splitlines()
    begin_line = next(line for line in lines if line.startswith("new "))
    moves = [line for line in lines if line.partition(" ")[0].endswith(":")]
    return dict(word.split("=") for word in begin_line.split() if "=" in word), moves
