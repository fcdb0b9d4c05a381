"""Colours of terrain, maps, symbols and overlays, readable on dark and light terminals like those of seats."""

from __future__ import annotations

from collections.abc import Mapping

from zimcore.game import Seat
from zimcore.picture.palette import INK, owner_style

TERRAIN_COLOURS = {
    "void": ("", ""),
    "water": ("#8fc1e3", "#2f6f9f"),
    "land": ("#b39b68", "#d9c58f"),
    "start": ("#8a6d2f", "#ecdfb8"),
    "square": (INK, "#e6d7ad"),
    "piece": (INK, "#d9c58f"),
}
"""Foreground and background of a square without an owner, by its role; any other role is a piece."""

PARCHMENT = "#ece0bd"
MAP_COLOURS = {
    "place": ("#1d1a16", "#f6eed6"),
    "path": ("#8a6a3a", PARCHMENT),
    "border": ("#3f7ea8", PARCHMENT),
    "piece": ("#1d1a16", "#f6eed6"),
    "arrow": ("#9c2f12", "#f6eed6"),
    "symbol": ("#1d1a16", "#f6eed6"),
}
"""The same on a map of places and routes. The rest of the map is parchment."""

SYMBOL_COLOURS = {
    "magenta": ("#ffffff", "#b3157f"),
    "turquoise": ("#ffffff", "#0b7f8c"),
    "gray": ("#ffffff", "#6f6f6f"),
    "orange": ("#1d1a16", "#f0962e"),
    "violet": ("#ffffff", "#6a3da0"),
}
"""Foreground and background of a symbol, by the name of its colour."""

KIND_COLOURS = ("#a23b12", "#0b6e8a", "#8a1f6b", "#2c5e1a", "#4a3aa8", "#5b4a00")
"""Foregrounds of the kinds of pieces without an owner, in the order of their names."""

HIGHLIGHT_COLOURS = (INK, "#ffd84d")
"""Foreground and background of a square that an overlay marks."""
DUSK_COLOUR = 0x8A8782
"""The colour that unmarked squares fade towards."""


def fade(colour: str) -> str:
    """A colour halfway between itself and `DUSK_COLOUR`.

    >>> fade("#ffffff")
    '#c4c3c0'
    """
    channels = (
        int(colour[start : start + 2], 16) + (DUSK_COLOUR >> shift & 255) for start, shift in ((1, 16), (3, 8), (5, 0))
    )
    return "#" + "".join(f"{channel // 2:02x}" for channel in channels)


def seat_style(seat: Seat, colours: Mapping[Seat, str]) -> str:
    """The style of a seat's name."""
    if seat not in colours:
        return "bold"
    ink, paper = owner_style(colours[seat])
    return f"bold {ink} on {paper}"
