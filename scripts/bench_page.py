"""Benchmarks the page of a game in a real Chromium: the weight of its first view, the delay of a move, stepping.

Needs the extra `server`, selenium, chromium and chromedriver. Each open page uses a different host name for the server,
so that none waits for another's connections, as if each had a browser of its own. A page's log shows when a move has
arrived, and the next frame draws it; the clock is that of the same machine. All pages share one processor, so the CPU
time of one page's thread per move is printed too.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

import httpx
from bench_server import begin_game, our_server, serving
from measure import at_least, at_most

from tests.server.browsing import Browser, browser

LONG, PAGES, MOVES = 150, 20, 20
WATCHES = """window.seen = {};
new MutationObserver(() => {
  const last = [...document.querySelectorAll("#log a[data-step]")].at(-1);
  const note = () => { window.seen[last.dataset.step] ??= performance.timeOrigin + performance.now(); };
  if (document.hidden) note(); else requestAnimationFrame(() => setTimeout(note));
}).observe(document.getElementById("log"), { childList: true });"""
STEPS = """const done = arguments[0], next = document.getElementById("next");
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
    plays = begin_game(url, "page")
    with (
        serving(our_server, url) as server,
        httpx.Client(base_url=f"http://127.0.0.1:{server.port}", timeout=60) as http,
    ):
        play(http, plays[: LONG - MOVES])
        with browser(str(http.base_url), chromium, chromedriver, folder / "profile") as at:
            at.driver.set_script_timeout(300)  # on a busy machine 150 frames take longer than the usual 30 s
            times_seen(at, http, plays[LONG - MOVES : LONG])
            page_weight(at)
            step_times(at)


def play(http: httpx.Client, plays: Sequence[Any]) -> list[float]:
    """Plays moves. Returns when each was acknowledged, in seconds of the clock."""
    times = list[float]()
    for number, each in enumerate(plays):
        head = http.get("/v1/games/page/lines/main", headers={"Authorization": f"Bearer {each.token}"}).headers["etag"]
        headers = {"Authorization": f"Bearer {each.token}", "If-Match": head, "Idempotency-Key": f"{head[1:]}-{number}"}
        answer = http.post("/v1/games/page/lines/main/moves", json={"move": each.text}, headers=headers)
        times.append(time.time())
        answer.raise_for_status()
        if len(plays) <= MOVES:
            time.sleep(0.5)  # one move at a time, as people play
    return times


def times_seen(at: Browser, http: httpx.Client, plays: Sequence[Any]) -> None:
    """Measures the delay until moves are on the screens of all open pages."""
    own_window, pages = at.driver.current_window_handle, list[str]()
    for number in range(PAGES):
        at.driver.switch_to.new_window("tab")
        at.driver.get(f"{at.url.replace('127.0.0.1', f'p{number}.localhost')}/games/page")
        at.wait_until_live()
        at.run(WATCHES)
        at.cdp("Performance.enable", timeDomain="threadTicks")
        pages.append(at.driver.current_window_handle)
    before, times = tasks(at), play(http, plays)
    began, taken = LONG - MOVES, dict[str, list[float]]()
    for page in reversed(pages):
        at.driver.switch_to.window(page)
        at.until(lambda: at.run("return arguments[0] in window.seen", str(LONG)))
        if page == pages[-1]:
            cost = (tasks(at) - before) / len(plays)
        shown = at.run("return window.seen")
        # A move that arrived together with the next was drawn with it.
        for number, acknowledged in enumerate(times, began + 1):
            first = min(when for step, when in shown.items() if int(step) >= number)
            taken.setdefault(page, []).append(first - acknowledged * 1000)
    for page in pages:
        at.driver.switch_to.window(page)
        at.driver.close()
    at.driver.switch_to.window(own_window)
    others = median(each for page in pages[:-1] for each in taken[page])
    figures = f"{len(pages)} pages open, the hidden ones {others:.0f}"
    at_most("a move on the screen after its answer, ms", figures, median(taken[pages[-1]]), 100)
    at_most("the same, ms of the page's own thread", "", cost * 1000, 50)


def tasks(at: Browser) -> float:
    """Seconds that the thread of a page has worked."""
    metrics = {each["name"]: each["value"] for each in at.cdp("Performance.getMetrics")["metrics"]}
    return float(metrics["TaskDuration"])


def page_weight(at: Browser) -> None:
    """Measures the bytes of the first view, headers included."""
    at.cdp("Network.enable")
    at.cdp("Network.clearBrowserCache")
    at.network_events()
    at.logged_events.clear()
    at.open("/games/page")
    at.wait_until_live()
    at.until(lambda: at.run("return document.querySelector('#graphs svg') !== null"))
    responses = [each["params"] for each in at.network_events() if each["method"] == "Network.loadingFinished"]
    size = sum(each["encodedDataLength"] for each in responses) / 1000
    at_most("the first view of 150 moves, kB", f"{len(responses)} requests", size, 120)


def step_times(at: Browser) -> None:
    """Measures positions per second, each drawn in a frame."""
    steps, seconds = at.driver.execute_async_script(STEPS)
    at_least("stepping through it, positions a second", f"{steps} steps", steps / seconds, 30)
