"""Draws a board in characters. Squares of one piece are joined; an overlay's texts replace those of its squares.

A square is 4 columns wide, so that 18 fit into 80, or 3 columns in a narrow terminal. In a large one it is 6 columns
and 2 lines, and shows levels and how often a resource was used.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from zimcli.render.palette import HIGHLIGHT_COLOURS, KIND_COLOURS, TERRAIN_COLOURS, fade
from zimcli.render.spans import Line, Span
from zimcore.game import GROUND, NO_PIECE, Board, Cell, Seat
from zimcore.picture.palette import INK, owner_style
from zimcore.toolkit.words import spaced

NARROW_WIDTH, NORMAL_WIDTH, WIDE_WIDTH = 3, 4, 6
LINE_SIGN, DOT_SIGN, LAST_MOVE_SIGN = "─", "°", "◂"
GLYPH_BY_CHARACTER = {"~": "≈", ".": "·", "o": "◇"}
"""How the texts of ground look in a terminal with glyphs. Other texts are shown as they are."""
LETTERED_ROLES = ("square", "piece")
"""In these roles the owner's letter stands before the text, unless the text begins with that letter."""
NO_OVERLAY: Mapping[str, str] = {}


class Size(NamedTuple):
    """The size of a square: columns, one of them the gap to the next square, and lines."""

    width: int
    lines: int = 1


NORMAL_SIZE = Size(NORMAL_WIDTH)


def size_for(board: Board, columns: int, lines: int) -> Size:
    """The size of squares that fits a terminal.

    >>> size_for(Board(("a",) * 18, ("1",) * 18, ()), 70, 50), size_for(Board(("a",) * 18, ("1",) * 18, ()), 150, 60)
    (Size(width=3, lines=1), Size(width=6, lines=2))
    """
    column_count, row_count = len(board.columns), len(board.rows)
    if lines >= 2 * row_count + 8 and columns >= WIDE_WIDTH * column_count + 4:
        return Size(WIDE_WIDTH, 2)
    return Size(NORMAL_WIDTH if columns >= NORMAL_WIDTH * column_count + 4 else NARROW_WIDTH)


class Drawing:
    """Draws a board. It takes the colours of the seats, the squares to mark, and the size of squares.

    An `overlay` fades the squares that it does not mark. The `highlighted_squares` get another background and keep
    everything else. The `ghost_squares` are those of pieces that are not there yet: italic, in their owner's colour on
    a lit background. The square under the `cursor` is inverted.
    """

    gap_paper = TERRAIN_COLOURS["land"][1]
    """The background between pieces."""

    def __init__(
        self,
        board: Board,
        colours: Mapping[Seat, str],
        *,
        has_glyphs: bool = True,
        overlay: Mapping[str, str] | None = None,
        last_squares: Collection[str] = (),
        highlighted_squares: Collection[str] = (),
        ghost_squares: Collection[str] = (),
        cursor: str = "",
        fades_unmarked: bool = True,
        size: Size = NORMAL_SIZE,
    ) -> None:
        self.board = board
        self.colours = colours
        self.has_glyphs = has_glyphs
        self.overlay = overlay
        self.last_squares = last_squares
        self.highlighted_squares = highlighted_squares
        self.ghost_squares = ghost_squares
        self.cursor = cursor
        self.fades_unmarked = fades_unmarked
        self.size = size
        self.letters = letters(colours)
        kinds = sorted({cell.kind for row in board.cells for cell in row if has_unowned_piece(cell) and cell.kind})
        self.inks = {kind: KIND_COLOURS[index % len(KIND_COLOURS)] for index, kind in enumerate(kinds)}

    def lines(self) -> Iterator[Line]:
        """The letters of the columns, the rows with their numbers, and the legend."""
        margin, width = self.margin, self.size.width
        yield [(" " * margin + "".join(f"{name:^{width - 1}} " for name in self.board.columns), "dim")]
        yield from self.grid(margin)
        if self.board.legend or self.owners():
            yield []
            yield from self.legend_lines(margin)

    @property
    def margin(self) -> int:
        """Columns before the first square."""
        return max(map(len, self.board.rows), default=0) + 1

    def grid(self, margin: int) -> Iterator[Line]:
        """The rows with their numbers."""
        for name, row in zip(self.board.rows, self.board.cells, strict=True):
            yield [(f"{name:>{margin - 1}} ", "dim"), *self.row_spans(row)]
            for _ in range(1, self.size.lines):
                yield [(" " * margin, ""), *map(self.second_line, row)]

    def square_at(self, column: int, line: int) -> str:
        """The square at a column and a line of the grid; "" if there is none."""
        column_index, row_index = column // self.size.width, line // self.size.lines
        if (
            column < 0
            or line < 0
            or row_index >= len(self.board.cells)
            or column_index >= len(self.board.cells[row_index])
        ):
            return ""
        cell = self.board.cells[row_index][column_index]
        return cell.square if cell.role != "void" else ""

    def row_spans(self, row: Sequence[Cell]) -> Iterator[Span]:
        """The squares of a row."""
        for left_cell, cell, right_cell in zip([None, *row], row, [*row[1:], None], strict=False):
            yield from self.square_spans(cell, is_one_piece(left_cell, cell), is_one_piece(cell, right_cell))

    def square_spans(self, cell: Cell, joins_left: bool, joins_right: bool) -> Iterator[Span]:
        """A square, and the gap to the next one, which is filled if both belong to one piece."""
        ink, paper = self.colours_of(cell)
        attributes = "bold " if cell.role not in TERRAIN_COLOURS or cell.owner or self.is_in_overlay(cell) else ""
        attributes += "italic " if cell.square in self.ghost_squares else ""
        attributes += "reverse " if cell.square and cell.square == self.cursor else ""
        style = f"{attributes}{ink} on {paper}" if paper else attributes.rstrip()
        yield (self.square_text(cell, joins_left, joins_right), style)
        if joins_right:
            yield (LINE_SIGN, style)
            return
        gap_sign = LAST_MOVE_SIGN if cell.square in self.last_squares else DOT_SIGN if self.is_dotted(cell) else " "
        if self.overlay_text(cell) and has_unowned_piece(cell) and cell.marks and self.size.width == NARROW_WIDTH:
            gap_sign = "•" if self.has_glyphs else "*"  # the overlay's label hides the used markers
        background = self.fade(self.gap_paper) if cell.owner and not self.is_in_overlay(cell) else paper
        yield (gap_sign, f"bold {INK} on {background}" if background else "bold" if gap_sign.strip() else "")

    def is_dotted(self, cell: Cell) -> bool:
        """Whether a square is marked only by its colour and a dot."""
        return (
            cell.square in self.highlighted_squares
            or cell.square in self.ghost_squares
            or (self.is_in_overlay(cell) and not self.overlay_text(cell))
        )

    def second_line(self, cell: Cell) -> Span:
        """The second line of a square: its level, or how often it was used."""
        sign = "▲" if cell.owner else "•"
        ink, paper = self.colours_of(cell)
        text = (sign * cell.marks)[: self.size.width - 1].center(self.size.width - 1) + " "
        return (text, f"{ink} on {paper}" if paper else "")

    def square_text(self, cell: Cell, joins_left: bool, joins_right: bool) -> str:
        """The text of a square. A line joins the squares of one piece."""
        room = self.size.width - 1
        text = self.fit_text(cell, room)
        if joins_right and not joins_left:
            return (text or "╰").ljust(room, LINE_SIGN)
        if joins_left and not joins_right:
            return (text or "╯").rjust(room, LINE_SIGN)
        return text.center(room, LINE_SIGN if joins_left else " ")

    def fit_text(self, cell: Cell, room: int) -> str:
        """The text of a square in `room` columns. The letter of a piece without an owner stays beside an overlay."""
        own_text, overlay = self.own_text(cell), self.overlay_text(cell)
        if overlay and has_unowned_piece(cell) and own_text[:1] != overlay[:1]:
            return own_text[: max(room - len(overlay), 1)].ljust(room - len(overlay)) + overlay[-(room - 1) :]
        text = overlay or own_text
        if len(text) <= room:
            return text
        first_letter = self.letters.get(cell.owner, text[0]) if cell.owner and cell.marks and not overlay else text[0]
        return first_letter + text[-1]

    def own_text(self, cell: Cell) -> str:
        """The text of a square without an overlay. In `LETTERED_ROLES` the owner's letter comes first."""
        text, letter = self.with_glyphs(cell.text, cell.role), self.letters.get(cell.owner, "")
        return text if cell.role not in LETTERED_ROLES or text.upper().startswith(letter) else letter + text

    def with_glyphs(self, text: str, role: str) -> str:
        """The game's text, with glyphs if the terminal has them."""
        if not self.has_glyphs:
            return text
        return GLYPH_BY_CHARACTER.get(text, text) if role in GROUND else text.replace("*", "•")

    def is_in_overlay(self, cell: Cell) -> bool:
        """Whether the overlay marks a square."""
        return self.overlay is not None and cell.square in self.overlay

    def overlay_text(self, cell: Cell) -> str:
        """The text that the overlay shows instead of the square's own."""
        return (self.overlay or NO_OVERLAY).get(cell.square, "")

    def colours_of(self, cell: Cell) -> tuple[str, str]:
        """Foreground and background of a square; faded if an overlay does not mark it."""
        if cell.owner:
            ink, paper = owner_style(self.colours.get(cell.owner, ""))
            if cell.square in self.ghost_squares:
                return paper or HIGHLIGHT_COLOURS[0], HIGHLIGHT_COLOURS[1]
        else:
            ink, paper = self.terrain_colours(cell)
            ink = self.inks.get(cell.kind, ink)
            if cell.square in self.highlighted_squares or self.is_in_overlay(cell):
                return (ink if has_unowned_piece(cell) else HIGHLIGHT_COLOURS[0], HIGHLIGHT_COLOURS[1])
        return (ink, paper) if self.is_in_overlay(cell) else (self.fade(ink), self.fade(paper))

    def terrain_colours(self, cell: Cell) -> tuple[str, str]:
        """Foreground and background of a square without an owner."""
        return TERRAIN_COLOURS.get(cell.role, TERRAIN_COLOURS["piece"])

    def fade(self, colour: str) -> str:
        """The colour, faded if there is an overlay."""
        return fade(colour) if self.fades_unmarked and self.overlay is not None and colour else colour

    def legend_entries(self) -> list[tuple[str, str]]:
        """What the legend explains: the texts as the game gives them, and what they mean."""
        return [*self.board.legend, *self.owners(), *([(LAST_MOVE_SIGN, "the last move")] if self.last_squares else [])]

    def owners(self) -> list[tuple[str, str]]:
        """The letters that the squares show, and the seats that they stand for."""
        owners_shown = {cell.owner for row in self.board.cells for cell in row if cell.role in LETTERED_ROLES}
        return [(letter, spaced(seat).title()) for seat, letter in self.letters.items() if seat in owners_shown]

    def fitted_legend_entries(self) -> list[tuple[str, str]]:
        """The legend for a pane of its own: its texts look as they do on squares of this size.

        What is on the board comes first: where there is no room for all, the rest is left out.
        """
        roles = {cell.text: cell.role for row in self.board.cells for cell in row if cell.text}
        room, board_text = self.size.width - 1, "\n".join(roles)
        entries = sorted(self.legend_entries(), key=lambda entry: entry[0] not in board_text)
        signs_with_meanings = ((self.with_glyphs(text, roles.get(text, "")), meaning) for text, meaning in entries)
        return [
            (text if len(text) <= max(room, 2) else text[0] + text[-1], meaning)
            for text, meaning in signs_with_meanings
        ]

    def legend_lines(self, margin: int) -> Iterator[Line]:
        """The legend below the board, in lines as wide as the board."""
        full_width = max(self.size.width, NORMAL_WIDTH) * len(self.board.columns) + 8 - margin
        room, line = full_width, [(" " * margin, "")]
        roles = {cell.text: cell.role for row in self.board.cells for cell in row if cell.text}
        for sign, meaning in self.legend_entries():
            text = self.with_glyphs(sign, roles.get(sign, ""))
            entry = f"{text} {meaning}   "
            if room < len(entry):
                yield line
                room, line = full_width, [(" " * margin, "")]
            line += [(f"{text} ", "bold"), (f"{meaning}   ", "dim")]
            room -= len(entry)
        yield line


def has_unowned_piece(cell: Cell) -> bool:
    """Whether a piece without an owner is on a square."""
    return not cell.owner and cell.role not in NO_PIECE


def is_one_piece(first_cell: Cell | None, second_cell: Cell | None) -> bool:
    """Whether two squares belong to one piece."""
    return (
        first_cell is not None
        and second_cell is not None
        and bool(first_cell.piece)
        and first_cell.piece == second_cell.piece
    )


def letters(seats: Iterable[Seat]) -> dict[Seat, str]:
    """A letter for each seat, for when there is no room for its name: the first letter of its name that is still free.

    >>> letters(["mutapa", "mapungubwe"])
    {'mutapa': 'M', 'mapungubwe': 'A'}
    """
    letters_by_seat: dict[Seat, str] = {}
    for seat in seats:
        free_letters = (letter for letter in seat.upper() if letter not in letters_by_seat.values())
        letters_by_seat[seat] = next(free_letters, seat[:1].upper())
    return letters_by_seat
