"""Games begun in the lobby and played by a new user against a program: by taps on a phone, with a mouse at a desk.

Each tap goes to a point of the screen, so a covered element is not hit. Another user has only a keyboard. Usually a few
turns are played. `ZIM_BROWSER_MOVES=999` plays whole games, by the page's advice against a good program: random moves
never end a game of Africana.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

from tests.plots_package import install_plots
from tests.server.browser import SQUARE_MIDDLE, Browser, browsers
from tests.server.server_process import Process, run_zim, running_server
from zimcore.server.pages.steps import facts
from zimcore.service import EVERYTHING, GameService, Viewer, open_service
from zimcore.toolkit.words import spaced

TURN_COUNT = int(os.environ.get("ZIM_BROWSER_MOVES", "6"))
"""Moves that the new user plays in a game."""
PLAYS_WHOLE_GAMES = TURN_COUNT > 100
PARTNER = "quick" if PLAYS_WHOLE_GAMES else "random"
POINT_OF_ELEMENT = """const [selector, last] = arguments, all = document.querySelectorAll(selector);
const at = all[last ? all.length - 1 : 0];
at.scrollIntoView({ block: "center" });
const { left, top, width, height } = at.getBoundingClientRect();
const x = left + Math.min(width / 2, 50), y = top + height / 2, on = document.elementFromPoint(x, y);
return [x, y, at.contains(on) ? "" : on?.outerHTML.slice(0, 100) ?? "outside"];"""
IS_ON_BOARD = "return document.elementFromPoint(...arguments)?.closest('#board') !== null"
OFFER_STATE = "const { say, squares } = document.getElementById('found').dataset; return `${say}|${squares}`"
LIT_SQUARES = "return [...document.querySelectorAll('.lights rect:not(.meant)')].map(each => each.dataset.square)"
CUT_OFF_ELEMENTS = """return [...document.querySelectorAll(".playbar > *")].filter(each => {
  const { left, right, bottom } = each.getBoundingClientRect();
  const outside = left < 0 || right > innerWidth || bottom > innerHeight;
  return each.clientWidth && each.scrollWidth > each.clientWidth + 1 || outside;
}).map(each => each.outerHTML.slice(0, 90))"""
IS_OVER = "return document.getElementById('now').dataset.over"
REPEATED_OFFERS = """const links = [...document.querySelectorAll("#found .offers a")];
const texts = links.map(each => each.dataset.say.trim());
return texts.filter((text, index) => texts.indexOf(text) !== index)"""


class User:
    """A new user, who taps or clicks on visible elements."""

    def __init__(self, browser: Browser, *, uses_taps: bool, uses_advice: bool = False) -> None:
        self.browser, self.uses_taps, self.uses_advice = browser, uses_taps, uses_advice
        browser.cdp("Emulation.setTouchEmulationEnabled", enabled=uses_taps)

    def touch(self, x: float, y: float) -> None:
        """Taps or clicks at a point of the screen."""
        if self.uses_taps:
            self.browser.cdp("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
            self.browser.cdp("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
            return
        for event_type in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.browser.cdp("Input.dispatchMouseEvent", type=event_type, x=x, y=y, button="left", clickCount=1)

    def press(self, selector: str, *, is_last: bool = False) -> None:
        """Presses the first or last element of a kind, which nothing may cover."""
        x, y, covering_element = self.browser.run(POINT_OF_ELEMENT, selector, is_last)
        assert not covering_element, f"{selector} is covered by {covering_element}"
        self.touch(x, y)

    def choose(self) -> None:
        """Presses the advice, if the user follows it; else a lit square where there are few, or a word."""
        state_before, lit_squares = self.browser.run(OFFER_STATE), self.browser.run(LIT_SQUARES)
        assert self.browser.run(REPEATED_OFFERS) == [], "nothing is offered twice"
        if self.uses_advice and self.browser.find_all("#found .advice a"):
            self.press("#found .advice a")
        elif 0 < len(lit_squares) <= 12:
            self.browser.run("document.getElementById('board').scrollIntoView({ block: 'nearest' })")
            x, y = self.browser.run(SQUARE_MIDDLE, lit_squares[0])
            assert self.browser.run(IS_ON_BOARD, x, y), f"{lit_squares[0]} is covered"
            self.touch(x, y)
        else:
            kinds = ("#found .advice a", "#found .offers a", "#verbs a")
            kind = next((each for each in kinds if self.browser.find_all(each)), "")
            assert kind, self.browser.text("#act")
            self.press(kind, is_last=kind != kinds[0])
        self.browser.until(
            lambda: self.browser.run(OFFER_STATE) != state_before, f"something happens at {state_before}"
        )

    def play(self) -> None:
        """Plays a move, once it is the user's turn."""
        browser = self.browser
        browser.until(lambda: not browser.find_all(".preview .play"))
        number = browser.move_number
        assert "Nothing can be played" not in browser.text("#how-many"), "what was played is no longer meant"
        while not browser.find_all(".preview .play"):
            self.choose()
        assert browser.run(CUT_OFF_ELEMENTS) == []
        self.press(".preview .play")
        browser.until(lambda: browser.move_number > number and not browser.find_all(".preview .play"))
        browser.until(
            lambda: not self.uses_taps or browser.run("return scrollY") == 0, "one sees the board, where others answer"
        )


@pytest.fixture(scope="module")
def site(
    find_program: Callable[..., str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Process, Browser]]:
    """A server where a third game is installed, and a browser with an account there."""
    folder = tmp_path_factory.mktemp("site")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(install_plots(folder)))
        token = create_account(folder)
        with (
            running_server(folder) as server,
            browsers(server, find_program, [tmp_path_factory.mktemp("profile")]) as [browser],
        ):
            browser.join(token)
            yield server, browser


def create_account(folder: Path) -> str:
    token_match = re.search(r"zim_host_\S+", run_zim(folder, "serve", "token", "hanna"))
    assert token_match
    return token_match[0]


@pytest.mark.parametrize("game", ["zimbabwe", "africana"])
@pytest.mark.parametrize(("width", "height"), [(390, 844), (1300, 900)])
def test_a_new_user_plays_against_a_program(site: tuple[Process, Browser], game: str, width: int, height: int) -> None:
    server, browser = site
    assert [*browser.new_texts()], "what came before is not of this game"
    user = begin_game(browser, game, width, height)
    assert "program" in browser.text("#seatbar"), "the bar says who plays"
    page = browser.run("return { ...document.getElementById('main').dataset }")
    with open_service(f"sqlite:///{server.error_file.parent}/games.db").store as store:
        cards = HiddenCards(GameService(store), page["game"], page["seat"])
        play(user, TURN_COUNT, lambda: cards.check(browser.new_texts()))
    assert cards.checked_count or game == "zimbabwe"
    if PLAYS_WHOLE_GAMES:
        assert browser.run(IS_OVER)
        print(
            f"{browser.move_number} moves, {cards.checked_count} rows of cards, {len(cards.hidden_facts)} hidden facts"
        )
    if not browser.run(IS_OVER):
        user.press("#try-it button")
        browser.until_text(".own-line", "A line of your own")
    assert [complaint for complaint in browser.console_errors() if "status of 429" not in complaint] == []


def begin_game(browser: Browser, game: str, width: int, height: int) -> User:
    """Begins a game in the lobby: the first seat is the user's, the second a program's."""
    browser.resize(width, height)
    user = User(browser, uses_taps=width < 500, uses_advice=PLAYS_WHOLE_GAMES)
    browser.open("/")
    form_selector = f"form.begin:has([name=kind][value={game}])"
    browser.run("document.querySelector(arguments[0]).closest('details').open = true", form_selector)
    browser.run(CHOOSE_SEATS, form_selector, PARTNER)
    user.press(f"{form_selector} > button")
    browser.until(lambda: browser.find_all("#main"))
    browser.wait_until_live()
    return user


def play(user: User | KeyboardUser, max_moves: int, check: Callable[[], object] = lambda: None) -> None:
    """Plays up to `max_moves` moves until the game is over, each on the user's turn; calls `check` before each."""
    browser = user.browser
    for _ in range(max_moves):
        browser.until(
            lambda: browser.run("const { mover, over } = document.getElementById('now').dataset; return mover || over")
        )
        if browser.run(IS_OVER):
            return
        check()
        user.play()


class HiddenCards:
    """Compares all that a seat may see of a game with all that its page received."""

    HAND_ROW = re.compile(r'<tr data-seat=\\?"(\w+)\\?"[^>]*>((?:(?!</tr>).)*)</tr>', re.DOTALL)
    CARDS_CELL = re.compile(r'data-head=\\?"cards\\?">(?:<a [^>]*>)?([^<]*)<')

    def __init__(self, service: GameService, game: str, seat: str) -> None:
        self.service, self.game, self.seat = service, game, seat
        self.number = 0
        self.visible_cards: set[tuple[str, str]] = set()
        """The cards of a seat as they were seen at any move, such as `joker, 1 face down`."""
        self.hidden_facts: set[tuple[int, str]] = set()
        """The facts of a move that only other players were shown."""
        self.checked_count = 0

    def follow(self) -> None:
        """Follows the game to its head."""
        head = self.service.head(self.game).commit.number
        for number in range(self.number, head + 1):
            place = f"{self.game}@{number}"
            visible_position, complete_position = (
                self.service.position(place, Viewer(self.seat)),
                self.service.position(place, EVERYTHING),
            )
            for table in (each for each in visible_position.tables if "cards" in each.heads):
                column = table.heads.index("cards")
                self.visible_cards |= {
                    (seat, spaced(row[column])) for seat, row in zip(table.seats, table.rows, strict=False)
                }
            self.hidden_facts |= {(number, each) for each in {*facts(complete_position)} - {*facts(visible_position)}}
        self.number = head + 1

    def check(self, texts: Iterable[str]) -> None:
        """Checks that no hand or move in a text says more than the seat may see."""
        page_texts = [*texts]
        self.follow()
        for text in page_texts:
            for seat, row in self.HAND_ROW.findall(text):
                for cards in self.CARDS_CELL.findall(row):
                    self.checked_count += 1
                    assert (seat, cards) in self.visible_cards
            for step in steps_in(text):
                for number, fact in self.hidden_facts:
                    assert number != step["number"] or fact not in unescape(step["side"]), fact


def steps_in(text: str) -> Sequence[Mapping[str, Any]]:
    """The steps in what a page got as JSON: all of a line, or one from its feed."""
    if not text.startswith("{"):
        return ()
    document = json.loads(text)
    steps: Sequence[Mapping[str, Any]] = document.get("steps", [document["step"]] if "step" in document else [])
    return steps


def test_a_game_of_another_package_is_played_by_taps(site: tuple[Process, Browser]) -> None:
    """`tests/plots.py`, without a line in the platform: sealed bids by all seats at once, and a board of its own."""
    _, browser = site
    user = begin_game(browser, "plots", 390, 844)
    assert "Ann" in browser.text("#seatbar")
    play(user, 8)
    browser.until(lambda: browser.run(IS_OVER))
    assert len(browser.find_all(".ranking li")) == 2
    browser.until(lambda: browser.text("#course") or browser.find_all("#course svg"), "the course of the game")
    assert [complaint for complaint in browser.console_errors() if "status of 429" not in complaint] == []


class KeyboardUser:
    """A user without a pointer: Tab and the arrows move the focus, Enter presses what has it."""

    FOCUSED = "const at = document.activeElement; return at.matches(arguments[0]) && at.checkVisibility()"

    def __init__(self, browser: Browser) -> None:
        self.browser = browser

    def press(self, key: str) -> None:
        ActionChains(self.browser.driver).send_keys(key).perform()

    def go_to(self, selector: str, key: str, max_presses: int) -> None:
        """Presses a key until the focus is there."""
        for _ in range(max_presses):
            if self.browser.run(self.FOCUSED, selector):
                return
            self.press(key)
        assert self.browser.run(self.FOCUSED, selector), f"{max_presses} times {key!r} do not lead to {selector}"

    def play(self) -> None:
        """Plays the advice, else the last offered word; the focus begins at the field, or a few tabs before it."""
        browser, number = self.browser, self.browser.move_number
        self.go_to("#words-of-move", Keys.TAB, 20)
        while not browser.find_all(".preview .play"):
            state_before = browser.run(OFFER_STATE)
            verbs = [] if browser.run(OFFER_STATE) != "|" else browser.find_all("#verbs a")
            offers, advice_links = browser.find_all("#found .offers a"), browser.find_all("#found .advice a")
            assert [*verbs, *offers], browser.text("#act")
            first_advice = len(verbs) + len(offers) - len(advice_links) + 1
            for _ in range(first_advice if advice_links else min(len(verbs) + len(offers), 12)):
                self.press(Keys.ARROW_DOWN)
            assert browser.run(self.FOCUSED, "#found .offers a, #verbs a")
            self.press(Keys.ENTER)
            browser.until(lambda before=state_before: browser.run(OFFER_STATE) != before, f"no change: {state_before}")  # type: ignore[misc]
            browser.until(lambda: browser.run(self.FOCUSED, "#words-of-move"))
        self.press(Keys.ENTER)
        assert browser.run(self.FOCUSED, ".preview .play"), "Enter leads to the button"
        self.press(Keys.ENTER)
        browser.until(lambda: browser.move_number > number and not browser.find_all(".preview .play"))


@pytest.mark.parametrize("game", ["zimbabwe", "africana"])
def test_a_new_user_plays_by_keyboard_alone(site: tuple[Process, Browser], game: str) -> None:
    _, browser = site
    browser.resize(1300, 900)
    user = KeyboardUser(browser)
    browser.open("/")
    form_selector = f"form.begin:has([value={game}])"
    user.go_to(f"details:has(form.begin [value={game}]) > summary", Keys.TAB, 60)
    if not browser.run("return document.activeElement.closest('details').open"):
        user.press(Keys.ENTER)
    for player_choice in ("me", "random"):
        user.go_to(f"{form_selector} .seat-row select", Keys.TAB, 10)
        for _ in range(12):
            if browser.run("return document.activeElement.value === arguments[0]", player_choice):
                break
            user.press(Keys.ARROW_DOWN)
        assert browser.run("return document.activeElement.value") == player_choice
        user.press(Keys.TAB)
    while browser.run("return document.activeElement.matches('.seat-row select')"):
        while browser.run("return document.activeElement.value !== ''"):
            user.press(Keys.ARROW_UP)
        user.press(Keys.TAB)
    user.go_to(f"{form_selector} button", Keys.TAB, 40)
    user.press(Keys.ENTER)
    browser.until(lambda: browser.find_all("#main"))
    browser.wait_until_live()
    play(user, TURN_COUNT)
    assert [complaint for complaint in browser.console_errors() if "status of 429" not in complaint] == []


CHOOSE_SEATS = """const rows = [...document.querySelectorAll(arguments[0] + " .seat-row select")];
rows.forEach((each, at) => { each.value = ["me", arguments[1]][at] ?? ""; });"""
