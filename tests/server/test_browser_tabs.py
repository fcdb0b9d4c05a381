"""Tabs of a browser: many at once, hidden ones, a server that is lost and comes back; turns and talk are noticed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.server.browsing import Browser, browsers, offer_seats
from tests.server.process import Process, serving
from zimcore.service import GameService, Viewer, open_service

TABS = 20
HIDE = """Object.defineProperty(document, "hidden", { value: arguments[0], configurable: true });
document.dispatchEvent(new Event("visibilitychange"));"""


class Site:
    """A server, its store and a browser that has the seat that is to move first in a game."""

    def __init__(self, server: Process, service: GameService, at: Browser, seats: list[str]) -> None:
        self.server = server
        self.service = service
        self.at = at
        self.mine, self.other = seats

    def play(self, seat: str) -> int:
        """The first move that a seat can play; its number."""
        text = next(iter(self.service.position("tabs").legal().texts()))
        self.service.play("tabs", text, by="anna", seat=seat, viewer=Viewer(None))
        return self.service.head("tabs").commit.number


@pytest.fixture
def site(program: Callable[..., str], tmp_path: Path) -> Iterator[Site]:
    service = open_service(f"sqlite:///{tmp_path}/games.db")
    links = offer_seats(service, "zimbabwe", {"players": "2", "seed": "3"}, "tabs")
    (first, _), (second, link) = links.items()
    with (
        service.store,
        serving(tmp_path) as server,
        browsers(server, program, [tmp_path / "profile"]) as [at],
    ):
        at.size(1300)
        at.join(link, "Ben")
        yield Site(server, service, at, [second, first])


def test_twenty_tabs_of_one_browser_are_all_shown_and_the_one_that_is_looked_at_follows(site: Site) -> None:
    at = site.at
    tabs = [at.driver.current_window_handle]
    for _ in range(TABS - 1):
        at.driver.switch_to.new_window("tab")
        at.open("/games/tabs")
        at.live()
        tabs.append(at.driver.current_window_handle)
    number = site.play(site.other)
    at.until_number(number)
    at.driver.switch_to.window(tabs[3])
    at.until(lambda: at.run("return !document.hidden"))
    at.until_number(number)


def test_a_turn_stands_in_the_title_and_the_icon_of_a_tab_and_moves_of_others_do_not(site: Site) -> None:
    at = site.at
    at.cdp("Page.addScriptToEvaluateOnNewDocument", source=CHIMES)
    at.driver.refresh()
    at.live()
    assert not at.driver.title.startswith("Your turn")
    at.click("#sound")
    assert at.run("return window.chimes") == 1, "one hears what was chosen"
    icon = "return document.querySelector('link[rel=icon]').href"
    before = at.run(icon)
    at.run(HIDE, True)
    at.until_number(site.play(site.other))
    at.until(lambda: at.driver.title.startswith("Your turn · "))
    assert at.run(icon) != before
    assert at.run("return document.body.classList.contains('my-turn')")
    assert at.run("return window.chimes") == 2
    at.click("#sound")
    assert at.find("#sound").get_attribute("aria-pressed") == "false"
    at.run(HIDE, False)
    assert at.driver.title.startswith("Your turn · "), "until it is played"
    number = site.service.head("tabs").commit.number
    at.play(next(iter(site.service.position("tabs").legal().texts())))
    at.until_number(number + 1)
    if site.mine not in site.service.head("tabs").to_move:
        at.until(lambda: not at.driver.title.startswith("Your turn"))
        assert at.run(icon) == before
    assert at.run("return window.chimes") == 2


CHIMES = """window.chimes = 0;
window.AudioContext = class extends AudioContext { constructor() { super(); window.chimes++; } };"""


def test_the_lobby_follows_and_a_game_names_the_next_one_that_waits(site: Site) -> None:
    at, service = site.at, site.service
    at.open("/")
    assert "Your turn" not in at.driver.title
    site.play(site.other)
    at.run(HIDE, False)
    at.until(lambda: at.driver.title.startswith("(1) Your turn"), "when it is looked at again")
    assert at.text("#games .turn .to-move") == "Ben"
    [(_, link), *_] = offer_seats(service, "zimbabwe", {"players": "2", "seed": "3"}, "second").items()
    at.join(link, "Ben")
    at.open("/games/tabs")
    at.live()
    assert not at.find("#elsewhere").is_displayed(), "it is your turn here"
    while site.mine in service.head("tabs").to_move:
        at.play(next(iter(service.position("tabs").legal().texts())))
    at.until_text("#elsewhere", "Your turn in second")
    at.click("#elsewhere")
    at.until(lambda: at.text("h1").endswith("second"))


def test_a_question_without_an_answer_is_asked_until_it_has_one(site: Site) -> None:
    """The feed stays open meanwhile: only the question is lost."""
    at = site.at
    at.until_number(site.play(site.other))
    at.until(lambda: at.all("#words-of-move"))
    at.run("window.lost = window.fetch; window.fetch = () => Promise.reject(new TypeError('lost'))")
    at.type("start ")
    at.until_text("#link-state", "trying again")
    at.run("window.fetch = window.lost")
    at.until(lambda: at.run("return document.getElementById('found').dataset.say") == "start ")
    at.until(lambda: not at.find("#link-state").is_displayed())


def test_a_server_that_was_started_anew_is_asked_again_what_was_being_typed(site: Site, tmp_path: Path) -> None:
    at = site.at
    at.until_number(site.play(site.other))
    at.until(lambda: at.all("#words-of-move"))
    square = next(iter(site.service.position("tabs").legal().texts())).split()[-1]
    address = site.server.url.rpartition("/")[2]
    site.server.end()
    at.type(f"start {square}")
    with serving(tmp_path, "--listen", address, name="again"):
        at.until(lambda: at.all(".preview .play"))
        assert square in at.text(".preview .play")
        at.until(lambda: not at.find("#link-state").is_displayed())


def test_what_is_said_is_counted_where_one_looks_until_one_has_read_it(site: Site) -> None:
    at = site.at
    assert not at.find("#unheard").is_displayed()
    at.cdp("Page.addScriptToEvaluateOnNewDocument", source=SLOW_STEPS)
    at.driver.refresh()
    at.live()
    assert at.run("return window.asked") == 1, "what is on its way is not asked again once the feed is open"
    at.run(REFUSED_ONCE)
    for count in (1, 2):
        site.service.say("tabs", f"remark {count}", by="Ann", viewer=Viewer(site.other))
        at.until_text("#unheard", f"{count} new remark")
    at.click("#unheard")
    at.until_text("#talk-list", "remark 2")
    assert not at.find("#unheard").is_displayed()


REFUSED_ONCE = """const { fetch } = window;
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
