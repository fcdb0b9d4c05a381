"""Makes pictures of the views of the page, each at three widths side by side: views.py FOLDER.

Needs Chromium and its driver. A view is a page of a real server, in light colours, as a browser shows it at first.
"""

from __future__ import annotations

import base64
import re
import shutil
import sys
import tempfile
from io import BytesIO
from pathlib import Path

from PIL import Image
from selenium.common.exceptions import TimeoutException

from tests.server.browser import Browser, begin_demo_games, browser
from tests.server.server_process import run_zim, running_server
from zimcore.service import open_service

WINDOW_SIZES = ((390, 844), (1300, 900), (1920, 1080))
PICTURE_HEIGHT, PICTURE_GAP = 460, 12
"""The height of each picture and the gap between pictures, in pixels."""
VIEWS = {
    "lobby": ("/", ""),
    "begin": (
        "/",
        "const at = document.querySelector('form.begin').closest('details'); at.open = true; at.scrollIntoView()",
    ),
    "join": ("", ""),  # a link of its own
    "game": ("/games/zimba?as=zulu&say=craft", ""),
    "africana": ("/games/afri", ""),
    "study": (
        "/games/zimba?as=zulu&at=30&why=kilwa.vp",
        "document.getElementById('because').scrollIntoView({ block: 'center' })",
    ),
    "finished": ("/games/over", ""),
    "missing": ("/games/nothing", ""),
    "print": ("/games/zimba?as=zulu", ""),
}
END_ANIMATIONS_SCRIPT = "for (const each of document.getAnimations()) each.finish()"


def view_picture(tab: Browser, name: str) -> Image.Image:
    """A view at all widths, side by side."""
    path, script = VIEWS[name]
    pictures = list[Image.Image]()
    for width, height in WINDOW_SIZES:
        tab.resize(width, height)
        if name == "print":
            tab.cdp("Emulation.setEmulatedMedia", media="print")
        if path:
            tab.open(path)
        if path.startswith("/games/") and name != "missing":
            wait_until_live(tab)
        if name == "finished":
            tab.until(lambda: tab.find_all("#course svg[aria-label^='chance']"))
        tab.run(script + ";" + END_ANIMATIONS_SCRIPT)
        png_bytes = base64.b64decode(tab.cdp("Page.captureScreenshot", format="png")["data"])
        picture = Image.open(BytesIO(png_bytes)).convert("RGB")
        pictures.append(picture.resize((width * PICTURE_HEIGHT // height, PICTURE_HEIGHT), Image.Resampling.LANCZOS))
    tab.cdp("Emulation.setEmulatedMedia", media="")
    sheet = Image.new(
        "RGB", (sum(picture.width + PICTURE_GAP for picture in pictures) - PICTURE_GAP, PICTURE_HEIGHT), "#8a8378"
    )
    x_offset = 0
    for picture in pictures:
        sheet.paste(picture, (x_offset, 0))
        x_offset += picture.width + PICTURE_GAP
    return sheet


def wait_until_live(tab: Browser) -> None:
    """Waits until a page of a game is there; on a busy machine it is loaded anew."""
    for _ in range(3):
        try:
            return tab.wait_until_live()
        except TimeoutException:
            tab.driver.refresh()
    raise SystemExit("the page of a game does not load")


def main(folder: Path) -> None:
    """Writes the pictures into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not chromium or not driver:
        sys.exit("views: Chromium or its driver is missing\n  try: apt install chromium chromium-driver")
    with tempfile.TemporaryDirectory() as folder_name:
        home = Path(folder_name)
        service = open_service(f"sqlite:///{home}/games.db")
        links = begin_demo_games(service)
        seat_link, unused_link = links.pop("zulu"), next(iter(links.values()))
        token = re.search(r"zim_host_\S+", run_zim(home, "serve", "token", "hanna"))
        assert token
        with (
            service.store,
            running_server(home) as server,
            browser(server.url, chromium, driver, home / "profile") as tab,
        ):
            tab.join(token[0])
            tab.join(seat_link, "Zoe")
            for name in VIEWS:
                if name == "join":
                    tab.open(f"/join#{unused_link}")
                    tab.until(lambda: not tab.find("#has-link").get_attribute("hidden"))
                view_picture(tab, name).save(folder / f"{name}.webp", quality=62, method=6)
                print(name, (folder / f"{name}.webp").stat().st_size)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
