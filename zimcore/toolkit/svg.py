"""SVG elements as text, for the art of games and for pictures of boards."""

from __future__ import annotations

from collections.abc import Iterable

from zimcore.toolkit.printable import printable

SIDE = 44
"""The side of a square, in units."""
PAPER = "#f7efdd"
"""The colour of the paper."""
INK = "#1d1a16"
"""The colour of words and outlines."""
TEXT_STYLE = {"fill": INK, "class_": "ink"}
"""Attributes of words on paper; the class has another colour in dark mode."""
FAINT_STYLE = {"fill": "#6f5325", "class_": "soft"}
"""Attributes of less important words."""
LINE_STYLE = {"stroke": "#d9c394", "class_": "rule", "fill": "none"}
"""Attributes of fine lines."""
EDGE_STYLE = {"stroke": INK, "stroke_width": 1.2, "class_": "edge"}
"""Attributes of the edge of coloured shapes on paper."""


def escape_text(text: str) -> str:
    """A text escaped for SVG and HTML, without control characters, which XML forbids."""
    from html import escape  # a slow import, and modules that only use the constants need none

    return escape(printable(text))


def tag(name: str, inside: str = "", /, **attributes: object) -> str:
    """An element. In names of attributes `_` becomes `-`, and a `_` at the end is dropped.

    >>> tag("circle", r=2, stroke_width=1)
    '<circle r="2" stroke-width="1"/>'
    """
    attributes_text = "".join(
        [f' {key.rstrip("_").replace("_", "-")}="{_escape_value(value)}"' for key, value in attributes.items()]
    )
    return f"<{name}{attributes_text}>{inside}</{name}>" if inside else f"<{name}{attributes_text}/>"


def _escape_value(value: object) -> object:
    return escape_text(value) if isinstance(value, str) else value


def text(x: float, y: float, words: str, size: float, **attributes: object) -> str:
    """A text element, by default centred."""
    return tag("text", escape_text(words), **{"x": x, "y": y, "font_size": size, "text_anchor": "middle", **attributes})


def outlined_text(x: float, y: float, words: str, size: float, **attributes: object) -> str:
    """Words with an outline in the colour of the paper, to separate them from drawings below."""
    outline_attributes = {**attributes, "stroke": PAPER, "stroke_width": 4, "stroke_linejoin": "round"}
    return text(x, y, words, size, **outline_attributes) + text(x, y, words, size, **attributes)


def with_title(element: str, words: str) -> str:
    """An element with a tooltip."""
    return group([tag("title", escape_text(words)), element])


def group(parts: Iterable[str], **attributes: object) -> str:
    """Several elements in a group."""
    return tag("g", "".join(parts), **attributes)


def plain_card(name: str) -> str:
    """A card with its name, 26 by 34 units around (0, 0)."""
    frame = tag("rect", x=-13, y=-17, width=26, height=34, rx=4, fill=PAPER, stroke=INK, class_="edge")
    return frame + text(0, 4, name, min(11.0, round(34 / max(len(name), 1), 1)), fill=INK)


def outline(path: str) -> str:
    """An icon of lines in the colour of the text around it."""
    stroke = {"stroke": "currentColor", "stroke_width": 1.8, "stroke_linejoin": "round", "stroke_linecap": "round"}
    return tag("path", d=path, fill="none", **stroke)


def translate(x: float, y: float, *parts: str, scale: float = 1) -> str:
    """Elements moved by (x, y), and scaled."""
    transform = f"translate({x:g} {y:g})"
    return group(parts, transform=transform if scale == 1 else f"{transform} scale({scale:g})")
