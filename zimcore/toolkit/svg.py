"""Elements of a drawing as text: what a game's art and the picture of a board are both made of."""

from __future__ import annotations

from collections.abc import Iterable

from zimcore.toolkit.printable import printable

SIDE = 44
"""Units along a side of a square."""
PAPER = "#f7efdd"
"""What everything is drawn on."""
INK = "#1d1a16"
"""What is written and outlined with, where nothing has a colour of its own."""
WRITTEN = {"fill": INK, "class_": "ink"}
"""How words on paper look: a picture that is read in the dark gives the class another colour."""
SOFT = {"fill": "#6f5325", "class_": "soft"}
"""The same for words of less weight."""
RULED = {"stroke": "#d9c394", "class_": "rule", "fill": "none"}
"""And for fine lines."""
EDGED = {"stroke": INK, "stroke_width": 1.2, "class_": "edge"}
"""And for the edge of what lies on paper, in a colour of its own."""


def escape_text(text: str) -> str:
    """A text as it may stand in SVG and HTML: XML has no place for control characters, either."""
    from html import escape  # who only wants the inks need not load it

    return escape(printable(text))


def tag(name: str, inside: str = "", /, **attributes: object) -> str:
    """An element; `_` in the name of an attribute stands for `-`, and one at its end for nothing.

    >>> tag("circle", r=2, stroke_width=1)
    '<circle r="2" stroke-width="1"/>'
    """
    given = "".join([f' {key.rstrip("_").replace("_", "-")}="{_value(value)}"' for key, value in attributes.items()])
    return f"<{name}{given}>{inside}</{name}>" if inside else f"<{name}{given}/>"


def _value(value: object) -> object:
    return escape_text(value) if isinstance(value, str) else value


def text(x: float, y: float, words: str, size: float, **attributes: object) -> str:
    """Words, by default centred."""
    return tag("text", escape_text(words), **{"x": x, "y": y, "font_size": size, "text_anchor": "middle", **attributes})


def apart(x: float, y: float, words: str, size: float, **attributes: object) -> str:
    """Words with an outline in the colour of the paper, which keeps what is drawn below them at a distance."""
    halo = {**attributes, "stroke": PAPER, "stroke_width": 4, "stroke_linejoin": "round"}
    return text(x, y, words, size, **halo) + text(x, y, words, size, **attributes)


def with_title(element: str, words: str) -> str:
    """An element with words that are shown under a pointer."""
    return group([tag("title", escape_text(words)), element])


def group(parts: Iterable[str], **attributes: object) -> str:
    """Several elements as one."""
    return tag("g", "".join(parts), **attributes)


def translate(x: float, y: float, *parts: str, scale: float = 1) -> str:
    """Elements somewhere else."""
    to = f"translate({x:g} {y:g})"
    return group(parts, transform=to if scale == 1 else f"{to} scale({scale:g})")
