"""The colours of seats, as their games name them. All read well on dark and on light."""

from __future__ import annotations

from zimcore.toolkit.svg import INK

__all__ = ["INK", "owner_style"]

LIGHT = "#fdfaf3"

OWNERS = {
    "red": (LIGHT, "#b3261e"),
    "yellow": (INK, "#f2c230"),
    "green": (LIGHT, "#227d2b"),
    "blue": (LIGHT, "#2456a6"),
    "black": (LIGHT, "#2a2a2a"),
    "white": (INK, "#f4f1ea"),
    "orange": (INK, "#e8833a"),
    "purple": (LIGHT, "#6d3f9c"),
    "brown": (LIGHT, "#6b4423"),
    "pink": (INK, "#e79ab8"),
}
"""Ink and paper of a seat's pieces, by the colour that the game gives it."""


def owner_style(colour: str) -> tuple[str, str]:
    """Ink and paper for the pieces of a colour."""
    return OWNERS.get(colour.lower(), (INK, "#c9c9c9"))
