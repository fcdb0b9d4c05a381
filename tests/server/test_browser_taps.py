"""Games begun in the lobby and played by a new user against a program: by taps on a phone, with a mouse at a desk.

Each tap goes to a point of the screen, where a finger would: what is covered is not hit. Another user has a keyboard
alone. `ZIM_BROWSER_MOVES=999` plays whole games, against a program that plays well and by the page's advice, as random
moves lead to no end in Africana; usually a few turns are played.
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
from tests.server.browsing import MIDDLE, Browser, browsers
from tests.server.process import Process, serving, zim
from zimcore.server.pages.steps import facts
from zimcore.service import EVERYTHING, GameService, Viewer, open_service
from zimcore.toolkit.words import spaced

TURNS = int(os.environ.get("ZIM_BROWSER_MOVES", "6"))
"""Moves that the new user plays in a game."""
WHOLE = TURNS > 100
PARTNER = "quick" if WHOLE else "random"
SEEN = """const [selector, last] = arguments, all = document.querySelectorAll(selector);
const at = all[last ? all.length - 1 : 0];
at.scrollIntoView({ block: "center" });
const { left, top, width, height } = at.getBoundingClientRect();
const x = left + Math.min(width / 2, 50), y = top + height / 2, on = document.elementFromPoint(x, y);
return [x, y, at.contains(on) ? "" : on?.outerHTML.slice(0, 100) ?? "outside"];"""
ON_BOARD = "return document.elementFromPoint(...arguments)?.closest('#board') !== null"
STANDS = "const { say, squares } = document.getElementById('found').dataset; return `${say}|${squares}`"
LIT = "return [...document.querySelectorAll('.lights rect:not(.meant)')].map(each => each.dataset.square)"
CUT = """return [...document.querySelectorAll(".playbar > *")].filter(each => {
  const { left, right, bottom } = each.getBoundingClientRect();
  const outside = left < 0 || right > innerWidth || bottom > innerHeight;
  return each.clientWidth && each.scrollWidth > each.clientWidth + 1 || outside;
}).map(each => each.outerHTML.slice(0, 90))"""
OVER = "return document.getElementById('now').dataset.over"
TWICE = """const said = [...document.querySelectorAll("#found .offers a")].map(each => each.dataset.say.trim());
return said.filter((each, at) => said.indexOf(each) !== at)"""


class User:
    """A new user: taps or clicks on what is to be seen."""

    def __init__(self, at: Browser, *, taps: bool, advised: bool = False) -> None:
        self.at, self.taps, self.advised = at, taps, advised
        at.cdp("Emulation.setTouchEmulationEnabled", enabled=taps)

    def touch(self, x: float, y: float) -> None:
        """Taps or clicks at a point of the screen."""
        if self.taps:
            self.at.cdp("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
            self.at.cdp("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
            return
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            self.at.cdp("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press(self, selector: str, *, last: bool = False) -> None:
        """Presses the first or last element of a kind, which nothing may cover."""
        x, y, above = self.at.run(SEEN, selector, last)
        assert not above, f"{selector} is covered by {above}"
        self.touch(x, y)

    def choose(self) -> None:
        """Presses what is worth a look, if the user heeds that; else a lit square where there are few, or a word."""
        before, lit = self.at.run(STANDS), self.at.run(LIT)
        assert self.at.run(TWICE) == [], "nothing is offered twice"
        if self.advised and self.at.all("#found .advice a"):
            self.press("#found .advice a")
        elif 0 < len(lit) <= 12:
            self.at.run("document.getElementById('board').scrollIntoView({ block: 'nearest' })")
            x, y = self.at.run(MIDDLE, lit[0])
            assert self.at.run(ON_BOARD, x, y), f"{lit[0]} is covered"
            self.touch(x, y)
        else:
            assert self.at.all("#found .offers a"), self.at.text("#act")
            self.press("#found .offers a", last=not self.at.all("#found .advice a"))
        self.at.until(lambda: self.at.run(STANDS) != before, f"something happens at {before}")

    def play(self) -> None:
        """Plays a move, once it is the user's turn."""
        at = self.at
        at.until(lambda: not at.all(".preview .play"))
        number = at.number
        assert "Nothing can be played" not in at.text("#how-many"), "what was played is no longer meant"
        while not at.all(".preview .play"):
            self.choose()
        assert at.run(CUT) == []
        self.press(".preview .play")
        at.until(lambda: at.number > number and not at.all(".preview .play"))
        at.until(lambda: not self.taps or at.run("return scrollY") == 0, "one sees the board, where others answer")


@pytest.fixture(scope="module")
def site(program: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Process, Browser]]:
    """A server where a third game is installed, and a browser with an account there."""
    folder = tmp_path_factory.mktemp("site")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(install_plots(folder)))
        token = account(folder)
        with serving(folder) as server, browsers(server, program, [tmp_path_factory.mktemp("profile")]) as [at]:
            at.join(token)
            yield server, at


def account(folder: Path) -> str:
    match_ = re.search(r"zim_host_\S+", zim(folder, "serve", "token", "hanna"))
    assert match_
    return match_[0]


@pytest.mark.parametrize("game", ["zimbabwe", "africana"])
@pytest.mark.parametrize(("width", "height"), [(390, 844), (1300, 900)])
def test_a_new_user_begins_and_plays_against_a_program(
    site: tuple[Process, Browser], game: str, width: int, height: int
) -> None:
    server, at = site
    assert [*at.received()], "what came before is not of this game"
    user = begin_game(at, game, width, height)
    assert "program" in at.text("#seatbar"), "the bar says who plays"
    page = at.run("return { ...document.getElementById('main').dataset }")
    with open_service(f"sqlite:///{server.errors.parent}/games.db").store as store:
        cards = HiddenCards(GameService(store), page["game"], page["seat"])
        play(user, TURNS, lambda: cards.check(at.received()))
    assert cards.checked or game == "zimbabwe"
    if WHOLE:
        assert at.run(OVER)
        print(f"{at.number} moves, {cards.checked} rows of cards, {len(cards.hidden)} hidden facts")
    if not at.run(OVER):
        user.press("#try-it button")
        at.until_text(".own-line", "A line of your own")
    assert [complaint for complaint in at.complaints() if "status of 429" not in complaint] == []


def begin_game(at: Browser, game: str, width: int, height: int) -> User:
    """Begins a game in the lobby: the first seat is the user's, the second a program's."""
    at.size(width, height)
    user = User(at, taps=width < 500, advised=WHOLE)
    at.open("/")
    form = f"form.begin:has([name=kind][value={game}])"
    at.run("document.querySelector(arguments[0]).closest('details').open = true", form)
    at.run(SEATS, form, PARTNER)
    user.press(f"{form} > button")
    at.until(lambda: at.all("#main"))
    at.live()
    return user


def play(user: User | KeyboardUser, most: int, look: Callable[[], object] = lambda: None) -> None:
    """Plays up to so many moves, as soon as it is the user's turn, until the game is over; looks before each."""
    at = user.at
    for _ in range(most):
        at.until(lambda: at.run("const { mover, over } = document.getElementById('now').dataset; return mover || over"))
        if at.run(OVER):
            return
        look()
        user.play()


class HiddenCards:
    """All that a seat may see of a game, against all that its page got."""

    HAND = re.compile(r'<tr data-seat=\\?"(\w+)\\?"[^>]*>((?:(?!</tr>).)*)</tr>', re.DOTALL)
    CARDS = re.compile(r'data-head=\\?"cards\\?">(?:<a [^>]*>)?([^<]*)<')

    def __init__(self, service: GameService, game: str, seat: str) -> None:
        self.service, self.game, self.seat = service, game, seat
        self.number = 0
        self.rows: set[tuple[str, str]] = set()
        """The cards of a seat as they were seen at any move, such as `joker, 1 face down`."""
        self.hidden: set[tuple[int, str]] = set()
        """The facts of a move that only other players were shown."""
        self.checked = 0

    def look(self) -> None:
        """Follows the game to its head."""
        head = self.service.head(self.game).commit.number
        for number in range(self.number, head + 1):
            place = f"{self.game}@{number}"
            seen, known = self.service.position(place, Viewer(self.seat)), self.service.position(place, EVERYTHING)
            for table in (each for each in seen.tables if "cards" in each.heads):
                column = table.heads.index("cards")
                self.rows |= {(seat, spaced(row[column])) for seat, row in zip(table.seats, table.rows, strict=False)}
            self.hidden |= {(number, each) for each in {*facts(known)} - {*facts(seen)}}
        self.number = head + 1

    def check(self, texts: Iterable[str]) -> None:
        """Checks that no hand or move in a text says more than the seat may see."""
        got = [*texts]
        self.look()
        for text in got:
            for seat, row in self.HAND.findall(text):
                for cards in self.CARDS.findall(row):
                    self.checked += 1
                    assert (seat, cards) in self.rows
            for step in steps_in(text):
                for number, fact in self.hidden:
                    assert number != step["number"] or fact not in unescape(step["side"]), fact


def steps_in(text: str) -> Sequence[Mapping[str, Any]]:
    """The steps in what a page got as JSON: all of a line, or one from its feed."""
    if not text.startswith("{"):
        return ()
    found = json.loads(text)
    steps: Sequence[Mapping[str, Any]] = found.get("steps", [found["step"]] if "step" in found else [])
    return steps


def test_a_game_of_another_package_is_played_to_its_end_by_taps(site: tuple[Process, Browser]) -> None:
    """`tests/plots.py`, without a line in the platform: sealed bids by all seats at once, and a board of its own."""
    _, at = site
    user = begin_game(at, "plots", 390, 844)
    assert "Ann" in at.text("#seatbar")
    play(user, 8)
    at.until(lambda: at.run(OVER))
    assert len(at.all(".ranking li")) == 2
    assert at.text("#course") or at.all("#course svg")
    assert [complaint for complaint in at.complaints() if "status of 429" not in complaint] == []


class KeyboardUser:
    """A user without a pointer: Tab and the arrows move the focus, Enter presses what has it."""

    FOCUSED = "const at = document.activeElement; return at.matches(arguments[0]) && at.checkVisibility()"

    def __init__(self, at: Browser) -> None:
        self.at = at

    def press(self, key: str) -> None:
        ActionChains(self.at.driver).send_keys(key).perform()

    def go_to(self, selector: str, key: str, most: int) -> None:
        """Presses a key until the focus is there."""
        for _ in range(most):
            if self.at.run(self.FOCUSED, selector):
                return
            self.press(key)
        assert self.at.run(self.FOCUSED, selector), f"{most} times {key!r} do not lead to {selector}"

    def play(self) -> None:
        """Plays what is worth a look, else the last word that is offered; begins at the field, or a few tabs before."""
        at, number = self.at, self.at.number
        self.go_to("#words-of-move", Keys.TAB, 10)
        while not at.all(".preview .play"):
            before = at.run(STANDS)
            advised = at.all("#found .advice a")
            offers = len(at.all("#found .offers a"))
            assert offers, at.text("#act")
            for _ in range(1 if advised else min(offers, 12)):
                self.press(Keys.ARROW_DOWN)
            assert at.run(self.FOCUSED, "#found .offers a")
            self.press(Keys.ENTER)
            at.until(lambda before=before: at.run(STANDS) != before, f"something happens at {before}")  # type: ignore[misc]
            at.until(lambda: at.run(self.FOCUSED, "#words-of-move"))
        self.press(Keys.ENTER)
        assert at.run(self.FOCUSED, ".preview .play"), "Enter leads to the button"
        self.press(Keys.ENTER)
        at.until(lambda: at.number > number and not at.all(".preview .play"))


@pytest.mark.parametrize("game", ["zimbabwe", "africana"])
def test_a_new_user_begins_and_plays_by_keyboard_alone(site: tuple[Process, Browser], game: str) -> None:
    _, at = site
    at.size(1300, 900)
    user = KeyboardUser(at)
    at.open("/")
    form = f"form.begin:has([value={game}])"
    user.go_to(f"details:has(form.begin [value={game}]) > summary", Keys.TAB, 60)
    if not at.run("return document.activeElement.closest('details').open"):
        user.press(Keys.ENTER)
    for choice in ("me", "random"):
        user.go_to(f"{form} .seat-row select", Keys.TAB, 10)
        for _ in range(12):
            if at.run("return document.activeElement.value === arguments[0]", choice):
                break
            user.press(Keys.ARROW_DOWN)
        assert at.run("return document.activeElement.value") == choice
        user.press(Keys.TAB)
    while at.run("return document.activeElement.matches('.seat-row select')"):
        while at.run("return document.activeElement.value !== ''"):
            user.press(Keys.ARROW_UP)
        user.press(Keys.TAB)
    user.go_to(f"{form} button", Keys.TAB, 40)
    user.press(Keys.ENTER)
    at.until(lambda: at.all("#main"))
    at.live()
    play(user, TURNS)
    assert [complaint for complaint in at.complaints() if "status of 429" not in complaint] == []


SEATS = """const rows = [...document.querySelectorAll(arguments[0] + " .seat-row select")];
rows.forEach((each, at) => { each.value = ["me", arguments[1]][at] ?? ""; });"""
