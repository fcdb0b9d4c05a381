"""Draws the six meanings of colours on the page side by side, as people see them: meanings.py FILE.

In the light and the dark scheme, and with each blindness for colours, as Chromium simulates them. Needs Chromium and
its driver. A test compares the samples, too.
"""

from __future__ import annotations

import base64
import shutil
import sys
import tempfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path

from PIL import Image, ImageDraw

from tests.server.browser import Browser, browser
from zimcore.server.pages.rendering import static_files

SCHEMES = ("light", "dark")
BLINDNESSES = ("none", "protanopia", "deuteranopia", "tritanopia", "achromatopsia")
SAMPLE_SIZE = (140, 60)
HEAD_HEIGHT = 22
FRAME = "M14 12H74V48H14Z"
SAMPLES: Mapping[str, str] = {
    "can be played": '<svg id="board" viewBox="0 0 140 60"><rect width="140" height="60" fill="#e6cf96"/>'
    '<g class="lights"><rect class="worth4" x="14" y="12" width="60" height="36" rx="6"/></g></svg>',
    "last move": '<svg id="board" viewBox="0 0 140 60"><rect width="140" height="60" fill="#e6cf96"/>'
    f'<g class="marks"><path d="{FRAME}" fill="none" stroke="#fff6dc" stroke-width="5"/>'
    f'<path d="{FRAME}" fill="none" stroke="#b3261e" stroke-width="2.6"/></g></svg>',
    "mine": '<table><tr class="mine"><td>Ann <small>you</small></td></tr></table>',
    "goal": '<svg class="race" viewBox="0 0 100 8" preserveAspectRatio="none" style="width:120px;height:12px;'
    'margin:20px 8px;overflow:visible"><path class="track" d="M0 4H100"/><path class="goal" d="M60 0V8"/></svg>',
    "Play": '<button class="play" type="button">Ann</button>',
    "error": '<div class="problem"><p>Ann</p></div>',
}
"""What a colour or a shape says, and the piece of a page that says it."""


def page_of_samples() -> str:
    """A page with all samples, each in a box of one size, with the style sheet of the page."""
    style = static_files()["page.css"].content.decode()
    boxes = "".join(f'<div class="sample">{sample}</div>' for sample in SAMPLES.values())
    width, height = SAMPLE_SIZE
    own_style = (
        "body{display:flex!important;overflow:hidden;padding:0!important}"
        f".sample{{width:{width}px;height:{height}px;flex:none;overflow:hidden}}#board{{width:{width}px;height:{height}px}}"
        ".problem{margin:0}.play{margin:8px}"
    )
    return (
        f"<!doctype html><html lang=en><meta charset=utf-8><style>{style}{own_style}</style><body>{boxes}</body></html>"
    )


def sample_pictures(tab: Browser, scheme: str, blindness: str) -> Mapping[str, Image.Image]:
    """The picture of each sample in a scheme, as a person with a blindness for colours sees it."""
    width, height = SAMPLE_SIZE
    tab.resize(width * len(SAMPLES), height, scheme)
    tab.cdp("Emulation.setEmulatedVisionDeficiency", type=blindness)
    png_bytes = base64.b64decode(tab.cdp("Page.captureScreenshot", format="png")["data"])
    row = Image.open(BytesIO(png_bytes)).convert("RGB")
    return {name: row.crop((at * width, 0, (at + 1) * width, height)) for at, name in enumerate(SAMPLES)}


def open_samples(tab: Browser) -> None:
    """Opens the page of samples in a browser."""
    tab.driver.get("data:text/html;base64," + base64.b64encode(page_of_samples().encode()).decode())


def main(file: Path) -> None:
    """Writes the picture: a row for each scheme and blindness."""
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not chromium or not driver:
        sys.exit("meanings: Chromium or its driver is missing\n  try: apt install chromium chromium-driver")
    width, height = SAMPLE_SIZE
    rows = [(scheme, blindness) for scheme in SCHEMES for blindness in BLINDNESSES]
    sheet = Image.new("RGB", (width * len(SAMPLES), HEAD_HEIGHT + height * len(rows)), "white")
    for at, name in enumerate(SAMPLES):
        ImageDraw.Draw(sheet).text((at * width + 10, 5), name, "black")
    with tempfile.TemporaryDirectory() as folder, browser("", chromium, driver, Path(folder)) as tab:
        open_samples(tab)
        for number, row in enumerate(rows):
            for at, picture in enumerate(sample_pictures(tab, *row).values()):
                sheet.paste(picture, (at * width, HEAD_HEIGHT + number * height))
    sheet.save(file, quality=62, method=6)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
