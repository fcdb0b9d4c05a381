"""Draws the map and its pieces for pictures. Nothing is copied from the published game."""

from __future__ import annotations

from collections.abc import Iterator

from zimcore.game import Cell
from zimcore.games.africana.art.coast import ground
from zimcore.games.africana.art.panels import panels
from zimcore.games.africana.art.symbols import SYMBOL_COLOURS, VERB_PATHS, explorer, small_card, symbol
from zimcore.toolkit.svg import outline, text, translate

__all__ = ["SYMBOL_COLOURS", "card", "emblem", "ground", "icon", "panels", "piece"]


def piece(cell: Cell, size: tuple[int, int], ink: str, paper: str) -> str:
    """Draws the symbols of a location and its explorers; "" for other cells, which are drawn as text."""
    match cell.role:
        case "symbol":
            return "".join(symbol_drawings(cell))
        case "explorer":
            return "".join(explorer_drawings(cell.text, ink, paper))
    return ""


def symbol_drawings(cell: Cell) -> Iterator[str]:
    """The symbol of each colour of a location."""
    colours = cell.kind.split()
    return (translate(24 * index - 9, 0, symbol(colour)) for index, colour in enumerate(colours))


def explorer_drawings(letters: str, ink: str, paper: str) -> Iterator[str]:
    """The explorers in a location side by side, each with its letter; a `+` stands for more of them."""
    for index, letter in enumerate(letters):
        label = text(0, 13, letter, 12, fill=ink, font_weight="bold")
        figure = translate(0, 0, label if letter == "+" else explorer(ink, paper) + label, scale=1.1)
        yield translate(24 * index, -6, figure)


def emblem(ink: str, paper: str) -> str:
    """An explorer in the colours of a seat."""
    return explorer(ink, paper)


def icon(verb: str) -> str:
    """The icon of a command."""
    return outline(VERB_PATHS[verb]) if verb in VERB_PATHS else ""


def card(name: str) -> str:
    """A travel card."""
    return small_card(name)
