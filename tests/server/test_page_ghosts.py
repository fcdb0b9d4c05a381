"""What a move would add to the board: the plate with its effect covers no letters beside the squares."""

from __future__ import annotations

import re

import pytest

from event_store import EventStore
from tests.picture.conftest import demo_options_and_moves
from zimcore.game import Game
from zimcore.games import africana, zimbabwe
from zimcore.picture.overlays import PLATE_HEIGHT, plate_width
from zimcore.server.pages.steps import ghost_of
from zimcore.service import GameService, Viewer
from zimcore.toolkit.svg import SIDE

PLATE_PLACE = re.compile(r'translate\((-?[\d.]+)[ ,](-?[\d.]+)\)"><rect width="([\d.]+)" height="19')


@pytest.mark.parametrize(("game", "fewest"), [(zimbabwe.GAME, 20), (africana.GAME, 0)])
def test_the_effect_of_a_move_stands_on_squares(game: Game, fewest: int) -> None:
    options, moves = demo_options_and_moves(game)
    service = GameService(EventStore.open("memory:"))
    with service.store:
        position, seen = service.new(game.name, options, name="k", by="anna"), 0
        for move in moves[:90]:
            service.play("k", move, by="anna", viewer=Viewer(None))
            before, position = position, service.position("k")
            drawings = ghost_of(before, position)
            board, summary = position.board, position.commit.summary
            assert board
            for x, top, width in (map(float, place) for place in PLATE_PLACE.findall("".join(drawings[-1:]))):
                assert 0 <= x <= max(0, len(board.columns) * SIDE - plate_width(summary)), move
                assert 0 <= top <= len(board.rows) * SIDE - PLATE_HEIGHT, move
                seen += width == plate_width(summary)
        assert seen >= fewest, "plates were seen"
