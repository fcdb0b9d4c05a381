"""A real browser at a real server, with helpers for tests of pages."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path
from subprocess import DEVNULL
from typing import Any

from axe_core_python.base import AXE_SCRIPT
from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.remote.webelement import WebElement
from selenium.webdriver.support.ui import WebDriverWait

from tests.picture.conftest import demo_options_and_moves
from tests.server.deployment import wait_for
from tests.server.server_process import Process
from tests.timeouts import PATIENCE
from zimcore.games import africana, zimbabwe
from zimcore.server.wire.tokens import digest, id_of, new_token
from zimcore.service import GameService, Viewer
from zimcore.service.records.memberships import GameHosted, SeatOffered, TokenGiven


class Browser:
    """A person's browser. It records all that it receives, and violations of the page's policy."""

    def __init__(self, driver: webdriver.Chrome, url: str) -> None:
        self.driver = driver
        self.url = url
        self.logged_events: list[Mapping[str, Any]] = []

    def open(self, path: str) -> None:
        self.driver.get(self.url + path)

    def find(self, selector: str) -> WebElement:
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def find_all(self, selector: str) -> Sequence[WebElement]:
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector: str) -> str:
        """The present text of an element, even while a script replaces elements."""
        text = self.run("return document.querySelector(arguments[0])?.innerText ?? ''", selector)
        return " ".join(str(text).split())

    def run(self, script: str, *arguments: Any) -> Any:
        return self.driver.execute_script(script, *arguments)

    def until(self, condition: Callable[[], Any], message: str = "") -> Any:
        """Waits until a condition is true."""
        return WebDriverWait(self.driver, PATIENCE, 0.03).until(lambda _: condition(), message)

    def until_text(self, selector: str, text: str) -> None:
        self.until(lambda: text in self.text(selector), f"{text!r} in {selector}: {self.text(selector)!r}")

    def click(self, selector: str) -> None:
        """Clicks by a script, as another script may replace the element at any time."""
        self.until(
            lambda: self.run("const at = document.querySelector(arguments[0]); at?.click(); return !!at", selector)
        )

    def accessibility_violations(self) -> list[tuple[str, list[str]]]:
        """The rules of axe that the page breaks, each with the first elements. In the dark scheme: only contrast."""
        self.cdp("Runtime.evaluate", expression=AXE_SCRIPT)
        violations = self.driver.execute_async_script(RUN_AXE, {})["violations"]
        self.set_scheme("dark")
        violations += self.driver.execute_async_script(RUN_AXE, {"runOnly": ["color-contrast"]})["violations"]
        self.set_scheme("light")
        return [(each["id"], [node["html"][:200] for node in each["nodes"]][:3]) for each in violations]

    def cdp(self, command: str, **arguments: Any) -> Any:
        return self.driver.execute_cdp_cmd(command, arguments)

    def resize(self, width: int, height: int = 900, scheme: str = "light") -> None:
        self.cdp(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500
        )
        self.set_scheme(scheme)

    def set_scheme(self, scheme: str) -> None:
        """Sets the system's colour scheme: light or dark."""
        self.cdp("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])

    def join(self, link: str, player: str = "") -> None:
        """Opens a link, and takes the seat; without a name it is a token."""
        self.open(f"/join#{link}")
        self.until(lambda: not self.find("#has-link").get_attribute("hidden"))
        if player:
            self.find("[name=by]").send_keys(player)
        self.find("#join button").click()
        if player:
            self.wait_until_live()
        else:
            self.until(lambda: "/join" not in self.driver.current_url)

    def wait_until_live(self) -> None:
        """Waits until a page of a game can be stepped through: then its script has read all of it."""
        self.until(lambda: self.run("return document.getElementById('steps')?.hidden === false"))

    def type(self, text: str) -> None:
        self.find("#words-of-move").send_keys(text)

    def play(self, text: str) -> None:
        """Types a move, waits for its preview, and plays it."""
        self.until(lambda: self.find_all("#words-of-move"))
        number = self.move_number
        self.find("#words-of-move").send_keys(text)
        self.until(lambda: self.run(HAS_PREVIEW, text))
        self.click(".preview .play")
        self.until(lambda: self.move_number > number)

    def play_by_clicks(self, text: str) -> None:
        """Plays a move by clicks on the offers; types a letter where there are too many of them."""
        self.until(lambda: self.find_all("#words-of-move"))
        number = self.move_number
        self.run("document.getElementById('words-of-move').value || document.getElementById('clear').click()")
        while not self.run(HAS_PREVIEW, text):
            command = self.run("return document.getElementById('found').dataset.say")
            if not text.startswith(command.rstrip()):  # a script replaced the text meanwhile
                self.click("#clear")
            elif len(command.rstrip()) >= len(text):  # the whole move is there by now
                self.until(lambda: self.run(HAS_PREVIEW, text))
                break
            elif not self.run(CLICK_OFFER, text):
                self.type(text[len(command)])
            self.until(
                partial(self.run, "return document.getElementById('found').dataset.say !== arguments[0]", command)
            )
        self.click(".preview .play")
        self.until(lambda: self.move_number > number or self.find_all(".problem"))

    def tap(self, square: str) -> None:
        """Taps the middle of a square of the board."""
        self.run("document.getElementById('board').scrollIntoView({ block: 'nearest' })")
        x, y = self.run(SQUARE_MIDDLE, square)
        for event_type in ("mousePressed", "mouseReleased"):
            self.cdp("Input.dispatchMouseEvent", type=event_type, x=x, y=y, button="left", clickCount=1)

    @property
    def move_number(self) -> int:
        """The last move of the log."""
        return int(self.run("return document.querySelectorAll('#log a[data-step]').length")) - 1

    def until_number(self, number: int) -> None:
        """Waits until the log ends with a move."""
        self.until(lambda: self.move_number == number, f"move {number}")

    def network_events(self) -> list[Mapping[str, Any]]:
        """All network events in the browser's log."""
        self.logged_events += [json.loads(each["message"])["message"] for each in self.driver.get_log("performance")]  # type: ignore[no-untyped-call]
        return self.logged_events

    def new_texts(self) -> Iterator[str]:
        """All texts since the last call: the bodies of answers, messages of feeds, and the page itself."""
        for message in self.driver.get_log("performance"):  # type: ignore[no-untyped-call]
            event = json.loads(message["message"])["message"]
            if event["method"] == "Network.eventSourceMessageReceived":
                yield str(event["params"]["data"])
            if event["method"] == "Network.loadingFinished":
                with suppress(WebDriverException):  # a page that was left keeps no bodies
                    response = self.cdp("Network.getResponseBody", requestId=event["params"]["requestId"])
                    body = str(response["body"])
                    yield b64decode(body).decode("utf-8", "replace") if response["base64Encoded"] else body
        yield str(self.run("return document.documentElement.outerHTML"))

    def console_errors(self) -> list[str]:
        """The errors in the console, with violations of the page's policy."""
        return [each["message"] for each in self.driver.get_log("browser") if each["level"] == "SEVERE"]  # type: ignore[no-untyped-call]


RUN_AXE = "const [options, done] = arguments; axe.run(document, options).then(done)"

HAS_PREVIEW = """const play = document.querySelector(".preview .play"), found = document.getElementById("found");
const text = arguments[0].trim();
return play && found.dataset.say.trim() === text && play.textContent === "Play: " + text.replaceAll("_", " ")"""


SQUARE_MIDDLE = """const [square] = arguments, board = document.getElementById("board");
const { as, line } = document.getElementById("main").dataset;
const steps = `${location.pathname}/steps?${new URLSearchParams({ as, line })}`;
return fetch(steps).then(answer => answer.json()).then(all => {
  const y = all.squares.findIndex(row => row.includes(square)), x = all.squares[y].indexOf(square);
  const at = new DOMPoint((x + .5) * all.unit, (y + .5) * all.unit).matrixTransform(board.getScreenCTM());
  return [at.x, at.y];
})"""

CLICK_OFFER = """const [text] = arguments, offers = [...document.querySelectorAll("#found a[data-word]")];
const leads = offers.filter(each => each.dataset.say.trim() === text || text.startsWith(each.dataset.say));
leads.sort((a, b) => b.dataset.say.length - a.dataset.say.length)[0]?.click();
return leads.length > 0"""


BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""Programs that tests drive, best first: the shell of Chromium without windows takes less time, but hides no tab,
and has no notifications."""
ARGUMENTS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--window-size=1280,900",
    "--disable-background-networking",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-popup-blocking",
    "--remote-debugging-port=0",
)


@contextmanager
def browsers(
    server: Process, find_program: Callable[..., str], folders: Sequence[Path], programs: Sequence[str] = BROWSERS
) -> Iterator[list[Browser]]:
    """Browsers, each with a profile of its own in one of the folders."""
    program, chromedriver = find_program(*programs), find_program("chromedriver")
    with ExitStack() as stack:
        yield [stack.enter_context(browser(server.url, program, chromedriver, folder)) for folder in folders]


@contextmanager
def browser(url: str, program: str, chromedriver: str, folder: Path) -> Iterator[Browser]:
    """A browser with a profile of its own. It is started here: chromedriver starts no shell without windows."""
    command = [program, *ARGUMENTS, f"--user-data-dir={folder}", "about:blank"]
    port_file = folder / "DevToolsActivePort"
    port_file.unlink(missing_ok=True)
    process = subprocess.Popen(command, stdout=DEVNULL, stderr=DEVNULL, start_new_session=True)
    try:
        wait_for(lambda: port_file.exists() and "\n" in port_file.read_text())
        options = Options()
        options.debugger_address = f"127.0.0.1:{port_file.read_text().split()[0]}"
        options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
        driver = webdriver.Chrome(options, Service(chromedriver))
        try:
            yield Browser(driver, url)
        finally:
            driver.quit()
    finally:
        os.killpg(process.pid, signal.SIGTERM)  # the program may be a script that has started the browser
        process.wait()


def offer_seats(
    service: GameService, kind: str, options: Mapping[str, str], name: str, *, public: bool = True
) -> dict[str, str]:
    """Begins a game and offers its seats; returns the links by seat, the seat that moves first before the others."""
    position = service.new(kind, options, name=name, by="hanna", served=[GameHosted("hanna", public)])
    stream = service.stream_of(name)
    seats = sorted(position.seats, key=lambda each: each not in position.to_move)
    links = {seat: new_token("link", stream) for seat in seats}
    offers = [SeatOffered(seat, id_of(link), digest(link)) for seat, link in links.items()]
    service.change_members(name, lambda _: offers, by="hanna")
    return links


def begin_demo_games(service: GameService) -> dict[str, str]:
    """Begins a game `zimba` of Zimbabwe and `afri` of Africana, and a finished game `over`.

    Returns the links to the seats of zimba, by seat.
    """
    links_by_game = dict[str, dict[str, str]]()
    for game, name, move_count in (
        (zimbabwe.GAME, "zimba", 60),
        (africana.GAME, "afri", 60),
        (zimbabwe.GAME, "over", 999),
    ):
        options, moves = demo_options_and_moves(game)
        links_by_game[name] = offer_seats(service, game.name, options, name)
        for move in moves[:move_count]:
            service.play(name, move, by="anna", viewer=Viewer(None))
    service.say("zimba", "a strong round, that", by="Ben", viewer=Viewer("kilwa"))
    return links_by_game["zimba"]


def spectator_token(service: GameService, name: str) -> str:
    """The token of a spectator."""
    token = new_token("spectator", service.stream_of(name))
    event = TokenGiven(id_of(token), "spectator", "", digest(token))
    service.change_members(name, lambda _: [event], by="hanna")
    return token
