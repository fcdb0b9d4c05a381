"""One meaning for each colour and shape of the page: what each class is for, and that all are told apart by all."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import combinations
from pathlib import Path

import pytest
from PIL import Image, ImageChops

from scripts.drawings import meanings
from tests.server.browser import BROWSERS, Browser, browser
from zimcore.server.pages.rendering import PAGES_FOLDER

USES = {
    "lights": {"board.js"},  # can be played
    "meant": {"board.js"},  # chosen of these
    "marks": {"steps.js"},  # the last move
    "mine": {"parts.html", "seat_bar.py", "steps.js"},  # the row of the viewer's seat
    "goal": {"seatbar.html"},  # what is to be reached
    "play": {"asking.html", "dock.html"},  # the button that plays
    "problem": {"parts.html", "rule.html"},  # an error
}
"""The files that use each class with a meaning: what else uses it gives it a second one."""
RED = re.compile(r"var\(--(?:red|primary)\)|#b3261e|#8f1d17", re.IGNORECASE)
RED_RULES = {
    ".my-turn #now h2": "your turn",
    ".my-turn #act": "your turn",
    ".cards li.turn": "your turn",
    ".lights rect": "can be played",
    ".play": "plays",
    ".play:enabled:hover": "plays",
    ".primary": "the one thing to do",
    ".primary:hover": "the one thing to do",
}
"""What the rules that use red are for: what can be done now, nothing else."""
MIN_DIFFERENCE = 0.02
"""The part of the pixels that differ by 25 levels of grey between any two samples."""


def test_each_class_with_a_meaning_has_one() -> None:
    files = [path for path in PAGES_FOLDER.rglob("*") if path.suffix in (".html", ".js", ".py")]
    files += [*(PAGES_FOLDER.parents[1] / "features").rglob("*.html")]
    for name, expected_files in USES.items():
        use = re.compile(
            rf"""class=["'][^"'>]*\b{name}\b|class(?:Name)?(?:: | = )[^,;\n]*["']{name}|["']{name}["'] if """
        )
        assert {path.name for path in files if use.search(path.read_text("utf-8"))} == expected_files, name


def test_red_is_for_what_can_be_done_now() -> None:
    style = "".join((PAGES_FOLDER / "static" / name).read_text("utf-8") for name in ("page.css", "plain.css"))
    style = re.sub(r"/\*.*?\*/", "", style, flags=re.DOTALL)
    rules = re.findall(r"([^{};]+)\{([^{}]*)\}", style)
    assert {selector.strip() for selector, body in rules if RED.search(body) and ":root" not in selector} == {
        *RED_RULES
    }


@pytest.fixture(scope="module")
def tab(find_program: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> Browser:  # type: ignore[misc]
    program, chromedriver = find_program(*BROWSERS), find_program("chromedriver")
    with browser("", program, chromedriver, tmp_path_factory.mktemp("profile")) as opened_tab:
        meanings.open_samples(opened_tab)
        yield opened_tab


def difference(first: Image.Image, second: Image.Image) -> float:
    """The part of the pixels in which two pictures differ visibly, in shades of grey."""
    histogram = ImageChops.difference(first.convert("L"), second.convert("L")).histogram()
    return sum(histogram[25:]) / sum(histogram)


def alike(pictures: Mapping[str, Image.Image]) -> list[tuple[str, str]]:
    """The samples that can't be told apart."""
    return [
        (first, second)
        for first, second in combinations(pictures, 2)
        if difference(pictures[first], pictures[second]) < MIN_DIFFERENCE
    ]


@pytest.mark.parametrize("blindness", meanings.BLINDNESSES)
@pytest.mark.parametrize("scheme", meanings.SCHEMES)
def test_all_meanings_are_told_apart_by_all_people(tab: Browser, scheme: str, blindness: str) -> None:
    assert alike(meanings.sample_pictures(tab, scheme, blindness)) == []


def test_samples_that_differ_only_by_a_hue_are_found() -> None:
    """Red and green of one lightness, as the last move and what can be played once were both thin red frames."""
    red, green = (Image.new("RGB", (20, 20), colour) for colour in ("#b3261e", "#4a6a1e"))
    assert alike({"red": red, "green": green}) == [("red", "green")]


def test_the_picture_of_the_meanings_is_in_the_docs() -> None:
    with Image.open(Path(meanings.__file__).parents[2] / "docs" / "views" / "meanings.webp") as picture:
        width, height = meanings.SAMPLE_SIZE
        rows = len(meanings.SCHEMES) * len(meanings.BLINDNESSES)
        assert picture.size == (width * len(meanings.SAMPLES), meanings.HEAD_HEIGHT + height * rows)
