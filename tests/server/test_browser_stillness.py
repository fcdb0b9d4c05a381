"""The page keeps still: verbs and Play in view at every size, no jumps, and no move lost with the connection."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import pytest

from tests.picture.conftest import demo_options_and_moves
from tests.server.browser import Browser, browsers, offer_seats
from tests.server.server_process import running_server
from zimcore.games import zimbabwe
from zimcore.service import GameService, Viewer, open_service

SIZES = ((360, 640), (390, 844), (1024, 768), (1180, 820), (1366, 768), (2560, 1440))
ENDING_MOVES = 12
MAX_SHIFT = 0.01
"""The layout shift of a whole game, as browsers measure it: the moved share of the window by how far it moved."""
RECORD_SHIFTS = """window.shifts = [];
new PerformanceObserver(list => {
  for (const each of list.getEntries())
    window.shifts.push([each.value, ...each.sources.map(one => one.node?.id || one.node?.className)]);
}).observe({ type: "layout-shift" })"""
TYPED_TEXT = "return document.getElementById('found').dataset.say"
SHOWN_WHOLE = """return [...document.querySelectorAll(arguments[0])].map(each => {
  const { left, top, right, bottom, width } = each.getBoundingClientRect();
  const on = document.elementFromPoint(left + width / 2, (top + bottom) / 2);
  return left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight && each.contains(on);
})"""


class Site:
    """A service, and a browser with all seats of a game of two players and of one of four, with long names."""

    def __init__(self, service: GameService, browser: Browser) -> None:
        self.service, self.browser = service, browser

    def sit(self, game: str, seat: str) -> Browser:
        self.browser.open(f"/games/{game}?as={seat}")
        self.browser.wait_until_live()
        return self.browser


@pytest.fixture(scope="module")
def site(find_program: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("site")
    service = open_service(f"sqlite:///{folder}/games.db")
    duel_links = offer_seats(service, "zimbabwe", {"players": "2", "seed": "3"}, "duel")
    options, moves = demo_options_and_moves(zimbabwe.GAME)
    demo_links = offer_seats(service, "zimbabwe", options, "demo")
    ending_links = offer_seats(service, "zimbabwe", options, "ending")
    for game, move_count in (("demo", 60), ("ending", len(moves) - ENDING_MOVES)):
        for move in moves[:move_count]:
            service.play(game, move, by="anna", viewer=Viewer(None))
    with (
        service.store,
        running_server(folder) as server,
        browsers(server, find_program, [tmp_path_factory.mktemp("profile")]) as [browser],
    ):
        browser.resize(1366, 768)
        for links in (duel_links, demo_links, ending_links):
            for number, link in enumerate(links.values(), 1):
                browser.join(link, f"Player {number} with a name that is as long as names can be")
        yield Site(service, browser)


def is_typed(browser: Browser, text: str) -> bool:
    """Whether the page shows what can be played after a text."""
    return bool(browser.run(TYPED_TEXT) == text)


def test_verbs_and_play_are_in_view_at_every_size_wherever_the_panel_is(site: Site) -> None:
    browser = site.sit("demo", site.service.head("demo").to_move[0])
    try:
        for size in SIZES:
            browser.resize(*size)
            for text in ("", "craft potter", "end"):
                browser.click("#clear")
                browser.type(text)
                browser.until(partial(is_typed, browser, text))
                browser.run("document.getElementById('around').scrollIntoView(); scrollBy(0, 300)")
                for selector in (".verb", ".play"):
                    shown = browser.run(SHOWN_WHOLE, selector)
                    assert shown, selector
                    assert all(shown), (size, text, selector)
            browser.click("#clear")
            assert browser.run("return document.documentElement.scrollWidth") <= size[0]
    finally:
        browser.resize(1366, 768)


@pytest.mark.parametrize("game", ["demo", "ending"])
def test_nothing_jumps_while_others_play_and_at_the_end(site: Site, game: str) -> None:
    first_number = site.service.head(game).commit.number
    moves = demo_options_and_moves(zimbabwe.GAME)[1][first_number : first_number + 20]
    browser = site.sit(game, "kilwa")
    browser.run(RECORD_SHIFTS)
    for number, move in enumerate(moves, first_number + 1):
        site.service.play(game, move, by="anna", viewer=Viewer(None))
        browser.until_number(number)
    if game == "ending":
        browser.until_text("#dock", "has won")
        browser.until(lambda: browser.find_all("#course svg[aria-label^='chance']"))
    shifts = browser.run("return window.shifts")
    assert sum(shift[0] for shift in shifts) <= MAX_SHIFT, shifts


def test_a_move_is_sent_again_once_there_is_a_connection(site: Site) -> None:
    browser = site.sit("duel", site.service.head("duel").to_move[0])
    [move, *_] = site.service.position("duel").legal().texts()
    browser.type(move)
    browser.until(lambda: browser.find_all(".preview .play"))
    browser.cdp("Network.enable")
    network = {"latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}
    browser.cdp("Network.emulateNetworkConditions", offline=True, **network)
    browser.click(".preview .play")
    browser.until_text("#dock", "Not sent yet: it will be, as soon as there is a connection")
    assert site.service.head("duel").commit.number == 0
    browser.cdp("Network.emulateNetworkConditions", offline=False, **network)
    browser.until_number(1)
    assert site.service.head("duel").commit.text == move
    browser.until(lambda: "Not sent" not in browser.text("#dock"))


def test_the_panel_starts_at_its_top_when_the_turn_passes(site: Site) -> None:
    position = site.service.position("duel")
    other_seat = next(seat for seat in position.seats if seat not in position.to_move)
    browser = site.sit("duel", other_seat)
    browser.run("document.getElementById('below').scrollTop = 400")
    assert browser.run("return document.getElementById('below').scrollTop") > 0
    while other_seat not in (position := site.service.position("duel")).to_move:
        site.service.play("duel", next(iter(position.legal().texts())), by="anna", viewer=Viewer(None))
    browser.until_text("#now h2", "Your turn")
    browser.until(lambda: browser.run("return document.getElementById('below').scrollTop") == 0)
