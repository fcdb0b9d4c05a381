"""The colours of seats, by the names that games give them, and of light and dark paper. All are legible on both."""

from __future__ import annotations

from zimcore.toolkit.svg import INK, tag

__all__ = ["INK", "owner_style"]

LIGHT_INK = "#fdfaf3"

OWNER_STYLES = {
    "red": (LIGHT_INK, "#b3261e"),
    "yellow": (INK, "#f2c230"),
    "green": (LIGHT_INK, "#227d2b"),
    "blue": (LIGHT_INK, "#2456a6"),
    "black": (LIGHT_INK, "#2a2a2a"),
    "white": (INK, "#f4f1ea"),
    "orange": (INK, "#e8833a"),
    "purple": (LIGHT_INK, "#6d3f9c"),
    "brown": (LIGHT_INK, "#6b4423"),
    "pink": (INK, "#e79ab8"),
}
"""Ink and paper of a seat's pieces, by the seat's colour."""


EMBLEM_PATHS = {
    "red": "M10 0A10 10 0 1 1-10 0A10 10 0 1 1 10 0Z",
    "yellow": "M-9-9H9V9H-9Z",
    "green": "M0-11L11 9H-11Z",
    "blue": "M0-12L12 0L0 12L-12 0Z",
    "black": "M-11 0L-5.5-9.5H5.5L11 0L5.5 9.5H-5.5Z",
    "white": "M0-11L10.5-3.4L6.5 9H-6.5L-10.5-3.4Z",
    "orange": "M0 11L11-9H-11Z",
    "purple": "M-4-11H4V-4H11V4H4V11H-4V4H-11V-4H-4Z",
    "brown": "M-10-8H10V1Q9 9 0 12Q-9 9-10 1Z",
    "pink": "M0-12L3.5-3.5L12 0L3.5 3.5L0 12L-3.5 3.5L-12 0L-3.5-3.5Z",
}
"""The emblem of a seat by its colour, as a path around (0, 0), 20 units across: shapes differ where colours do not."""


def owner_sign_path(colour: str) -> str:
    """The outline of the emblem of a colour; a disc for an unknown colour."""
    return EMBLEM_PATHS.get(colour.lower(), EMBLEM_PATHS["red"])


def owner_style(colour: str) -> tuple[str, str]:
    """Ink and paper for the pieces of a colour."""
    return OWNER_STYLES.get(colour.lower(), (INK, "#c9c9c9"))


DARK_CSS = (
    ".paper{fill:#1c1814}.ink{fill:#efe6d3}.soft{fill:#cdb07c}.rule{stroke:#4d4130}.frame{stroke:#8b7044}"
    ".edge{stroke:#93866f}.teeth{fill:#7d5f30}.gold{fill:#e0b35f}"
)
"""CSS of the classes of words and lines, in the dark."""


def dark_mode_style() -> str:
    """The style of a picture that follows the browser's dark mode. A PNG is always light: its renderer ignores it."""
    return tag("style", f"@media (prefers-color-scheme:dark){{{DARK_CSS}}}")
