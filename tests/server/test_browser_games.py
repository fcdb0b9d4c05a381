"""Games in real browsers, to their end: by clicks alone, against a terminal; and hostile names, chat and cards.

`ZIM_BROWSER_MOVES=999` plays whole games by clicks, from the first move on; usually the last few are.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

import zimcore.games.africana
from tests.picture.conftest import demo_options_and_moves
from tests.server.browser import Browser, browsers, offer_seats
from tests.server.server_process import Process, run_zim, running_server
from zimcore.commits import Position
from zimcore.game import Game
from zimcore.games import africana, zimbabwe
from zimcore.service import GameService, Viewer, open_service

LAST_MOVE_COUNT = int(os.environ.get("ZIM_BROWSER_MOVES", "5"))
"""Moves of a game that are played in the browsers."""
HOSTILE_NAME = "<img src=x onerror=window.hacked=1>"


class Site:
    """A server, its store, and two browsers."""

    def __init__(self, server: Process, service: GameService, folder: Path, browsers: list[Browser]) -> None:
        self.server = server
        self.service = service
        self.folder = folder
        self.first_browser, self.second_browser = browsers


@pytest.fixture(scope="module")
def site(find_program: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("site")
    service = open_service(f"sqlite:///{folder}/games.db")
    with (
        service.store,
        running_server(folder) as server,
        browsers(server, find_program, [tmp_path_factory.mktemp("profile") for _ in range(2)]) as opened_browsers,
    ):
        yield Site(server, service, folder, opened_browsers)


@pytest.mark.parametrize("game", [zimbabwe.GAME, africana.GAME], ids=lambda game: game.name)
def test_two_browsers_play_a_game_to_its_end_by_clicks(site: Site, game: Game) -> None:
    options, moves = demo_options_and_moves(game)
    service, name = site.service, f"clicks-{game.name}"
    links = offer_seats(service, game.name, options, name)
    for move in moves[:-LAST_MOVE_COUNT]:
        service.play(name, move, by="anna", viewer=Viewer(None))
    browser_of_seat = {}
    for number, (seat, link) in enumerate(links.items()):
        browser_of_seat[seat] = (site.first_browser, site.second_browser)[number % 2]
        browser_of_seat[seat].join(link, f"who plays {seat}")
    first_number = max(len(moves) - LAST_MOVE_COUNT, 0)
    for number, move in enumerate(moves[-LAST_MOVE_COUNT:], first_number + 1):
        seat, text = move.split(": ", 1)
        if browser_of_seat[seat].run("return document.getElementById('main').dataset.seat") != seat:
            browser_of_seat[seat].until(
                partial(open_game, browser_of_seat[seat], f"/games/{name}?as={seat}")
            )  # two seats in one browser
            browser_of_seat[seat].wait_until_live()
        browser_of_seat[seat].until_text("#now h2", "Your turn")
        browser_of_seat[seat].play_by_clicks(text)
        for browser in (site.first_browser, site.second_browser):
            browser.until_number(number)
    for browser in (site.first_browser, site.second_browser):
        browser.until_text("#now h2", "It is over")
        # Clicks that follow one another this fast are asked to wait now and then: the page does, and goes on.
        allowed_texts = ("status of 429", "favicon.ico")  # a page that is asked to wait has no icon
        assert [
            complaint for complaint in browser.console_errors() if not any(text in complaint for text in allowed_texts)
        ] == []
    head = service.head(name)
    assert head.outcome.over
    assert f"{head.outcome.winner} has won" in site.first_browser.text("#dock")
    assert [commit.text for commit in service.log(name)[1:]] == [move.split(": ", 1)[1] for move in moves]
    if game.chances:
        site.first_browser.until(
            lambda: site.first_browser.find_all("#turning li"), "where it turned, as a program sees it"
        )
    if not game.secrets:
        store = f"sqlite:///{site.folder}/games.db"
        run_zim(site.folder, "analyse", f"{name}@17", "--nodes", "200", "--workers", "1", "--fork", store=store)
        site.second_browser.driver.refresh()
        site.second_browser.until(lambda: site.second_browser.find_all("#better li a.line"), "better turns, as lines")
        assert site.second_browser.find_all("#log .mark")


def open_game(browser: Browser, path: str) -> object:
    """Opens a page of a game; whether it loaded, instead of a request to wait."""
    browser.open(path)
    return browser.find_all("#main")


def test_a_browser_plays_a_terminal(site: Site) -> None:
    links = offer_seats(site.service, "zimbabwe", {"players": "2", "seed": "3", "max_rounds": "1"}, "mixed")
    (own_seat, link), (_, other_link) = links.items()
    site.first_browser.join(link, "Ann")
    run_zim(site.folder, "join", f"{site.server.url}/join#{other_link}", store=site.server.url)
    while not (head := site.service.head("mixed")).outcome.over:
        play_move(site, "mixed", head.to_move[0] == own_seat, ending_move(head), head.commit.number + 1)
    site.first_browser.until_text("#now h2", "It is over")
    assert "has won" in run_zim(site.folder, "show", "mixed", store=site.server.url)


def ending_move(position: Position) -> str:
    """A move that ends something, if there is one."""
    legal_moves = [*position.legal().texts()]
    return next((text for text in ("pass", "end") if text in legal_moves), legal_moves[0])


def play_move(site: Site, game: str, in_browser: bool, text: str, number: int) -> None:
    """A move, by clicks in the browser or by a command at the terminal."""
    if in_browser:
        site.first_browser.until_text("#now h2", "Your turn")
        site.first_browser.play_by_clicks(text)
    else:
        run_zim(site.folder, "do", game, text, store=site.server.url)
    site.first_browser.until_number(number)


def test_players_chat_request_takebacks_and_give_orders_on_a_page(site: Site) -> None:
    links = offer_seats(site.service, "zimbabwe", {"players": "2", "seed": "3"}, "talk")
    ann_browser, ben_browser = site.first_browser, site.second_browser
    for browser, link in zip((ann_browser, ben_browser), links.values(), strict=True):
        browser.join(link, f"who has {link[-4:]}")
    first_move = ending_move(site.service.head("talk"))
    ann_browser.play_by_clicks(first_move)
    ben_browser.run("document.getElementById('talk').open = true")
    ben_browser.find("#remark").send_keys(f"well begun {HOSTILE_NAME}")
    ben_browser.click("form:has(#remark) button")
    ann_browser.until_text("#unheard", "1 new remark")
    ann_browser.click("#unheard")
    ann_browser.until_text("#talk-list", f"well begun {HOSTILE_NAME}")
    ben_browser.find("#remark").send_keys("half a remark")
    ben_browser.click("#talk [value='Good luck']")
    ann_browser.until_text("#talk-list", "Good luck")
    ben_browser.until(lambda: ben_browser.run("return document.activeElement.value") == "Good luck")
    assert ben_browser.find("#remark").get_attribute("value") == "half a remark"
    ben_browser.run("document.getElementById('remark').value = ''")
    assert ann_browser.find_all("#seatbar .watchers") == [], "who has a seat does not watch"
    assert not ann_browser.find("#unheard").is_displayed()
    ben_browser.run("document.getElementById('orders').open = true")
    next_move = ending_move(site.service.head("talk"))
    ben_browser.find("#order").send_keys(next_move)
    ann_browser.run("document.querySelector('#takebacks details').open = true")
    ann_browser.click("#takebacks form button")
    ann_browser.until_text("#takebacks .preview", "1 move would be gone")
    ann_browser.click("#takebacks .preview button")
    ben_browser.until_text("#asked .request", "asked to go back to the beginning")
    assert ben_browser.find("#order").get_attribute("value") == next_move, "what is typed stays"
    ben_browser.click("#asked .request .answer-it button")
    for browser in (ann_browser, ben_browser):
        browser.until_number(0)
    ben_browser.click("#orders > form button")
    ben_browser.until_text("#orders-list", next_move)
    ann_browser.until_text("#now h2", "Your turn")
    ann_browser.play_by_clicks(first_move)
    for browser in (ann_browser, ben_browser):
        browser.until_number(2)
        assert browser.run("return window.hacked") is None
        assert browser.console_errors() == []


@pytest.mark.parametrize("width", [390, 1300])
def test_tapped_squares_narrow_the_offers(site: Site, width: int) -> None:
    browser = site.first_browser
    name, seats = f"squares-{width}", begin_demo(site, f"squares-{width}", 15)
    browser.join(seats["lozi"], "Lo")
    browser.resize(width)
    assert browser.text("#you") == "You are Lozi"
    assert browser.text("#tables tr.mine").startswith("Lo you")
    offer_count = len(browser.find_all("#found .offers a"))
    browser.tap("n9")
    browser.until_text("#found", "Nothing can be played on n9.")
    assert len(browser.find_all("#found .offers a")) == offer_count > 0
    browser.type("craft potter")
    browser.until_text("#found", "more: type on, or tap a square")
    browser.tap("e1")
    browser.until_text("#how-many", "6 moves begin so at e1.")
    assert {"d1", "e1", "e2"} == {*browser.run(LIT_SQUARES)}
    browser.tap("d1")
    browser.until_text("#how-many", "3 moves begin so at e1 and d1.")
    assert browser.run("return document.querySelectorAll('.lights .meant').length") == 2
    browser.tap("d1")
    browser.until_text("#how-many", "6 moves begin so at e1.")
    browser.click("#found a[data-squares='']")
    browser.until_text("#how-many", "513 moves begin so.")
    browser.tap("e1")
    browser.until_text("#how-many", "at e1.")
    browser.click("#clear")
    browser.until(lambda: not browser.run(LIT_SQUARES))
    assert site.service.head(name).commit.number == 15
    assert browser.console_errors() == []


LIT_SQUARES = "return [...document.querySelectorAll('.lights rect')].map(each => each.dataset.square)"


def begin_demo(site: Site, name: str, move_count: int) -> dict[str, str]:
    """Begins a demonstration and plays its first moves; returns the links to its seats."""
    options, demo_moves = demo_options_and_moves(zimbabwe.GAME)
    links = offer_seats(site.service, "zimbabwe", options, name)
    for move in demo_moves[:move_count]:
        site.service.play(name, move, by="anna", viewer=Viewer(None))
    return links


def test_a_tapped_square_is_explained_below_the_board(site: Site) -> None:
    browser = site.first_browser
    browser.join(begin_demo(site, "glance", 15)["kilwa"], "Kay")
    browser.resize(390, 844)
    browser.run("scrollTo(0, 0)")
    browser.tap("k8")
    browser.until_text("#glance", "k8 is kilwa's ivory carver")
    assert browser.run("return scrollY") == 0, "the board stays in view"
    browser.click("#glance button")
    browser.until(lambda: browser.run("return scrollY") > 844, "and the rest is further down")
    browser.resize(1300)
    browser.click("#back")
    browser.until(lambda: not browser.find("#glance").is_displayed())
    browser.tap("k8")
    browser.until_text("#because", "after move 14")
    assert not browser.find("#glance").is_displayed()


def test_the_side_of_a_page_follows_a_game_to_its_end(site: Site) -> None:
    browser, name = site.first_browser, "follows"
    moves = demo_options_and_moves(zimbabwe.GAME)[1]
    browser.join(begin_demo(site, name, len(moves) - 1)["kilwa"], "Kay")
    browser.resize(1300)
    for details_selector in ("#study details", "#orders"):
        browser.run("document.querySelector(arguments[0]).open = true", details_selector)
    assert browser.find("#order").is_displayed()
    browser.run("document.querySelector('.this-place[data-back=\"0\"]').value = 'typed'")
    site.service.play(name, moves[-1], by="anna", viewer=Viewer(None))
    browser.until_text("#dock", "Zulu has won: 33 VP, 31 VR")
    browser.until_text("#lines", f"main @{len(moves)}")
    places = browser.run("return [...document.querySelectorAll('.this-place')].map(each => each.value)")
    assert places == [f"main@{len(moves) - 1}", "typed"]
    for selector in ("#orders", "#notify"):
        assert not browser.find(selector).is_displayed()


def test_a_click_explains_a_figure_and_a_what_if_leads_back(site: Site) -> None:
    options, moves = demo_options_and_moves(zimbabwe.GAME)
    links = offer_seats(site.service, "zimbabwe", options, "study")
    for move in moves[:60]:
        site.service.play("study", move, by="anna", viewer=Viewer(None))
    [seat], browser = site.service.head("study").to_move, site.first_browser
    browser.join(links[seat], "Ann")
    browser.click("#tables td a[href$='why=kilwa.vp']")
    browser.until_text("#because", "VP of Ann is 10")
    assert "monument" in browser.text("#because")
    browser.click("#because a[data-step]")
    browser.until_text("#status", "looking back")
    browser.click("[data-ask=preview]")
    browser.until_text("#answer", "Ranking")
    browser.click("#last")
    browser.click("[data-ask=hint]")
    browser.until_text("#answer", "%")
    browser.click("#try-it button")
    browser.until(lambda: browser.find_all(".own-line"))
    browser.wait_until_live()
    browser.play_by_clicks(next(iter(site.service.position(f"study/{seat}--what-if").legal().texts())))
    assert browser.move_number == 61
    browser.click(".own-line a")
    browser.until(lambda: not browser.find_all(".own-line"))
    browser.wait_until_live()
    assert browser.move_number == 60
    assert site.service.head("study").commit.number == 60
    assert len(browser.find_all(".lanes a")) == 2
    assert browser.console_errors() == []


def test_the_browser_notifies_of_a_turn_on_request(site: Site) -> None:
    links = offer_seats(site.service, "zimbabwe", {"players": "2", "seed": "3"}, "turns")
    (first_seat, _), (_, link) = links.items()
    browser = site.first_browser
    browser.cdp("Page.addScriptToEvaluateOnNewDocument", source=STUB_NOTIFICATIONS)
    browser.join(link, "Ben")
    assert browser.run("return [window.notes.asked, window.notes.told.length]") == [0, 0], (
        "loading a page asks for no permission"
    )
    browser.click("#notify")
    browser.until(lambda: browser.run("return window.notes.asked") == 1)
    browser.until(lambda: browser.find("#notify").get_attribute("hidden"))
    browser.run("Object.defineProperty(document, 'hidden', { value: true, configurable: true })")
    site.service.play("turns", ending_move(site.service.head("turns")), by="ann", seat=first_seat, viewer=Viewer(None))
    browser.until(lambda: browser.run("return window.notes.told.length") == 1)
    assert browser.run("return window.notes.told[0]") == "It is your turn"


STUB_NOTIFICATIONS = """window.notes = { asked: 0, told: [] };
window.Notification = class { constructor(title) { window.notes.told.push(title); } close() {} };
Notification.permission = "default";
Notification.requestPermission = async () => { window.notes.asked++; return Notification.permission = "granted"; };"""


def test_hostile_names_and_cards_are_shown_as_text(site: Site, tmp_path: Path) -> None:
    components = Path(zimcore.games.africana.__file__).with_name("components.toml").read_text("utf-8")
    own_file = tmp_path / "own.toml"
    assert components.count('title = "Lagos"') == 1
    own_file.write_text(components.replace('title = "Lagos"', f"title = '</text></svg>{HOSTILE_NAME}'"), "utf-8")
    options = {"players": "2", "seed": "7", "components": str(own_file)}
    links = offer_seats(site.service, "africana", options, "evil")
    browser = site.second_browser
    browser.join(next(iter(links.values())), "Eve")
    for element_id in ("board", "tables", "seats"):
        assert (
            browser.run("return document.getElementById(arguments[0]).querySelectorAll('img').length", element_id) == 0
        )
    assert "onerror" in browser.run("return document.getElementById('board').textContent"), "the title is shown as text"
    assert browser.run("return window.hacked") is None
    assert browser.console_errors() == []
