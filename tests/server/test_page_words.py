"""Pages show words: no identifier with an underscore or a slash."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from tests.picture.conftest import demo_options_and_moves
from tests.server.game_server import GameServer, game_server
from tests.server.test_pages import get_page
from zimcore.game import Game
from zimcore.games import africana, zimbabwe
from zimcore.service import Viewer

MOVES_PER_PAGE = 15
"""Moves between two pages that are read."""
NOTATION = r'<code>.*?</code>|<small class="notation">.*?</small>|<script.*?</script>'
"""Elements with notation, for people who type."""


@pytest.mark.parametrize("game", [zimbabwe.GAME, africana.GAME], ids=lambda game: game.name)
def test_pages_show_words_and_no_identifiers(tmp_path: Path, game: Game) -> None:
    options, moves = demo_options_and_moves(game)
    with game_server(tmp_path, game.name, options, public=True) as server:
        for number, move in enumerate(moves):
            if number % MOVES_PER_PAGE == 0:
                assert [identifier for page in page_texts(server, move) for identifier in identifiers(page)] == [], (
                    number
                )
            server.service.play("k", move, by="anna", viewer=Viewer(None))
        steps: Any = server.http.get("/games/k/steps").json()
        assert [identifier for text in step_texts(steps) for identifier in identifiers(text)] == []


def page_texts(server: GameServer, move: str) -> Iterator[str]:
    """The page of the seat that is to move, and those parts of it in which the move is chosen and shown."""
    seat, text = move.split(": ", 1)
    token = server.seats[seat].token
    yield get_page(server, f"/games/k?as={seat}", token).text
    words = text.split(" ")
    for typed_text in ("", words[0], " ".join(words[:2]), text):
        yield get_page(server, f"/games/k?as={seat}&say={typed_text}", token, **{"Zim-Part": "act"}).text


def step_texts(steps: Any) -> Iterator[str]:
    """What each step shows beside the board, in the log and of its squares."""
    for step in steps["steps"]:
        yield from (step["side"], step["entry"], step["status"])
    yield from (each["about"] for each in steps["parts"].values() if each.get("about"))


def identifiers(page: str) -> Iterator[str]:
    """The first identifiers in a page's text."""
    text = html.unescape(re.sub(r"<[^>]*>", " ", re.sub(NOTATION, " ", page, flags=re.DOTALL)))
    yield from islice((match[0] for match in re.finditer(r"\S*[a-z]_[a-z]\S*|\b(?:plaque|card)/\w+", text)), 3)


def test_an_identifier_is_found_in_text_only() -> None:
    page = '<p title="a_b">a_bc <code>d_e</code> plaque/gu and/or f_g</p><small class="notation">x_y</small>'
    assert [*identifiers(page)] == ["a_bc", "plaque/gu", "f_g"]
