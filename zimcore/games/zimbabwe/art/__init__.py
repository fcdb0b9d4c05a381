"""The SVG art of the land and its pieces, all of it drawn for Zim."""

from __future__ import annotations

from collections.abc import Iterator

from zimcore.game import Cell
from zimcore.games.zimbabwe.art import icons
from zimcore.games.zimbabwe.art.ground import ground
from zimcore.games.zimbabwe.art.panels import panels
from zimcore.toolkit.svg import INK, SIDE, outline, tag, text, translate
from zimcore.toolkit.svg import plain_card as card
from zimcore.toolkit.words import spaced

__all__ = ["card", "emblem", "ground", "icon", "panels", "piece"]

SIGN_LAYOUTS = {(2, 2): (1.7, -9, 27.0), (2, 1): (0.9, -6, 13.5)}
"""By columns and rows of a craftsman: the scale of the sign, the y of the sign, and the y of the name."""
DEFAULT_SIGN_LAYOUT = (1.1, -12, 14.0)
"""The same for all other sizes."""


def piece(cell: Cell, size: tuple[int, int], ink: str, paper: str) -> str:
    """Draws a resource with its used markers, the face of a craftsman's tile, or a monument; "" for other cells."""
    match cell.role:
        case "resource":
            return icons.resource(cell.kind) + "".join(used_markers(cell.marks))
        case "craftsman":
            return "".join(trade_sign(cell.kind, size, ink))
        case "monument":
            return monument(cell.marks, ink, paper)
    return ""


def emblem(ink: str, paper: str) -> str:
    """A monument of level 3, in the colours of a seat."""
    return icons.tower(3, ink, paper)


def icon(verb: str) -> str:
    """The icon of a command."""
    return outline(icons.VERB_PATHS[verb]) if verb in icons.VERB_PATHS else ""


def used_markers(marker_count: int) -> Iterator[str]:
    """Used markers, side by side at the foot of a square."""
    return (translate(15 - 12 * index, 14.5, icons.marker(), scale=1.2) for index in range(marker_count))


def trade_sign(kind: str, size: tuple[int, int], ink: str) -> Iterator[str]:
    """The sign and name of a trade, on a tile of this many columns and rows."""
    columns = size[0]
    name_words = spaced(kind).split()
    lines = [" ".join(name_words)] if columns > 1 else name_words
    font_size = min(12, (columns * SIDE - 14) / max(len(line) for line in lines) * 1.75)
    scale, sign_y, name_y = SIGN_LAYOUTS.get(size, DEFAULT_SIGN_LAYOUT)
    yield translate(0, sign_y, icons.tool(kind, ink), scale=scale)
    yield from (
        text(0, name_y + index * font_size, line, round(font_size, 1), fill=ink) for index, line in enumerate(lines)
    )


def monument(level: int, ink: str, paper: str) -> str:
    """A tower with its level."""
    plate = tag("circle", r=8, fill=paper, stroke=INK, stroke_width=1)
    label = text(0, 4.8, str(level), 13.5, fill=ink, font_weight="bold")
    return translate(-3, 0, icons.tower(level, ink, paper)) + translate(13, -12.5, plate, label)
