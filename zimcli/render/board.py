"""The board in characters: squares of one piece look joined, an overlay lies on top, the last move has a mark.

A square takes 4 columns, so that 18 of them go into 80; 3 where the terminal is narrow; where there is much room it
takes 6 columns and 2 lines, and shows levels and used markers as well.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from zimcli.render.palette import LIT, RESOURCES, TERRAIN, faded
from zimcli.render.spans import Line, Span
from zimcore.game import Board, Cell, Seat
from zimcore.picture.palette import owner_style

NARROW, NORMAL, WIDE = 3, 4, 6
LINE, TOUCHED, LAST = "─", "°", "◂"
SYMBOLS = {"void": " ", "water": "≈", "land": "·", "start": "◇"}
"""How terrain looks where the terminal has glyphs; anything else shows the game's own text."""
NOTHING: Mapping[str, str] = {}


class Size(NamedTuple):
    """How large a square is drawn: columns, one of them the seam to the next, and lines."""

    width: int
    lines: int = 1


NORMAL_SIZE = Size(NORMAL)


def size_for(board: Board, columns: int, lines: int) -> Size:
    """The size that a terminal has room for.

    >>> size_for(Board(("a",) * 18, ("1",) * 18, ()), 70, 50), size_for(Board(("a",) * 18, ("1",) * 18, ()), 150, 60)
    (Size(width=3, lines=1), Size(width=6, lines=2))
    """
    across, down = len(board.columns), len(board.rows)
    if lines >= 2 * down + 8 and columns >= WIDE * across + 4:
        return Size(WIDE, 2)
    return Size(NORMAL if columns >= NORMAL * across + 4 else NARROW)


class Drawing:
    """A board being drawn: the colours of its seats and of its kinds of resource, what is marked, and how large."""

    def __init__(
        self,
        board: Board,
        colours: Mapping[Seat, str],
        *,
        glyphs: bool = True,
        overlay: Mapping[str, str] | None = None,
        last: Collection[str] = (),
        size: Size = NORMAL_SIZE,
    ) -> None:
        self.board = board
        self.colours = colours
        self.glyphs = glyphs
        self.overlay = overlay
        self.last = last
        self.size = size
        kinds = sorted({cell.kind for row in board.cells for cell in row if cell.role == "resource"})
        self.resources = {kind: RESOURCES[at % len(RESOURCES)] for at, kind in enumerate(kinds)}

    def lines(self) -> Iterator[Line]:
        """The letters of the columns, the rows with their numbers, and the legend."""
        margin = max(map(len, self.board.rows), default=0) + 1
        width = self.size.width
        yield [(" " * margin + "".join(f"{name:^{width - 1}} " for name in self.board.columns), "dim")]
        for name, row in zip(self.board.rows, self.board.cells, strict=True):
            yield [(f"{name:>{margin - 1}} ", "dim"), *self.row(row)]
            for _ in range(1, self.size.lines):
                yield [(" " * margin, ""), *map(self.below, row)]
        if self.board.legend:
            yield []
            yield from self.legend(margin)

    def row(self, row: Sequence[Cell]) -> Iterator[Span]:
        """The squares of a row."""
        for left, cell, right in zip([None, *row], row, [*row[1:], None], strict=False):
            yield from self.square(cell, joined(left, cell), joined(cell, right))

    def square(self, cell: Cell, after: bool, before: bool) -> Iterator[Span]:
        """A square, and the seam to the next, which it may be joined to."""
        ink, paper = self.inks(cell)
        bold = "bold " if cell.role not in SYMBOLS or self.lit(cell) else ""
        yield (self.text(cell, after, before), f"{bold}{ink} on {paper}" if paper else "")
        if before:
            yield (LINE, f"{bold}{ink} on {paper}")
            return
        seam = LAST if cell.square in self.last else TOUCHED if self.lit(cell) and not self.laid(cell) else " "
        ground = self.fade(TERRAIN["land"][1]) if cell.owner and not self.lit(cell) else paper
        yield (seam, f"bold {TERRAIN['resource'][0]} on {ground}" if ground else "")

    def below(self, cell: Cell) -> Span:
        """The second line of a square: its level, or its used markers."""
        sign = "▲" if cell.role == "monument" else "•"
        ink, paper = self.inks(cell)
        text = (sign * cell.marks)[: self.size.width - 1].center(self.size.width - 1) + " "
        return (text, f"{ink} on {paper}" if paper else "")

    def text(self, cell: Cell, after: bool, before: bool) -> str:
        """What stands on a square; a line runs through those that are joined."""
        room = self.size.width - 1
        text = self.laid(cell) or self.shown(cell.text, cell.role)
        text = text if len(text) <= room else text[0] + text[-1]
        if before and not after:
            return (text or "╰").ljust(room, LINE)
        if after and not before:
            return (text or "╯").rjust(room, LINE)
        return text.center(room, LINE if after else " ")

    def shown(self, text: str, role: str) -> str:
        """A text of the game with the glyphs that the terminal has."""
        return SYMBOLS.get(role, text.replace("*", "•")) if self.glyphs else text

    def lit(self, cell: Cell) -> bool:
        """Whether the overlay marks a square."""
        return self.overlay is not None and cell.square in self.overlay

    def laid(self, cell: Cell) -> str:
        """The text that the overlay shows in place of the square's own."""
        return (self.overlay or NOTHING).get(cell.square, "")

    def inks(self, cell: Cell) -> tuple[str, str]:
        """Ink and paper of a square; under an overlay that does not mark it they are faded."""
        if cell.owner:
            ink, paper = owner_style(self.colours.get(cell.owner, ""))
        elif self.lit(cell):
            return LIT
        else:
            ink, paper = TERRAIN.get(cell.role, TERRAIN["land"])
            ink = self.resources.get(cell.kind, ink)
        return (ink, paper) if self.lit(cell) else (self.fade(ink), self.fade(paper))

    def fade(self, colour: str) -> str:
        """A colour as it looks beside an overlay."""
        return faded(colour) if self.overlay is not None and colour else colour

    def legend(self, margin: int) -> Iterator[Line]:
        """The legend, as many entries in a line as fit the width of the board."""
        whole = max(self.size.width, NORMAL) * len(self.board.columns) + 8 - margin
        room, line = whole, [(" " * margin, "")]
        roles = {cell.text: cell.role for row in self.board.cells for cell in row if cell.text}
        for given, meaning in self.board.legend:
            text = self.shown(given, roles.get(given, ""))
            entry = f"{text} {meaning}   "
            if room < len(entry):
                yield line
                room, line = whole, [(" " * margin, "")]
            line += [(f"{text} ", "bold"), (f"{meaning}   ", "dim")]
            room -= len(entry)
        yield line


def joined(a: Cell | None, b: Cell | None) -> bool:
    """Whether two squares belong to one piece."""
    return a is not None and b is not None and bool(a.piece) and a.piece == b.piece
