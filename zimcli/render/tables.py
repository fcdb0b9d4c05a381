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


def tables(answer_tables: Iterable[Table], colours: Mapping[Seat, str]) -> Iterator[Block]:
    """The tables that have rows, with an empty line before each."""
    for table in answer_tables:
        if table.rows:
            yield []
            yield Sheet(table, colours)


def plain_table(table: Table) -> Iterator[Line]:
    """Columns two blanks apart, with numbers aligned right. Nothing is cut or wrapped."""
    if table.title:
        yield [(table.title, "bold")]
    numeric = numeric_columns(table)
    rows = [table.heads, *table.rows]
    widths = [max(len(row[at]) for row in rows) for at in range(len(table.heads))]
    for row in rows:
        cells = (cell.rjust(w) if right else cell.ljust(w) for cell, w, right in zip(row, widths, numeric, strict=True))
        yield [("  " + "  ".join(cells), "")]


def rich_table(table: Table, colours: Mapping[Seat, str], ascii_only: bool, width: int) -> RichTable:
    """A table for a terminal of this width, without its title. The first cell of a row has the colour of its seat."""
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    show = to_ascii if ascii_only else str
    lines = box.ASCII2 if ascii_only else box.SIMPLE_HEAD
    rich = RichTable(box=lines, show_edge=False, header_style="dim", padding=(0, 1, 0, 0))
    full_columns = whole_columns(table, width)
    for at, (head, is_right) in enumerate(zip(table.heads, numeric_columns(table), strict=True)):
        rich.add_column(
            show(head), justify="right" if is_right else "left", overflow="fold", no_wrap=at in full_columns
        )
    for at, row in enumerate(table.rows):
        seat = table.seats[at] if at < len(table.seats) else ""
        first = Text(f" {show(row[0])} ", seat_style(seat, colours)) if seat else Text(show(row[0]))
        rich.add_row(first, *(Text(show(cell)) for cell in row[1:]))
    return rich


def whole_columns(table: Table, width: int) -> set[int]:
    """The narrow columns, if the others can be wrapped enough to leave them whole; else none."""
    columns = [[head, *(row[at] for row in table.rows)] for at, head in enumerate(table.heads)]
    widths = [max(map(len, column)) for column in columns]
    narrow = {at for at, each in enumerate(widths) if each <= NARROW_COLUMN}
    words = [max(len(word) for cell in column for word in cell.split() or [""]) for column in columns]
    needed_width = sum(widths[at] if at in narrow else words[at] for at in range(len(columns)))
    return narrow if needed_width + COLUMN_GAP * len(columns) <= width else set()


def numeric_columns(table: Table) -> list[bool]:
    """Whether each column has only numbers and dashes. A digest of digits only is not a number."""
    columns = [{row[at] for row in table.rows} - {"", "-"} for at in range(len(table.heads))]
    return [bool(cells) and all(map(_is_number, cells)) for cells in columns]


def _is_number(cell: str) -> bool:
    return cell.lstrip("+-").isdigit() and len(cell) < DIGEST_DIGITS
