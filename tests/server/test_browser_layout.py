"""The layout of pages at three widths: each is compared with a stored picture and checked by axe.

With text twice as large all of it stays in the window.

A stored picture is a page at a sixteenth of its size: each pixel is the mean of 256. At that size fonts and their
smoothing differ little between machines; an element that has moved, is gone or has lost its colour differs much.
`ZIM_LOOKS=write` stores the pages as they are now. Look at them first: the test prints the folder of its screenshots.
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

from tests.server.browser import Browser, begin_demo_games, browsers
from tests.server.server_process import running_server
from zimcore.features.takebacks.actions import ask
from zimcore.features.takebacks.documents import NewRequest
from zimcore.service import Viewer, open_service

STORED_PICTURES = Path(__file__).parents[1] / "data" / "pages"
SHRINK_FACTOR = 16
WINDOW_HEIGHT = 960
WINDOW_WIDTHS = (390, 1024, 1920)
MAX_BRIGHTNESS_DIFFERENCE = 10.0
"""How much brightness (of 255) may differ on average: another font differs by 8 on a
phone, another page by 20."""
ENLARGE_TEXT_SCRIPT = "document.documentElement.style.fontSize = '200%'"
OPEN_DETAILS_SCRIPT = "for (const each of document.querySelectorAll('details')) each.open = true"
ELEMENTS_OUTSIDE_SCRIPT = """
const all = document.querySelectorAll("button, a, input, select, summary, td, p, li, h1, h2");
return [...all].filter(each => {
  const box = each.getBoundingClientRect();
  return box.width && !each.closest(".sr, svg, thead") && (box.right > arguments[0] + 1 || box.left < -1);
}).map(each => each.outerHTML.slice(0, 120))"""

STOP_MOTION_SCRIPT = """document.activeElement?.blur();
document.head.append(Object.assign(document.createElement("meta"), { name: "still" }));
for (const each of document.getAnimations()) each.finish();
for (const each of document.querySelectorAll("time")) each.textContent = "12:00";"""

SHRINK_PICTURE_SCRIPT = """const [url, by, done] = arguments, image = new Image();
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
def browser(find_program: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A browser with a seat in a game that has chat, requests, orders and lines."""
    folder = tmp_path_factory.mktemp("site")
    service = open_service(f"sqlite:///{folder}/games.db")
    with service.store:
        link = begin_demo_games(service)["zulu"]
        service.fork("zimba@55", "zulu--what-if", by="Zoe", viewer=Viewer("zulu"))
        with (
            running_server(folder) as server,
            browsers(server, find_program, [tmp_path_factory.mktemp("profile")]) as [page_browser],
        ):
            page_browser.join(link, "Zoe")
            service.change(ask, NewRequest(3), "zimba", by="Ben", viewer=Viewer("kilwa"))
            service.order("zimba", "bid up to 4", by="Zoe", seat="zulu", viewer=Viewer("zulu"))
            yield page_browser


def open_whole_page(browser: Browser, path: str) -> None:
    """Opens a page, and waits until all of it is there."""
    browser.open(path)
    if path.startswith("/games/") and "compare" not in path and "nothing" not in path:
        browser.wait_until_live()
        browser.until(lambda: browser.find_all("#graphs svg"))
    if path == PAGES["over"]:  # the curve shows points until the chances arrive, and a resize does not redraw it
        browser.until(lambda: browser.find_all("#course svg[aria-label^='chance']"))


@pytest.mark.parametrize("page", PAGES)
def test_a_page_looks_like_its_stored_picture(browser: Browser, page: str, tmp_path: Path) -> None:
    browser.resize(max(WINDOW_WIDTHS), WINDOW_HEIGHT)
    open_whole_page(browser, PAGES[page])
    browser.run(STOP_MOTION_SCRIPT)
    screenshots = dict[int, str]()
    for width in WINDOW_WIDTHS:
        browser.resize(width, WINDOW_HEIGHT)
        browser.run("document.getElementById('log')?.scrollTo(0, 0); scrollTo(0, 0)")
        screenshots[width] = browser.cdp("Page.captureScreenshot", format="png")["data"]
        (tmp_path / f"{page}-{width}.png").write_bytes(base64.b64decode(screenshots[width]))
    print(tmp_path)
    browser.driver.get("about:blank")  # where a script may read a picture
    for width, screenshot in screenshots.items():
        rows = browser.driver.execute_async_script(
            SHRINK_PICTURE_SCRIPT, f"data:image/png;base64,{screenshot}", SHRINK_FACTOR
        )
        shades, path = np.array(rows, float), STORED_PICTURES / f"{page}-{width}.png"
        if os.environ.get("ZIM_LOOKS") == "write":
            path.write_bytes(encode_png(shades))
        deviation = brightness_difference(decode_png(path.read_bytes()), shades)
        print(f"{path.name}: {deviation:.1f}")
        assert deviation <= MAX_BRIGHTNESS_DIFFERENCE, path.name


def test_stored_pictures_differ_from_page_to_page() -> None:
    """Shows that the test above can fail: another page, or a mirrored one, differs enough."""
    for width in WINDOW_WIDTHS:
        game_shades, africana_shades = (
            decode_png((STORED_PICTURES / f"{page}-{width}.png").read_bytes()) for page in ("game", "africana")
        )
        for other_shades in (africana_shades, game_shades[:, ::-1]):
            assert brightness_difference(game_shades, other_shades) > 2 * MAX_BRIGHTNESS_DIFFERENCE


def brightness_difference(first_shades: Any, second_shades: Any) -> float:
    """How much the brightness of two pictures differs on average; one may be a little higher up, by a line of text."""
    row_count = len(first_shades)
    shifted_pairs = (
        (
            first_shades[max(0, shift) : row_count + min(0, shift)],
            second_shades[max(0, -shift) : row_count - max(0, shift)],
        )
        for shift in range(-4, 5)
    )
    return min(float(np.abs(first_rows - second_rows).mean()) for first_rows, second_rows in shifted_pairs)


def encode_png(shades: Any) -> bytes:
    """A picture in shades of grey as a minimal PNG."""
    height, width = shades.shape
    scanlines = b"".join(b"\0" + row.astype(np.uint8).tobytes() for row in shades)
    chunks_to_write = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)),
        (b"IDAT", zlib.compress(scanlines, 9)),
        (b"IEND", b""),
    )
    chunks = (
        struct.pack(">I", len(body)) + chunk_type + body + struct.pack(">I", zlib.crc32(chunk_type + body))
        for chunk_type, body in chunks_to_write
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def decode_png(content: bytes) -> Any:
    """The shades in a PNG made by `encode_png`: rows by columns."""
    width, height = struct.unpack(">II", content[16:24])
    data_size = struct.unpack(">I", content[33:37])[0]
    rows = np.frombuffer(zlib.decompress(content[41 : 41 + data_size]), np.uint8).reshape(height, width + 1)
    return rows[:, 1:].astype(float)


@pytest.mark.parametrize("page", PAGES)
def test_text_twice_as_large_stays_in_the_window(browser: Browser, page: str) -> None:
    for width in (390, 1280):
        browser.resize(width, WINDOW_HEIGHT)
        open_whole_page(browser, PAGES[page])
        browser.run(OPEN_DETAILS_SCRIPT)
        browser.run(ENLARGE_TEXT_SCRIPT)
        assert browser.run(ELEMENTS_OUTSIDE_SCRIPT, width) == []
        assert browser.run("return document.documentElement.scrollWidth") <= width


def test_pages_with_open_details_have_no_accessibility_violations(browser: Browser) -> None:
    browser.resize(1280, WINDOW_HEIGHT)
    for page in ("game", "past", "own-line", "over", "compare"):
        open_whole_page(browser, PAGES[page])
        browser.run(OPEN_DETAILS_SCRIPT)
        assert browser.accessibility_violations() == [], page


@pytest.mark.parametrize("width", [390, 768, 1024, 1300, 1366, 1920])
def test_statistics_fit_and_are_in_view_where_the_address_asks_for_them(browser: Browser, width: int) -> None:
    browser.resize(width, WINDOW_HEIGHT)
    browser.open("/games/over?ask=stats")
    browser.wait_until_live()
    browser.until(lambda: browser.find_all("#graphs svg"))
    browser.until(
        lambda: -5 <= browser.run("return document.getElementById('answer').getBoundingClientRect().top") < 500
    )
    tables = (
        "[...document.querySelectorAll('#answer table')].map(each => each.scrollWidth - each.parentElement.clientWidth)"
    )
    assert browser.run(f"return Math.max(...{tables})") <= 0
