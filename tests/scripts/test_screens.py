"""The writer of pictures of screens: what a terminal shows, as SVG that needs nothing else."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pyte
import pytest

from scripts.drawings.screens import THEMES, screen_svg

LETTER_WIDTH, LETTER_HEIGHT = 12.2, 24.4
"""Units of a letter."""


def screen_of(text: str) -> pyte.Screen:
    screen = pyte.Screen(20, 5)
    pyte.Stream(screen).feed(text)
    return screen


@pytest.mark.parametrize("theme", THEMES)
def test_letters_stand_where_they_are_in_their_colours(theme: str) -> None:
    screen = screen_of(
        "\x1b[1;38;2;1;2;3mKi3\x1b[0m \x1b[48;2;200;100;50mx\x1b[0m\r\n\x1b[33myellow\x1b[0m \x1b[95mpink"
    )
    picture = screen_svg(screen, theme)
    root = ElementTree.fromstring(picture)
    letters = root.iter("{http://www.w3.org/2000/svg}text")
    corners = {
        (element.text or "").strip("\xa0\n"): (float(element.get("x", 0)), float(element.get("y", 0)))
        for element in letters
    }
    assert [word for word in corners if word] == ["Ki3", "x", "yellow", "pink"]
    assert [*corners["x"], *corners["pink"]] == pytest.approx(
        [4 * LETTER_WIDTH, corners["Ki3"][1], 7 * LETTER_WIDTH, corners["Ki3"][1] + LETTER_HEIGHT]
    )
    assert "#010203" in picture
    assert "#c86432" in picture
    assert "font-weight: bold" in picture


def test_a_picture_needs_no_network_and_ends_with_the_last_row() -> None:
    picture = screen_svg(screen_of("one"), "dark")
    assert "http" not in picture.replace("http://www.w3.org/2000/svg", "")
    [height] = re.findall(r'viewBox="0 0 \S+ ([\d.]+)"', picture)
    [taller_height] = re.findall(r'viewBox="0 0 \S+ ([\d.]+)"', screen_svg(screen_of("one\r\n\r\ntwo"), "dark"))
    assert float(taller_height) == pytest.approx(float(height) + 2 * LETTER_HEIGHT)
