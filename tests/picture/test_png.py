"""A PNG has its letters on a machine without fonts."""

from __future__ import annotations

import re
from functools import partial
from html import unescape
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import resvg_py
from PIL import Image, ImageChops, ImageFont

from tests.picture.conftest import demo_options_and_moves
from zimcore.game import Game
from zimcore.games import africana, zimbabwe
from zimcore.picture import png
from zimcore.picture.sheet import draw_picture
from zimcore.service import GameService, open_service


@pytest.fixture
def no_system_fonts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without fonts."""
    monkeypatch.setattr(resvg_py, "svg_to_bytes", partial(resvg_py.svg_to_bytes, skip_system_fonts=True))


def svg_of_demo(game: Game) -> str:
    """The picture of a position of the demonstration."""
    service: GameService = open_service("memory:")
    options, moves = demo_options_and_moves(game)
    service.new(game.name, options, name="demo", by="anna")
    for move in moves[:60]:
        service.play("demo", move, by="anna")
    return draw_picture(service.head("demo"), None, frozenset())


def pixels(data: bytes) -> Any:
    return Image.open(BytesIO(data)).convert("RGB")


@pytest.mark.usefixtures("no_system_fonts")
@pytest.mark.parametrize("game", [zimbabwe.GAME, africana.GAME], ids=lambda game: game.name)
def test_letters_are_drawn_without_fonts_of_the_system(
    game: Game, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    svg = svg_of_demo(game)
    with_letters = pixels(png.to_png(svg))
    monkeypatch.setattr(png, "FONTS_FOLDER", tmp_path)
    without_letters = pixels(png.to_png(svg))
    difference = (
        ImageChops.difference(with_letters, without_letters).convert("L").point(lambda value: 255 * (value > 64))
    )
    share = sum(difference.histogram()[128:]) / (difference.width * difference.height)
    assert share > 0.005, "coordinates, names and figures cover some of the picture"


@pytest.mark.parametrize("game", [zimbabwe.GAME, africana.GAME], ids=lambda game: game.name)
def test_the_font_that_comes_along_has_all_that_is_written(game: Game) -> None:
    characters = {char for text in re.findall(r">([^<]+)<", svg_of_demo(game)) for char in unescape(text)} - {"\n", " "}
    assert len(characters) > 40
    for name in ("DejaVuSerif.ttf", "DejaVuSerif-Bold.ttf"):
        font = ImageFont.truetype(str(png.FONTS_FOLDER / name), 20)
        missing_glyph = bytes(font.getmask("\uffff"))
        assert sorted(char for char in characters if bytes(font.getmask(char)) == missing_glyph) == []
