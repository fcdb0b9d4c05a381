"""Tabs of a browser: many at once, hidden ones, a server that is lost and comes back; turns and talk are noticed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.server.browser import BROWSERS, Browser, browsers, offer_seats
from tests.server.server_process import Process, running_server
from zimcore.service import GameService, Viewer, open_service

TAB_COUNT = 20
SET_HIDDEN = """Object.defineProperty(document, "hidden", { value: arguments[0], configurable: true });
document.dispatchEvent(new Event("visibilitychange"));"""


class Site:
    """A server, its store and a browser that has the seat that is to move first in a game."""

    def __init__(self, server: Process, service: GameService, browser: Browser, seats: list[str]) -> None:
        self.server = server
        self.service = service
        self.browser = browser
        self.own_seat, self.other_seat = seats

    def play(self, seat: str) -> int:
        """The first move that a seat can play; its number."""
        text = next(iter(self.service.position("tabs").legal().texts()))
        self.service.play("tabs", text, by="anna", seat=seat, viewer=Viewer(None))
        return self.service.head("tabs").commit.number


@pytest.fixture
def site(find_program: Callable[..., str], tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Site]:
    programs = getattr(request, "param", BROWSERS)
    service = open_service(f"sqlite:///{tmp_path}/games.db")
    links = offer_seats(service, "zimbabwe", {"players": "2", "seed": "3"}, "tabs")
    (other_seat, _), (own_seat, link) = links.items()
    with (
        service.store,
        running_server(tmp_path) as server,
        browsers(server, find_program, [tmp_path / "profile"], programs) as [browser],
    ):
        browser.resize(1300)
        browser.join(link, "Ben")
        yield Site(server, service, browser, [own_seat, other_seat])


@pytest.mark.parametrize("site", [BROWSERS[1:]], ids=["whole"], indirect=True)
def test_the_visible_one_of_twenty_tabs_follows_the_game(site: Site) -> None:
    browser = site.browser
    tabs = [browser.driver.current_window_handle]
    for _ in range(TAB_COUNT - 1):
        browser.driver.switch_to.new_window("tab")
        browser.open("/games/tabs")
        browser.wait_until_live()
        tabs.append(browser.driver.current_window_handle)
    number = site.play(site.other_seat)
    browser.until_number(number)
    browser.driver.switch_to.window(tabs[3])
    browser.until(lambda: browser.run("return !document.hidden"))
    browser.until_number(number)


def test_a_turn_changes_the_title_and_icon_of_a_tab(site: Site) -> None:
    browser = site.browser
    browser.cdp("Page.addScriptToEvaluateOnNewDocument", source=COUNT_CHIMES)
    browser.driver.refresh()
    browser.wait_until_live()
    assert not browser.driver.title.startswith("Your turn")
    browser.click("#sound")
    assert browser.run("return window.chimes") == 1, "the chosen sound is played"
    icon_address_script = "return document.querySelector('link[rel=icon]').href"
    icon_before = browser.run(icon_address_script)
    browser.run(SET_HIDDEN, True)
    browser.until_number(site.play(site.other_seat))
    browser.until(lambda: browser.driver.title.startswith("Your turn · "))
    assert browser.run(icon_address_script) != icon_before
    assert browser.run("return document.body.classList.contains('my-turn')")
    assert browser.run("return window.chimes") == 2
    browser.click("#sound")
    assert browser.find("#sound").get_attribute("aria-pressed") == "false"
    browser.run(SET_HIDDEN, False)
    assert browser.driver.title.startswith("Your turn · "), "until it is played"
    number = site.service.head("tabs").commit.number
    browser.play(next(iter(site.service.position("tabs").legal().texts())))
    browser.until_number(number + 1)
    if site.own_seat not in site.service.head("tabs").to_move:
        browser.until(lambda: not browser.driver.title.startswith("Your turn"))
        assert browser.run(icon_address_script) == icon_before
    assert browser.run("return window.chimes") == 2


COUNT_CHIMES = """window.chimes = 0;
window.AudioContext = class extends AudioContext { constructor() { super(); window.chimes++; } };"""


def test_the_lobby_follows_games_and_a_game_links_the_next_one(site: Site) -> None:
    browser, service = site.browser, site.service
    browser.open("/")
    assert "Your turn" not in browser.driver.title
    site.play(site.other_seat)
    browser.run(SET_HIDDEN, False)
    browser.until(lambda: browser.driver.title.startswith("(1) Your turn"), "when it is looked at again")
    assert browser.text("#games .turn .to-move") == "Ben"
    [(_, link), *_] = offer_seats(service, "zimbabwe", {"players": "2", "seed": "3"}, "second").items()
    browser.join(link, "Ben")
    browser.open("/games/tabs")
    browser.wait_until_live()
    assert not browser.find("#elsewhere").is_displayed(), "it is your turn here"
    while site.own_seat in service.head("tabs").to_move:
        browser.play(next(iter(service.position("tabs").legal().texts())))
    browser.until_text("#elsewhere", "Your turn in second")
    browser.click("#elsewhere")
    browser.until(lambda: browser.text("h1").endswith("second"))


def test_an_unanswered_request_is_repeated(site: Site) -> None:
    """The feed stays open meanwhile: only the question is lost."""
    browser = site.browser
    browser.until_number(site.play(site.other_seat))
    browser.until(lambda: browser.find_all("#words-of-move"))
    browser.run("window.lost = window.fetch; window.fetch = () => Promise.reject(new TypeError('lost'))")
    browser.type("start ")
    browser.until_text("#link-state", "trying again")
    browser.run("window.fetch = window.lost")
    browser.until(lambda: browser.run("return document.getElementById('found').dataset.say") == "start ")
    browser.until(lambda: not browser.find("#link-state").is_displayed())


def test_a_restarted_server_is_asked_again_about_the_typed_text(site: Site, tmp_path: Path) -> None:
    browser = site.browser
    browser.until_number(site.play(site.other_seat))
    browser.until(lambda: browser.find_all("#words-of-move"))
    square = next(iter(site.service.position("tabs").legal().texts())).split()[-1]
    address = site.server.url.rpartition("/")[2]
    site.server.end()
    browser.type(f"start {square}")
    with running_server(tmp_path, "--listen", address, name="again"):
        browser.until(lambda: browser.find_all(".preview .play"))
        assert square in browser.text(".preview .play")
        browser.until(lambda: not browser.find("#link-state").is_displayed())


def test_new_messages_are_counted_until_they_are_read(site: Site) -> None:
    browser = site.browser
    assert not browser.find("#unheard").is_displayed()
    browser.cdp("Page.addScriptToEvaluateOnNewDocument", source=SLOW_STEPS)
    browser.driver.refresh()
    browser.wait_until_live()
    assert browser.run("return window.asked") == 1, "what is on its way is not asked again once the feed is open"
    browser.run(REFUSE_NEXT_REQUEST)
    for count in (1, 2):
        site.service.say("tabs", f"remark {count}", by="Ann", viewer=Viewer(site.other_seat))
        browser.until_text("#unheard", f"{count} new remark")
    browser.click("#unheard")
    browser.until_text("#talk-list", "remark 2")
    assert not browser.find("#unheard").is_displayed()


REFUSE_NEXT_REQUEST = """const { fetch } = window;
window.fetch = async () => {
  window.fetch = fetch;
  return new Response("too many requests", { status: 429, headers: { "Retry-After": "1" } });
};"""


SLOW_STEPS = """window.asked = 0;
window.setInterval = () => 0; // nothing is asked for by a clock
window.EventSource = class extends EventSource { constructor(address) { super(address); window.feed = this; } };
const real = window.fetch;
window.fetch = async (...asked) => {
  if (String(asked[0]).includes("/steps")) {
    window.asked++;
    while (window.feed?.readyState !== EventSource.OPEN) await new Promise(done => setTimeout(done, 50));
    await new Promise(done => setTimeout(done, 50));
  }
  return real(...asked);
};"""
