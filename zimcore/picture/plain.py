"""The art of games without art: plain squares, and pieces with the letters of their cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from zimcore.game import Board, Cell, Panel, Seat
from zimcore.picture.squares import ground_of
from zimcore.toolkit.svg import INK, SIDE, plain_card, tag, text

SQUARE_COLOUR = "#ead9b0"
GROUND_COLOURS = {"water": "#8fc1e3", "start": "#f4e6ba"}


def ground(board: Board) -> Iterator[str]:
    """The squares, by their roles."""
    for (x, y), role in ground_of(board).items():
        fill = GROUND_COLOURS.get(role, SQUARE_COLOUR)
        yield tag("rect", x=x * SIDE, y=y * SIDE, width=SIDE, height=SIDE, fill=fill, stroke="#a98c55", stroke_width=1)


def piece(cell: Cell, size: tuple[int, int], ink: str, paper: str) -> str:
    """The letters of a piece that has an owner, on a disc unless it covers squares; "" for other pieces."""
    if not cell.owner:
        return ""
    letters = text(0, 5.5, cell.text, 15, fill=ink, font_weight="bold")
    return letters if cell.piece else emblem(ink, paper) + letters


def emblem(ink: str, paper: str) -> str:
    """A disc."""
    return tag("circle", r=17, fill=paper, stroke=INK, stroke_width=1.2)


def card(name: str) -> str:
    """A card with its name."""
    return plain_card(name)


def icon(verb: str) -> str:
    """No icon: the word is enough."""
    return ""


def panels(state: Any, styles: Mapping[Seat, tuple[str, str]], width: float) -> Sequence[Panel]:
    """No panels: the tables show everything."""
    return ()
