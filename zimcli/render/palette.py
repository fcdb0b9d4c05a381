"""Colours: of the seats as the game names them, of the terrain by its role. All read well on dark and on light."""

from __future__ import annotations

from collections.abc import Mapping

from zimcore.game import Seat

INK, PAPER = "#1d1a16", "#fdfaf3"

OWNERS = {
    "red": (PAPER, "#b3261e"),
    "yellow": (INK, "#f2c230"),
    "green": (PAPER, "#227d2b"),
    "blue": (PAPER, "#2456a6"),
    "black": (PAPER, "#2a2a2a"),
    "white": (INK, "#f4f1ea"),
    "orange": (INK, "#e8833a"),
    "purple": (PAPER, "#6d3f9c"),
    "brown": (PAPER, "#6b4423"),
    "pink": (INK, "#e79ab8"),
}
"""Ink and paper of a seat's pieces, by the colour that the game gives it."""

TERRAIN = {
    "void": ("", ""),
    "water": ("#8fc1e3", "#2f6f9f"),
    "land": ("#b39b68", "#d9c58f"),
    "start": ("#8a6d2f", "#ecdfb8"),
    "resource": (INK, "#d9c58f"),
    "monument": (INK, "#d9c58f"),
    "craftsman": (INK, "#d9c58f"),
}
"""Ink and paper of a square, by what stands there, if nobody owns it."""

RESOURCES = ("#a23b12", "#0b6e8a", "#8a1f6b", "#2c5e1a", "#4a3aa8", "#5b4a00")
"""The inks of kinds of resource, in the order of their names."""


SYMBOLS = {
    "magenta": "#c2267e",
    "turquoise": "#12939a",
    "gray": "#77736c",
    "orange": "#e07b22",
    "violet": "#6d3f9c",
    "red": "#b3261e",
    "green": "#227d2b",
    "blue": "#2456a6",
    "yellow": "#d6a514",
}
"""Of symbols, by the colours that the game gives them."""

LIT = (INK, "#ffd84d")
"""Ink and paper of a square that an overlay marks."""
DUSK = 0x8A8782
"""What colours fade to beside it."""


def faded(colour: str) -> str:
    """A colour halfway to dusk.

    >>> faded("#ffffff")
    '#c4c3c0'
    """
    mixed = (int(colour[at : at + 2], 16) + (DUSK >> shift & 255) for at, shift in ((1, 16), (3, 8), (5, 0)))
    return "#" + "".join(f"{part // 2:02x}" for part in mixed)


def owner_style(colour: str) -> tuple[str, str]:
    """Ink and paper for the pieces of a colour."""
    return OWNERS.get(colour.lower(), (INK, "#c9c9c9"))


def seat_style(seat: Seat, colours: Mapping[Seat, str]) -> str:
    """How the name of a seat is written."""
    if seat not in colours:
        return "bold"
    ink, paper = owner_style(colours[seat])
    return f"bold {ink} on {paper}"
