"""A notebook shows a position by `_repr_svg_`."""

from __future__ import annotations

from importlib import metadata
from xml.etree import ElementTree

import pytest

from zimcore.picture.sheet import draw_picture
from zimcore.picture.squares import squares_of_last_move
from zimcore.service import GameService


@pytest.mark.parametrize("place", ["zimbabwe@r9", "africana@20"])
def test_a_position_shows_its_board_with_the_last_move(service: GameService, place: str) -> None:
    position = service.position(place)
    svg = position._repr_svg_()
    assert svg == draw_picture(position, touched_squares=squares_of_last_move(position, position.board))
    assert ElementTree.fromstring(svg or "").tag.endswith("svg")


def test_a_position_is_shown_as_text_where_nothing_draws(service: GameService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "entry_points", lambda **_: ())
    assert service.position("zimbabwe")._repr_svg_() is None
