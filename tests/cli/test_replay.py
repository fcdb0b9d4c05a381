"""The page of a replay, in a real browser: it opens at a link, and keys, the slider and the log move through it."""

import html
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from zimcli.main import cli

GAME = ("new kilwa-7 players=2 seed=1", "start f4", "start a3", "bid 1", "pass", "adore eshu", "end")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("replay")
    store, file = f"sqlite:///{folder / 'games.db'}", folder / "kilwa-7.html"
    script = CliRunner().invoke(cli, ["--store", store, "run", "-"], input="\n".join(GAME))
    assert script.exit_code == 0, script.stderr
    answer = CliRunner().invoke(cli, ["--store", store, "replay", "kilwa-7", "--html", str(file)])
    assert (answer.exit_code, answer.stdout) == (0, f"written: {file}\n")
    return file


@pytest.fixture(scope="module")
def browser(program: Callable[..., str]) -> str:
    return program("chromium", "chromium-browser", "google-chrome", "chrome")


def browsed(browser: str, page: Path, link: str, doing: str = "") -> str:
    """What is in the page after it was opened at a link and something was done in it."""
    done = page.with_name("done.html")
    done.write_text(page.read_text("utf-8").replace("</body>", f"<script>{doing}</script></body>"), "utf-8")
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom", f"file://{done}{link}"]
    return html.unescape(subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout)


def status(dom: str) -> str:
    found = re.search(r'id="status"[^>]*>([^<]*)<', dom)
    return found[1].partition(" · ")[0] if found else ""


def key(name: str) -> str:
    return f'dispatchEvent(new KeyboardEvent("keydown", {{ key: "{name}" }}));'


def test_the_page_needs_nothing_else(page: Path) -> None:
    assert not re.search(r"(src|href)=\"(?!#)|@import|url\(|fetch\(", page.read_text("utf-8"))


@pytest.mark.parametrize(
    ("link", "doing", "number"),
    [
        ("", "", 0),
        ("#3", "", 3),
        ("#r1", "", 2),
        ("#99", "", 6),
        ("#<b>", "", 0),
        ("#3", key("ArrowRight"), 4),
        ("#3", key("ArrowLeft") * 9, 0),
        ("", key("End"), 6),
        ("#6", key("ArrowUp"), 2),
        ("", 'const s = $("slider"); s.value = 5; s.dispatchEvent(new Event("input"));', 5),
        ("#1", '$("next").click(); $("next").click();', 3),
    ],
)
def test_moving_through_it(browser: str, page: Path, link: str, doing: str, number: int) -> None:
    dom = browsed(browser, page, link, doing)
    assert status(dom) == f"after move {number} of 6"
    assert f'href="#{number}" aria-current="step"' in dom
    assert dom.count('aria-current="step"') == 1


def test_what_it_shows(browser: str, page: Path) -> None:
    dom = browsed(browser, page, "#5")
    assert dom.count("<ellipse") >= 4, "two monuments"
    assert "adores eshu" in dom
    assert re.search(r"<td>.*kilwa</td>", dom)
