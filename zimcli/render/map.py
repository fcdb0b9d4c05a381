"""Draws a map in characters: named places, and the routes between them as continuous lines.

A place is a block of two by two cells: its name and its symbols, and below them its pieces, and what starts or ends
there. A long name extends to the right, then to the left, up to the next block. Routes pass behind names.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, pairwise
from typing import NamedTuple

from zimcli.render.board import Drawing
from zimcli.render.palette import MAP_COLOURS, PARCHMENT, SYMBOL_COLOURS
from zimcli.render.spans import Line
from zimcore.game import NO_PIECE, Board, Cell
from zimcore.toolkit.words import spaced

Spot = tuple[int, int]
"""A column and a line of characters, or a column and a row of cells."""

FIRST_BRAILLE, DOTS = 0x2800, ((0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80))
"""The first braille character, and the bit of each dot in one, by its column and row."""
BORDER = "═"


class Label(NamedTuple):
    """The name of a place, cut to fit: its first column and line, its text, and the two cells of its first row."""

    x: int
    y: int
    text: str
    place: Cell
    symbol: Cell

    @property
    def width(self) -> int:
        """Columns of the name, a mark, and the symbols."""
        return len(self.text) + 1 + len(self.symbol.text)


class MapDrawing(Drawing):
    """Draws a map on parchment. A place to highlight has another background."""

    gap_paper = PARCHMENT

    def grid(self, margin: int) -> Iterator[Line]:
        """All lines. A map has no row of column letters."""
        width, height = self.size.width * len(self.board.columns), self.size.lines * len(self.board.rows)
        empty_char = (" ", f"on {self.fade(PARCHMENT)}")
        cells = {**self.borders(), **self.routes(), **self.blocks(), **self.names()}
        for y in range(height):
            chars = [cells.get((x, y), empty_char) for x in range(width)]
            runs = groupby(chars, key=lambda char: char[1])
            yield [(" " * margin, ""), *(("".join(char for char, _ in run), style) for style, run in runs)]

    def style_of(self, cell: Cell) -> str:
        """The style of a cell."""
        ink, paper = self.colours_of(cell)
        attributes = "bold " if cell.text else ""
        attributes += "italic " if cell.square and cell.square in self.ghost_squares else ""
        attributes += "reverse " if cell.square and cell.square == self.cursor else ""
        return f"{attributes}{ink} on {paper}".strip()

    def terrain_colours(self, cell: Cell) -> tuple[str, str]:
        """Foreground and background of a cell without an owner."""
        return MAP_COLOURS.get(cell.role, MAP_COLOURS["piece"])

    def with_glyphs(self, text: str, role: str) -> str:
        """The game's text, with glyphs if the terminal has them."""
        return text.replace("=", BORDER) if self.has_glyphs and role == "border" else text

    def legend_entries(self) -> list[tuple[str, str]]:
        """The legend, without the places: their names are on the map."""
        place_texts = {cell.text for _, _, cell in self.cells("place")}
        return [entry for entry in super().legend_entries() if entry[0] not in place_texts]

    def cells(self, *roles: str) -> Iterator[tuple[int, int, Cell]]:
        """The cells of these roles, or all, with their columns and rows."""
        for y, row in enumerate(self.board.cells):
            yield from ((x, y, cell) for x, cell in enumerate(row) if not roles or cell.role in roles)

    def borders(self) -> dict[Spot, tuple[str, str]]:
        """The borders, and without glyphs the strokes of the routes, each filling its cell."""
        cell_width, chars_by_spot = self.size.width, dict[Spot, tuple[str, str]]()
        for x, y, cell in self.cells("border", "path"):
            if self.has_glyphs and cell.role == "path":  # a route is a line of dots; the border continues below it
                border = next(
                    (border_cell for border_cell in self.board.cells[y] if border_cell.role == "border"), None
                )
                if border is None:
                    continue
                cell = border
            text = cell.text[:1] * cell_width if len(cell.text) > 1 else cell.text.center(cell_width - 1)
            text = self.with_glyphs(text, cell.role)
            chars_by_spot |= self.letters_at(x * cell_width, y * self.size.lines, text, self.style_of(cell))
        return chars_by_spot

    def routes(self) -> dict[Spot, tuple[str, str]]:
        """The routes as lines of dots, from the middle of each place to the middle of the next."""
        if not self.has_glyphs:
            return {}
        dots: dict[Spot, int] = {}
        for path in self.board.paths:
            for (x, y), (to_x, to_y) in pairwise([*map(self.middle_dot, path)]):
                steps = max(abs(to_x - x), abs(to_y - y), 1)
                for step in range(steps + 1):
                    spot_x = round(x + (to_x - x) * step / steps)
                    spot_y = round(y + (to_y - y) * step / steps)
                    spot = spot_x // 2, spot_y // 4
                    dots[spot] = dots.get(spot, 0) | DOTS[spot_x % 2][spot_y % 4]
        style = f"{self.fade(MAP_COLOURS['path'][0])} on {self.fade(PARCHMENT)}"
        return {spot: (chr(FIRST_BRAILLE + bits), style) for spot, bits in dots.items()}

    def middle_dot(self, spot: Spot) -> Spot:
        """The dot in the middle of a place's block, or of the cell where a route bends."""
        (x, y), cell_width, lines = spot, self.size.width, self.size.lines
        if self.board.cells[y][x].role == "place":
            return 2 * x * cell_width + 2 * cell_width - 1, 4 * y * lines + 4
        return (2 * x + 1) * cell_width, 4 * y * lines + 2 * lines

    def blocks(self) -> dict[Spot, tuple[str, str]]:
        """The texts below the names: pieces, and what starts and ends at a place."""
        cell_width, chars_by_spot = self.size.width, dict[Spot, tuple[str, str]]()
        for x, y, cell in self.cells():
            if cell.text and (cell.role == "arrow" or is_piece(cell)):
                text = (
                    cell.text[:cell_width]
                    if cell.role == "arrow"
                    else cell.text[: cell_width - 1].center(cell_width - 1)
                )
                chars_by_spot |= self.letters_at(
                    x * cell_width, (y - 1) * self.size.lines + 1, text, self.style_of(cell)
                )
        return chars_by_spot

    def names(self) -> dict[Spot, tuple[str, str]]:
        """The names of the places, each with a mark, and its symbols in their colours."""
        chars_by_spot = dict[Spot, tuple[str, str]]()
        for label in self.labels():
            place, symbol = label.place, label.symbol
            mark = "◂" if place.square in self.last_squares else "°" if self.is_dotted(place) else " "
            chars_by_spot |= self.letters_at(label.x, label.y, label.text + mark, self.style_of(place))
            colours = symbol.kind.split()
            for index, letter in enumerate(symbol.text):
                ink, paper = SYMBOL_COLOURS.get(colours[index] if index < len(colours) else "", MAP_COLOURS["symbol"])
                style = f"bold {self.fade(ink)} on {self.fade(paper)}"
                chars_by_spot[label.x + len(label.text) + 1 + index, label.y] = letter, style
        return chars_by_spot

    def labels(self) -> Iterator[Label]:
        """The names, as long as there is room, from left to right in each row.

        A name that does not fit is cut: any beginning of a word can be typed.
        """
        cell_width = self.size.width
        for y, row in enumerate(self.board.cells):
            starts = [x for x, cell in enumerate(row) if cell.role == "place" or is_piece(cell)] + [len(row)]
            label_start = 0
            for x, next_start in pairwise(starts):
                if row[x].role != "place":  # this is the lower half of a block
                    label_start = (x + 2) * cell_width
                    continue
                place, symbol = row[x], row[x + 1]
                name = self.label_text(place)
                room = next_start * cell_width - (next_start < len(row)) - 1 - len(symbol.text)
                column = max(min(x * cell_width, room - len(name)), label_start)
                text = name[: room - column].rstrip()
                label = Label(column, y * self.size.lines, text, place, symbol)
                label_start = column + label.width + 1
                yield label

    def label_text(self, cell: Cell) -> str:
        """The name of a place as it can be typed, after the overlay's text."""
        overlay, name = self.overlay_text(cell), spaced(cell.square).title()
        return f"{overlay} {name}" if overlay else name

    @staticmethod
    def letters_at(x: int, y: int, text: str, style: str) -> dict[Spot, tuple[str, str]]:
        """The characters of a text, each in its place."""
        return {(x + offset, y): (letter, style) for offset, letter in enumerate(text)}

    def square_at(self, column: int, line: int) -> str:
        """The place whose name or block is at a column and a line."""
        for label in self.labels():
            if line == label.y and label.x <= column < label.x + label.width:
                return label.place.square
        cell_width, lines = self.size
        for x, y, cell in self.cells("place"):
            if 0 <= column - x * cell_width < 2 * cell_width and 0 <= line - y * lines < 2:
                return cell.square
        return ""


def is_piece(cell: Cell) -> bool:
    """Whether a cell has pieces that are at a place."""
    return cell.role not in NO_PIECE


def drawing_class(board: Board) -> type[Drawing]:
    """The class that draws a board: `MapDrawing` if its places have symbols next to them."""
    return MapDrawing if any(cell.role == "symbol" for row in board.cells for cell in row) else Drawing
