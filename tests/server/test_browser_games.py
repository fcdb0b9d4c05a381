"""Games in real browsers, to their end: by clicks alone, against a terminal; and names, talk and cards that mean harm.

`ZIM_BROWSER_MOVES=999` plays whole games by clicks, from the first move on; usually the last few are.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

import zimcore.games.africana
from tests.picture.conftest import demo_line
from tests.server.browsing import Browser, browsers, offer_seats
from tests.server.process import Process, serving, zim
from zimcore.commits import Position
from zimcore.game import Game
from zimcore.games import africana, zimbabwe
from zimcore.service import GameService, Viewer, open_service

LAST = int(os.environ.get("ZIM_BROWSER_MOVES", "5"))
"""Moves of a game that are played in the browsers."""
EVIL = "<img src=x onerror=window.hacked=1>"


class Site:
    """A server, its store, and two browsers."""

    def __init__(self, server: Process, service: GameService, folder: Path, browsers: list[Browser]) -> None:
        self.server = server
        self.service = service
        self.folder = folder
        self.first, self.second = browsers


@pytest.fixture(scope="module")
def site(program: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder = tmp_path_factory.mktemp("site")
    service = open_service(f"sqlite:///{folder}/games.db")
    with (
        service.store,
        serving(folder) as server,
        browsers(server, program, [tmp_path_factory.mktemp("profile") for _ in range(2)]) as both,
    ):
        yield Site(server, service, folder, both)


@pytest.mark.parametrize("game", [zimbabwe.GAME, africana.GAME], ids=lambda game: game.name)
def test_two_browsers_play_a_game_to_its_end_by_clicks(site: Site, game: Game) -> None:
    options, moves = demo_line(game)
    service, name = site.service, f"clicks-{game.name}"
    links = offer_seats(service, game.name, options, name)
    for move in moves[:-LAST]:
        service.play(name, move, by="anna", viewer=Viewer(None))
    at = {}
    for number, (seat, link) in enumerate(links.items()):
        at[seat] = (site.first, site.second)[number % 2]
        at[seat].join(link, f"who plays {seat}")
    begun = max(len(moves) - LAST, 0)
    for number, move in enumerate(moves[-LAST:], begun + 1):
        seat, text = move.split(": ", 1)
        if at[seat].run("return document.getElementById('main').dataset.seat") != seat:
            at[seat].until(partial(open_game, at[seat], f"/games/{name}?as={seat}"))  # two seats in one browser
            at[seat].live()
        at[seat].until_text("#now h2", "Your turn")
        at[seat].click_through(text)
        for each in (site.first, site.second):
            each.until_number(number)
    for each in (site.first, site.second):
        each.until_text("#now h2", "It is over")
        # Clicks that follow one another this fast are asked to wait now and then: the page does, and goes on.
        waits = ("status of 429", "favicon.ico")  # a page that is asked to wait has no icon
        assert [complaint for complaint in each.complaints() if not any(word in complaint for word in waits)] == []
    head = service.head(name)
    assert head.outcome.over
    assert f"{head.outcome.winner} has won" in site.first.text("#now")
    assert [commit.text for commit in service.log(name)[1:]] == [move.split(": ", 1)[1] for move in moves]
    if game.chances:
        site.first.until(lambda: site.first.all("#turning li"), "where it turned, as a program sees it")
    if not game.secrets:
        store = f"sqlite:///{site.folder}/games.db"
        zim(site.folder, "analyse", f"{name}@17", "--nodes", "200", "--workers", "1", "--fork", store=store)
        site.second.driver.refresh()
        site.second.until(lambda: site.second.all("#better li a.line"), "better turns, as lines")
        assert site.second.all("#log .mark")


def open_game(at: Browser, path: str) -> object:
    """Opens a page of a game; whether it came, or one was asked to wait."""
    at.open(path)
    return at.all("#main")


def test_a_browser_plays_a_terminal(site: Site) -> None:
    links = offer_seats(site.service, "zimbabwe", {"players": "2", "seed": "3", "max_rounds": "1"}, "mixed")
    (mine, link), (_, other) = links.items()
    site.first.join(link, "Ann")
    zim(site.folder, "join", f"{site.server.url}/join#{other}", store=site.server.url)
    while not (head := site.service.head("mixed")).outcome.over:
        play_move(site, "mixed", head.to_move[0] == mine, simple(head), head.commit.number + 1)
    site.first.until_text("#now h2", "It is over")
    assert "has won" in zim(site.folder, "show", "mixed", store=site.server.url)


def simple(head: Position) -> str:
    """A move that ends something, if there is one."""
    legal = [*head.legal().texts()]
    return next((text for text in ("pass", "end") if text in legal), legal[0])


def play_move(site: Site, game: str, mine: bool, text: str, number: int) -> None:
    """A move, by clicks in the browser or by a command at the terminal."""
    if mine:
        site.first.until_text("#now h2", "Your turn")
        site.first.click_through(text)
    else:
        zim(site.folder, "do", game, text, store=site.server.url)
    site.first.until_number(number)


def test_people_talk_ask_and_order_beside_the_board(site: Site) -> None:
    links = offer_seats(site.service, "zimbabwe", {"players": "2", "seed": "3"}, "talk")
    ann, ben = site.first, site.second
    for at, link in zip((ann, ben), links.values(), strict=True):
        at.join(link, f"who has {link[-4:]}")
    start = simple(site.service.head("talk"))
    ann.click_through(start)
    ben.run("document.getElementById('talk').open = true")
    ben.find("#remark").send_keys(f"well begun {EVIL}")
    ben.click("form:has(#remark) button")
    ann.until_text("#unheard", "1 new remark")
    ann.click("#unheard")
    ann.until_text("#talk-list", f"well begun {EVIL}")
    ben.find("#remark").send_keys("half a remark")
    ben.click("#talk [value='Good luck']")
    ann.until_text("#talk-list", "Good luck")
    ben.until(lambda: ben.run("return document.activeElement.value") == "Good luck")
    assert ben.find("#remark").get_attribute("value") == "half a remark"
    ben.run("document.getElementById('remark').value = ''")
    assert ann.all("#seatbar .watchers") == [], "who has a seat does not watch"
    assert not ann.find("#unheard").is_displayed()
    ben.run("document.getElementById('orders').open = true")
    then = simple(site.service.head("talk"))
    ben.find("#order").send_keys(then)
    ann.run("document.querySelector('#takebacks details').open = true")
    ann.click("#takebacks form button")
    ann.until_text("#takebacks .preview", "1 move would be gone")
    ann.click("#takebacks .preview button")
    ben.until_text("#act .request", "asked to go back to the beginning")
    assert ben.find("#order").get_attribute("value") == then, "what is typed stays"
    ben.click("#act .request .answer-it button")
    for at in (ann, ben):
        at.until_number(0)
    ben.click("#orders > form button")
    ben.until_text("#orders-list", then)
    ann.until_text("#now h2", "Your turn")
    ann.click_through(start)
    for at in (ann, ben):
        at.until_number(2)
        assert at.run("return window.hacked") is None
        assert at.complaints() == []


@pytest.mark.parametrize("width", [390, 1300])
def test_squares_are_pointed_at_one_after_the_other(site: Site, width: int) -> None:
    at = site.first
    name, seats = f"squares-{width}", begin_demo(site, f"squares-{width}", 15)
    at.join(seats["lozi"], "Lo")
    at.size(width)
    assert at.text("#you") == "You are Lozi"
    assert at.text("#tables tr.mine").startswith("Lo you")
    offers = len(at.all("#found .offers a"))
    at.tap("n9")
    at.until_text("#found", "Nothing can be played on n9.")
    assert len(at.all("#found .offers a")) == offers > 0
    at.type("craft potter")
    at.until_text("#found", "more: type on, or tap a square")
    at.tap("e1")
    at.until_text("#how-many", "6 moves begin so at e1.")
    assert {"d1", "e1", "e2"} == {*at.run(LIT)}
    at.tap("d1")
    at.until_text("#how-many", "3 moves begin so at e1 and d1.")
    assert at.run("return document.querySelectorAll('.lights .meant').length") == 2
    at.tap("d1")
    at.until_text("#how-many", "6 moves begin so at e1.")
    at.click("#found a[data-squares='']")
    at.until_text("#how-many", "513 moves begin so.")
    at.tap("e1")
    at.until_text("#how-many", "at e1.")
    at.click("#clear")
    at.until(lambda: not at.run(LIT))
    assert site.service.head(name).commit.number == 15
    assert at.complaints() == []


LIT = "return [...document.querySelectorAll('.lights rect')].map(each => each.dataset.square)"


def begin_demo(site: Site, name: str, moves: int) -> dict[str, str]:
    """Begins a demonstration and plays so many of its moves: the links to its seats."""
    options, played = demo_line(zimbabwe.GAME)
    links = offer_seats(site.service, "zimbabwe", options, name)
    for move in played[:moves]:
        site.service.play(name, move, by="anna", viewer=Viewer(None))
    return links


def test_what_a_square_is_stands_below_the_board_while_others_are_to_move(site: Site) -> None:
    at = site.first
    at.join(begin_demo(site, "glance", 15)["kilwa"], "Kay")
    at.size(390, 844)
    at.run("scrollTo(0, 0)")
    at.tap("k8")
    at.until_text("#glance", "k8 is kilwa's ivory carver")
    assert at.run("return scrollY") == 0, "the board stays in view"
    at.click("#glance button")
    at.until(lambda: at.run("return scrollY") > 844, "and the rest is further down")
    at.size(1300)
    at.click("#back")
    at.until(lambda: not at.find("#glance").is_displayed())
    at.tap("k8")
    at.until_text("#because", "after move 14")
    assert not at.find("#glance").is_displayed()


def test_what_stands_beside_it_follows_a_game_to_its_end(site: Site) -> None:
    at, name = site.first, "follows"
    moves = demo_line(zimbabwe.GAME)[1]
    at.join(begin_demo(site, name, len(moves) - 1)["kilwa"], "Kay")
    at.size(1300)
    for part in ("#study details", "#orders"):
        at.run("document.querySelector(arguments[0]).open = true", part)
    assert at.find("#order").is_displayed()
    at.run("document.querySelector('.this-place[data-back=\"0\"]').value = 'typed'")
    site.service.play(name, moves[-1], by="anna", viewer=Viewer(None))
    at.until_text("#now", "Zulu has won: 33 VP, 31 VR")
    at.until_text("#lines", f"main @{len(moves)}")
    places = at.run("return [...document.querySelectorAll('.this-place')].map(each => each.value)")
    assert places == [f"main@{len(moves) - 1}", "typed"]
    for selector in ("#orders", "#notify"):
        assert not at.find(selector).is_displayed()


def test_a_figure_tells_why_by_a_click_and_a_what_if_leads_back(site: Site) -> None:
    options, moves = demo_line(zimbabwe.GAME)
    links = offer_seats(site.service, "zimbabwe", options, "study")
    for move in moves[:60]:
        site.service.play("study", move, by="anna", viewer=Viewer(None))
    [seat], at = site.service.head("study").to_move, site.first
    at.join(links[seat], "Ann")
    at.click("#tables td a[href$='why=kilwa.vp']")
    at.until_text("#because", "kilwa.vp is")
    assert "monument" in at.text("#because")
    at.click("#because a[data-step]")
    at.until_text("#status", "looking back")
    at.click("[data-ask=preview]")
    at.until_text("#answer", "Ranking")
    at.click("#last")
    at.click("[data-ask=hint]")
    at.until_text("#answer", "%")
    at.click("#try-it button")
    at.until(lambda: at.all(".own-line"))
    at.live()
    at.click_through(next(iter(site.service.position(f"study/{seat}--what-if").legal().texts())))
    assert at.number == 61
    at.click(".own-line a")
    at.until(lambda: not at.all(".own-line"))
    at.live()
    assert at.number == 60
    assert site.service.head("study").commit.number == 60
    assert len(at.all(".lanes a")) == 2
    assert at.complaints() == []


def test_the_browser_notifies_of_a_turn_if_asked_to(site: Site) -> None:
    links = offer_seats(site.service, "zimbabwe", {"players": "2", "seed": "3"}, "turns")
    (first, _), (_, link) = links.items()
    at = site.first
    at.cdp("Page.addScriptToEvaluateOnNewDocument", source=NOTES)
    at.join(link, "Ben")
    assert at.run("return [window.notes.asked, window.notes.told.length]") == [0, 0], "nobody is asked at load"
    at.click("#notify")
    at.until(lambda: at.run("return window.notes.asked") == 1)
    at.until(lambda: at.find("#notify").get_attribute("hidden"))
    at.run("Object.defineProperty(document, 'hidden', { value: true, configurable: true })")
    site.service.play("turns", simple(site.service.head("turns")), by="ann", seat=first, viewer=Viewer(None))
    at.until(lambda: at.run("return window.notes.told.length") == 1)
    assert at.run("return window.notes.told[0]") == "It is your turn"


NOTES = """window.notes = { asked: 0, told: [] };
window.Notification = class { constructor(title) { window.notes.told.push(title); } close() {} };
Notification.permission = "default";
Notification.requestPermission = async () => { window.notes.asked++; return Notification.permission = "granted"; };"""


def test_names_and_cards_that_mean_harm_are_words(site: Site, tmp_path: Path) -> None:
    box = Path(zimcore.games.africana.__file__).with_name("components.toml").read_text("utf-8")
    own = tmp_path / "own.toml"
    assert box.count('title = "Lagos"') == 1
    own.write_text(box.replace('title = "Lagos"', f"title = '</text></svg>{EVIL}'"), "utf-8")
    options = {"players": "2", "seed": "7", "components": str(own)}
    links = offer_seats(site.service, "africana", options, "evil")
    at = site.second
    at.join(next(iter(links.values())), "Eve")
    for part in ("board", "tables", "seats"):
        assert at.run("return document.getElementById(arguments[0]).querySelectorAll('img').length", part) == 0
    assert "onerror" in at.run("return document.getElementById('board').textContent"), "it is told as it is"
    assert at.run("return window.hacked") is None
    assert at.complaints() == []
