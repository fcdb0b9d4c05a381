"""The layout of pages at three widths: compared with stored pictures, with text twice as large, and by axe.

A picture that is kept is a page at a sixteenth of its size, each pixel the mean of what is there. So small, fonts and
their smoothing differ little from one machine to the next, and what has moved, is gone or has lost its colour differs
much. `ZIM_LOOKS=write` keeps the pages as they are now: look at them first, they are printed as files.
"""

from __future__ import annotations

import base64
import os
import struct
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from axe_core_python.base import AXE_SCRIPT

from tests.picture.conftest import demo_line
from tests.server.browsing import Browser, browsers, offer_seats
from tests.server.process import serving
from zimcore.games import africana, zimbabwe
from zimcore.service import GameService, Viewer, open_service

KEPT = Path(__file__).parents[1] / "data" / "pages"
SMALLER = 16
HEIGHT = 960
WIDTHS = (390, 1024, 1920)
MOST = 10.0
"""How much brightness (of 255) may differ on average: another font makes 8 of it on a phone, other pages make 20."""
LARGE = "document.documentElement.style.fontSize = '200%'"
OPEN = "for (const each of document.querySelectorAll('details')) each.open = true"
OUTSIDE = """const all = document.querySelectorAll("button, a, input, select, summary, td, p, li, h1, h2");
return [...all].filter(each => {
  const box = each.getBoundingClientRect();
  return box.width && !each.closest(".sr, svg, thead") && (box.right > arguments[0] + 1 || box.left < -1);
}).map(each => each.outerHTML.slice(0, 120))"""

PAGES = {
    "lobby": "/",
    "game": "/games/zimba?as=zulu&say=craft",
    "past": "/games/zimba?as=zulu&at=30&why=kilwa.vp&ask=cards",
    "own-line": "/games/zimba?as=zulu&line=zulu--what-if",
    "africana": "/games/afri",
    "over": "/games/over",
    "compare": "/games/zimba/compare?as=zulu&a=main@30&b=main@50",
    "join": "/join",
    "wrong": "/games/nothing",
}


@pytest.fixture(scope="module")
def at(program: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A browser that has a seat in a game around which everything goes on that can."""
    folder = tmp_path_factory.mktemp("site")
    service = open_service(f"sqlite:///{folder}/games.db")
    with service.store:
        link = begin_games(service)
        with serving(folder) as server, browsers(server, program, [tmp_path_factory.mktemp("profile")]) as [one]:
            one.join(link, "Zoe")
            service.ask("zimba", 3, by="Ben", viewer=Viewer("kilwa"))
            service.order("zimba", "bid up to 4", by="Zoe", seat="zulu", viewer=Viewer("zulu"))
            yield one


def begin_games(service: GameService) -> str:
    """Begins the games; the link to the seat."""
    for game, name, moves in ((zimbabwe.GAME, "zimba", 60), (africana.GAME, "afri", 60), (zimbabwe.GAME, "over", 999)):
        options, played = demo_line(game)
        links = offer_seats(service, game.name, options, name)
        if name == "zimba":
            link = links["zulu"]
        for move in played[:moves]:
            service.play(name, move, by="anna", viewer=Viewer(None))
    service.fork("zimba@55", "zulu--what-if", by="Zoe", viewer=Viewer("zulu"))
    service.say("zimba", "a strong round, that", by="Ben", viewer=Viewer("kilwa"))
    return link


def open_whole(at: Browser, path: str) -> None:
    """Opens a page, and waits until all of it is there."""
    at.open(path)
    if path.startswith("/games/") and "compare" not in path and "nothing" not in path:
        at.live()
        at.until(lambda: at.all("#graphs svg"))
    if path == PAGES["over"]:  # the curve has points until the chances come, and keeps the width at which it is drawn
        at.until(lambda: at.all("#course svg[aria-label^='chance']"))


@pytest.mark.parametrize("page", PAGES)
def test_a_page_looks_as_it_did(at: Browser, page: str, tmp_path: Path) -> None:
    at.size(max(WIDTHS), HEIGHT)
    open_whole(at, PAGES[page])
    at.run(STILL)
    shots = dict[int, str]()
    for width in WIDTHS:
        at.size(width, HEIGHT)
        at.run("document.getElementById('log')?.scrollTo(0, 0); scrollTo(0, 0)")
        shots[width] = at.cdp("Page.captureScreenshot", format="png")["data"]
        (tmp_path / f"{page}-{width}.png").write_bytes(base64.b64decode(shots[width]))
    print(tmp_path)
    at.driver.get("about:blank")  # where a script may read a picture
    for width, shot in shots.items():
        rows = at.driver.execute_async_script(MEANS, f"data:image/png;base64,{shot}", SMALLER)
        now, path = np.array(rows, float), KEPT / f"{page}-{width}.png"
        if os.environ.get("ZIM_LOOKS") == "write":
            path.write_bytes(png(now))
        apart = difference(grey(path.read_bytes()), now)
        print(f"{path.name}: {apart:.1f}")
        assert apart <= MOST, path.name


STILL = """document.activeElement?.blur();
document.head.append(Object.assign(document.createElement("meta"), { name: "still" }));
for (const each of document.getAnimations()) each.finish();
for (const each of document.querySelectorAll("time")) each.textContent = "12:00";"""

MEANS = """const [url, by, done] = arguments, image = new Image();
image.onload = () => {
  const canvas = new OffscreenCanvas(image.width, image.height), context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, image.width, image.height), rows = [];
  for (let y = 0; y + by <= image.height; y += by) {
    rows.push([]);
    for (let x = 0; x + by <= image.width; x += by) {
      let sum = 0;
      for (let v = y; v < y + by; v++) for (let u = x; u < x + by; u++) {
        const at = 4 * (v * image.width + u);
        sum += data[at] + data[at + 1] + data[at + 2];
      }
      rows.at(-1).push(Math.round(sum / (3 * by * by)));
    }
  }
  done(rows);
};
image.src = url;"""


def test_what_is_kept_tells_pages_apart() -> None:
    """Otherwise the test above would show nothing: another page, or one with its sides exchanged, is another."""
    for width in WIDTHS:
        first, second = (grey((KEPT / f"{page}-{width}.png").read_bytes()) for page in ("game", "africana"))
        for change in (second, first[:, ::-1]):
            assert difference(first, change) > 2 * MOST


def difference(one: Any, other: Any) -> float:
    """How much the brightness of two pictures differs on average; one may be a little higher up, by a line of text."""
    rows = len(one)
    shifts = ((one[max(0, by) : rows + min(0, by)], other[max(0, -by) : rows - max(0, by)]) for by in range(-4, 5))
    return min(float(np.abs(a - b).mean()) for a, b in shifts)


def png(rows: Any) -> bytes:
    """A picture in shades of grey as a PNG, the simplest that there is."""
    height, width = rows.shape
    lines = b"".join(b"\0" + row.astype(np.uint8).tobytes() for row in rows)
    parts = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)),
        (b"IDAT", zlib.compress(lines, 9)),
        (b"IEND", b""),
    )
    packed = (
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body)) for kind, body in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(packed)


def grey(content: bytes) -> Any:
    """The shades in a PNG that `png` has made: rows by columns."""
    width, height = struct.unpack(">II", content[16:24])
    size = struct.unpack(">I", content[33:37])[0]
    rows = np.frombuffer(zlib.decompress(content[41 : 41 + size]), np.uint8).reshape(height, width + 1)
    return rows[:, 1:].astype(float)


@pytest.mark.parametrize("page", PAGES)
def test_text_twice_as_large_stays_in_the_window(at: Browser, page: str) -> None:
    for width in (390, 1280):
        at.size(width, HEIGHT)
        open_whole(at, PAGES[page])
        at.run(OPEN)
        at.run(LARGE)
        assert at.run(OUTSIDE, width) == []
        assert at.run("return document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_parts_are_for_those_too_who_cannot_see_them_or_have_no_pointer(at: Browser, scheme: str) -> None:
    at.size(1280, HEIGHT, scheme)
    for page in ("game", "past", "own-line", "over", "compare"):
        open_whole(at, PAGES[page])
        at.run(OPEN)
        at.cdp("Runtime.evaluate", expression=AXE_SCRIPT)
        report = at.driver.execute_async_script("const done = arguments[0]; axe.run().then(done)")
        report = [(each["id"], [node["html"][:200] for node in each["nodes"]][:3]) for each in report["violations"]]
        assert report == [], page
