"""A hand of cards on the page of a game that has no board."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests import nim
from tests.remote.loopback_server import LoopbackServer
from tests.server.browser import BROWSERS, browser, offer_seats
from zimcore.game import Seat


def test_a_card_is_tapped_where_there_is_no_board(
    tmp_path: Path, find_program: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    display = nim.GAME.display
    figures = display.figures

    def figures_with_hand(state: Any, seat: Seat) -> Any:
        return {**figures(state, seat), "hand": ["1", "2", "3"]}

    monkeypatch.setattr(display, "HAND", "hand")
    monkeypatch.setattr(display, "figures", figures_with_hand)
    program, chromedriver = find_program(*BROWSERS), find_program("chromedriver")
    server = LoopbackServer(tmp_path)
    link = offer_seats(server.service, "nim", {"seed": "7"}, "k")["ann"]
    server.start()
    try:
        with browser(server.url, program, chromedriver, tmp_path / "profile") as page:
            page.join(link, "Ann")
            assert not page.find_all("#board")
            page.run("window.isSamePage = true")
            page.click("#hand a[data-card='2']")
            page.until_text(".preview .play", "take 2")
            assert page.run("return window.isSamePage"), "the page was loaded again"
            page.click(".preview .play")
            page.until_number(1)
            assert page.console_errors() == []
    finally:
        server.stop()
    assert server.service.head("k").commit.text == "take 2"
