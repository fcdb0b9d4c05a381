"""Benchmarks the page of a game in a real Chromium: the weight of its first view, the delay of a move, stepping.

Needs the extra `server`, selenium, chromium and chromedriver. Each open page uses a different host name for the server,
so that none waits for another's connections, as if each had a browser of its own. A move counts
as shown at the first frame after its row has appeared in the page's log; page and benchmark use the clock of one
machine. All pages share one processor, so the CPU time of one page's thread per move is printed too.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

import httpx

from scripts.benchmarks.server_games import begin_game
from scripts.benchmarks.server_peers import our_server, serving
from scripts.shared.measure import expect_at_least, expect_at_most
from tests.server.browser import Browser, browser

GAME_LENGTH, PAGE_COUNT, TIMED_MOVES = 150, 20, 20
WATCH_SCRIPT = """window.seen = {};
new MutationObserver(() => {
  const last = [...document.querySelectorAll("#log a[data-step]")].at(-1);
  const note = () => { window.seen[last.dataset.step] ??= performance.timeOrigin + performance.now(); };
  if (document.hidden) note(); else requestAnimationFrame(() => setTimeout(note));
}).observe(document.getElementById("log"), { childList: true });"""
STEP_SCRIPT = """const done = arguments[0], next = document.getElementById("next");
document.getElementById("first").click();
requestAnimationFrame(() => {
  const began = performance.now();
  let steps = 0;
  const step = () => {
    if (document.querySelector("#log a[aria-current]").dataset.step === document.getElementById("slider").max) {
      done([steps, (performance.now() - began) / 1000]);
    } else { next.click(); steps++; requestAnimationFrame(step); }
  };
  step();
});"""


def bench(folder: Path) -> None:
    """Runs all three measurements, with one server and one browser."""
    chromium, chromedriver = shutil.which("chromium") or shutil.which("google-chrome"), shutil.which("chromedriver")
    if not chromium or not chromedriver:
        print("no chromium with its chromedriver on this machine: the page is not measured")
        return
    url = f"sqlite:///{folder}/page.db"
    moves = begin_game(url, "page")
    with (
        serving(our_server, url) as server,
        httpx.Client(base_url=f"http://127.0.0.1:{server.port}", timeout=60) as http,
    ):
        play_moves(http, moves[: GAME_LENGTH - TIMED_MOVES], pause_seconds=0)
        with browser(str(http.base_url), chromium, chromedriver, folder / "profile") as chrome:
            chrome.driver.set_script_timeout(300)  # on a busy machine 150 frames take longer than the usual 30 s
            measure_delays(chrome, http, moves[GAME_LENGTH - TIMED_MOVES : GAME_LENGTH])
            measure_weight(chrome)
            measure_stepping(chrome)


def play_moves(http: httpx.Client, moves: Sequence[Any], pause_seconds: float) -> list[float]:
    """Plays moves with a pause after each. Returns when each was acknowledged, in seconds of the clock."""
    acknowledged_times = list[float]()
    for number, move in enumerate(moves):
        head = http.get("/v1/games/page/lines/main", headers={"Authorization": f"Bearer {move.token}"}).headers["etag"]
        headers = {"Authorization": f"Bearer {move.token}", "If-Match": head, "Idempotency-Key": f"{head[1:]}-{number}"}
        answer = http.post("/v1/games/page/lines/main/moves", json={"move": move.text}, headers=headers)
        acknowledged_times.append(time.time())
        answer.raise_for_status()
        time.sleep(pause_seconds)
    return acknowledged_times


def measure_delays(chrome: Browser, http: httpx.Client, moves: Sequence[Any]) -> None:
    """Measures the delay until moves are on the screens of all open pages."""
    own_window, pages = chrome.driver.current_window_handle, list[str]()
    for number in range(PAGE_COUNT):
        chrome.driver.switch_to.new_window("tab")
        chrome.driver.get(f"{chrome.url.replace('127.0.0.1', f'p{number}.localhost')}/games/page")
        chrome.wait_until_live()
        chrome.run(WATCH_SCRIPT)
        chrome.cdp("Performance.enable", timeDomain="threadTicks")
        pages.append(chrome.driver.current_window_handle)
    seconds_before, acknowledged_times = thread_seconds(chrome), play_moves(http, moves, pause_seconds=0.5)
    number_before, delays_by_page = GAME_LENGTH - TIMED_MOVES, dict[str, list[float]]()
    for page in reversed(pages):
        chrome.driver.switch_to.window(page)
        chrome.until(lambda: chrome.run("return arguments[0] in window.seen", str(GAME_LENGTH)))
        if page == pages[-1]:
            seconds_per_move = (thread_seconds(chrome) - seconds_before) / len(moves)
        shown_times = chrome.run("return window.seen")
        # A move that arrived together with the next was drawn with it.
        for number, acknowledged_at in enumerate(acknowledged_times, number_before + 1):
            shown_at = min(shown_ms for step, shown_ms in shown_times.items() if int(step) >= number)
            delays_by_page.setdefault(page, []).append(shown_at - acknowledged_at * 1000)
    for page in pages:
        chrome.driver.switch_to.window(page)
        chrome.driver.close()
    chrome.driver.switch_to.window(own_window)
    hidden_delay = median(delay for page in pages[:-1] for delay in delays_by_page[page])
    details = f"{len(pages)} pages open, the hidden ones {hidden_delay:.0f}"
    expect_at_most("a move on the screen after its answer, ms", details, median(delays_by_page[pages[-1]]), 100)
    expect_at_most("CPU of the page's thread for a move, ms", "", seconds_per_move * 1000, 50)


def thread_seconds(chrome: Browser) -> float:
    """Seconds that the thread of a page has worked."""
    metrics = {metric["name"]: metric["value"] for metric in chrome.cdp("Performance.getMetrics")["metrics"]}
    return float(metrics["TaskDuration"])


def measure_weight(chrome: Browser) -> None:
    """Measures the bytes of the first view, headers included."""
    chrome.cdp("Network.enable")
    chrome.cdp("Network.clearBrowserCache")
    chrome.network_events()
    chrome.logged_events.clear()
    chrome.open("/games/page")
    chrome.wait_until_live()
    chrome.until(lambda: chrome.run("return document.querySelector('#graphs svg') !== null"))
    responses = [event["params"] for event in chrome.network_events() if event["method"] == "Network.loadingFinished"]
    kilobytes = sum(response["encodedDataLength"] for response in responses) / 1000
    expect_at_most("the first view of 150 moves, kB", f"{len(responses)} requests", kilobytes, 120)


def measure_stepping(chrome: Browser) -> None:
    """Measures positions per second, each drawn in a frame."""
    steps, seconds = chrome.driver.execute_async_script(STEP_SCRIPT)
    expect_at_least("stepping through a game, positions a second", f"{steps} steps", steps / seconds, 30)
