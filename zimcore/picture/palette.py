"""The colours of seats, as their games name them, and of paper, light and dark. All read well on either."""

from __future__ import annotations

from zimcore.toolkit.svg import INK, tag

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


DARK = (
    ".paper{fill:#1c1814}.ink{fill:#efe6d3}.soft{fill:#cdb07c}.rule{stroke:#4d4130}.frame{stroke:#8b7044}"
    ".edge{stroke:#93866f}.teeth{fill:#7d5f30}.gold{fill:#e0b35f}"
)
"""The classes of what stands on paper, in the dark."""


def style() -> str:
    """For a picture by itself. What makes a PNG of it reads no media queries: that is always light."""
    return tag("style", f"@media (prefers-color-scheme:dark){{{DARK}}}")
