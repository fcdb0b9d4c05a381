"""Renders tables: with rules and colours in a terminal, in plain columns everywhere else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from zimcli.render.moves import DIGEST_DIGITS
from zimcli.render.palette import seat_style
from zimcli.render.spans import Block, Line, Sheet, to_ascii
from zimcore.game import Seat, Table

if TYPE_CHECKING:
    from rich.table import Table as RichTable


NARROW_COLUMN = 14
"""Columns up to this many characters are not wrapped."""
COLUMN_GAP = 2
"""Characters between columns, and around the name of a seat."""


def table_blocks(answer_tables: Iterable[Table], colours: Mapping[Seat, str]) -> Iterator[Block]:
    """The tables that have rows, with an empty line before each."""
    for table in answer_tables:
        if table.rows:
            yield []
            yield Sheet(table, colours)


def plain_table(table: Table) -> Iterator[Line]:
    """Columns two blanks apart, with numbers aligned right. Nothing is cut or wrapped."""
    if table.title:
        yield [(table.title, "bold")]
    is_right_by_column = numeric_columns(table)
    rows = [table.heads, *table.rows]
    widths = [max(len(row[index]) for row in rows) for index in range(len(table.heads))]
    for row in rows:
        cells = (
            cell.rjust(width) if is_right else cell.ljust(width)
            for cell, width, is_right in zip(row, widths, is_right_by_column, strict=True)
        )
        yield [("  " + "  ".join(cells), "")]


def rich_table(table: Table, colours: Mapping[Seat, str], ascii_only: bool, width: int) -> RichTable:
    """A table for a terminal of this width, without its title. The first cell of a row has the colour of its seat."""
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    to_text = to_ascii if ascii_only else str
    box_style = box.ASCII2 if ascii_only else box.SIMPLE_HEAD
    terminal_table = RichTable(box=box_style, show_edge=False, header_style="dim", padding=(0, 1, 0, 0))
    unwrapped_indexes = unwrapped_columns(table, width)
    for index, (head, is_right) in enumerate(zip(table.heads, numeric_columns(table), strict=True)):
        terminal_table.add_column(
            to_text(head), justify="right" if is_right else "left", overflow="fold", no_wrap=index in unwrapped_indexes
        )
    for index, row in enumerate(table.rows):
        seat = table.seats[index] if index < len(table.seats) else ""
        first_cell = Text(f" {to_text(row[0])} ", seat_style(seat, colours)) if seat else Text(to_text(row[0]))
        terminal_table.add_row(first_cell, *(Text(to_text(cell)) for cell in row[1:]))
    return terminal_table


def unwrapped_columns(table: Table, width: int) -> set[int]:
    """The narrow columns, if the others can be wrapped enough to leave them whole; else none."""
    columns = [[head, *(row[index] for row in table.rows)] for index, head in enumerate(table.heads)]
    widths = [max(map(len, column)) for column in columns]
    narrow_columns = {index for index, width in enumerate(widths) if width <= NARROW_COLUMN}
    word_widths = [max(len(word) for cell in column for word in cell.split() or [""]) for column in columns]
    needed_width = sum(
        widths[index] if index in narrow_columns else word_widths[index] for index in range(len(columns))
    )
    return narrow_columns if needed_width + COLUMN_GAP * len(columns) <= width else set()


def numeric_columns(table: Table) -> list[bool]:
    """Whether each column has only numbers and dashes. A digest of digits only is not a number."""
    columns = [{row[index] for row in table.rows} - {"", "-"} for index in range(len(table.heads))]
    return [bool(cells) and all(map(_is_number, cells)) for cells in columns]


def _is_number(cell: str) -> bool:
    return cell.lstrip("+-").isdigit() and len(cell) < DIGEST_DIGITS
