"""Fits lines and tables to a width. Words are cut only if they are longer than a row.

Lines are lists of styled text, as in `zimcli.render.spans`; widths are columns of the terminal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace
from prompt_toolkit.utils import get_cwidth

from zimcli.render.palette import seat_style
from zimcli.render.spans import Block, Line, Sheet, Span
from zimcli.render.tables import numeric_columns
from zimcore.game import Seat, Table

CONTINUATION_INDENT = 2
"""Extra indent of the second and later rows of a wrapped line."""
MIN_COLUMNS = 2
"""The fewest columns to keep when columns are dropped: one alone says nothing."""
MAX_DROPPED_COLUMNS = 2
"""How many columns at the end of a table may be dropped to keep each row in one line."""
MIN_KEPT_COLUMNS = 4
"""How many columns at the beginning are kept when that happens."""
MIN_CELL_WIDTH = 6
"""The fewest characters to which the text of a cell is cut."""
COLUMN_GAP = 1
"""Blanks between columns."""


def width_of(line: Line) -> int:
    """The width of a line."""
    return sum(get_cwidth(text) for text, _ in line)


def clip(line: Line, width: int) -> Line:
    """A line cut to one row, at the end of a word.

    >>> clip([("round 4 · ", ""), ("Zulu to act", "bold")], 16)
    [('round 4 · ', ''), ('Zulu …', 'bold')]
    """
    if width_of(line) <= width:
        return line
    first_row = next(wrap(line, max(width - 2, 1)), [])
    return [*first_row[:-1], (f"{first_row[-1][0]} …", first_row[-1][1])] if first_row and width > 2 else first_row


def wrap(line: Line, width: int, extra_indent: int = CONTINUATION_INDENT) -> Iterator[Line]:
    """A line in rows of this width; later rows are indented by `extra_indent`. A word longer than a row is broken.

    >>> list(wrap([("try: ", "dim"), ("legal craft potter", "")], 15))
    [[('try: ', 'dim'), ('legal', '')], [('  craft potter', '')]]
    """
    row: Line = []
    column, indent = 0, min(_indent(line) + extra_indent, width // 2)
    for text, style in _words(line):
        text_width = get_cwidth(text)
        if column + len(text.rstrip()) > width and column > indent:
            yield _strip(row)
            row, column = [(" " * indent, "")], indent
            text = text.lstrip()
            text_width = get_cwidth(text)
        while column + len(text.rstrip()) > width:
            room = max(width - column, 1)
            yield [*row, (text[:room], style)]
            row, column, text = [(" " * indent, "")], indent, text[room:]
            text_width = get_cwidth(text)
        row.append((text, style))
        column += text_width
    yield _strip(row)


def _indent(line: Line) -> int:
    text = "".join(text for text, _ in line)
    return len(text) - len(text.lstrip())


def _words(line: Line) -> Iterator[Span]:
    """A line split into words, each with the blanks after it."""
    for text, style in line:
        start = 0
        for index in range(1, len(text)):
            if text[index - 1] == " " and text[index] != " ":
                yield text[start:index], style
                start = index
        if text:
            yield text[start:], style


def _strip(row: Line) -> Line:
    """A row with neighbours of the same style joined, and without trailing blanks."""
    spans: Line = []
    for text, style in row:
        if spans and spans[-1][1] == style:
            spans[-1] = (spans[-1][0] + text, style)
        else:
            spans.append((text, style))
    if spans:
        spans[-1] = (spans[-1][0].rstrip(), spans[-1][1])
    return spans


def lines_of(blocks: Iterable[Block], width: int, *, keeps_columns: bool = True) -> Iterator[Line]:
    """Blocks as lines of this width: tables in columns, notes as text. See `table_lines` for `keeps_columns`."""
    for block in blocks:
        if isinstance(block, list):
            yield from wrap(block, width) if block else [[]]
        elif isinstance(block, Sheet):
            if block.table.title:
                yield [(block.table.title, "bold")]
            yield from table_lines(block.table, block.colours, width, keeps_columns=keeps_columns)
        else:
            yield from (row for line in block.text.splitlines() for row in wrap([(line, "dim")], width))


def table_lines(table: Table, colours: Mapping[Seat, str], width: int, *, keeps_columns: bool) -> Iterator[Line]:
    """A table in columns. The first cell of a row has the colour of its seat.

    A table that is too wide, in this order: drops up to two columns at the end, if that is enough; wraps the widest
    text; drops more columns; prints each row as a few lines. With `keeps_columns`, no columns are dropped.
    """
    columns = list(range(len(table.heads)))
    for dropped_count in range(MAX_DROPPED_COLUMNS + 1 if not keeps_columns else 0):
        columns_kept = columns[: max(len(columns) - dropped_count, MIN_KEPT_COLUMNS)]
        if sum(_natural_widths(table, columns_kept).values()) + COLUMN_GAP * (len(columns_kept) - 1) <= width:
            columns = columns_kept
            break
    widths = _widths(table, columns, width)
    while widths is None and len(columns) > MIN_COLUMNS and not keeps_columns:
        columns.pop()
        widths = _widths(table, columns, width)
    if widths is None:
        for index, row in enumerate(table.rows):
            cells = "  ".join(f"{head} {cell}" for head, cell in zip(table.heads[1:], row[1:], strict=True))
            yield from wrap([_first_cell(table, index, row[0], colours), ("  " + cells, "")], width)
        return
    is_right = numeric_columns(table)
    yield [(" ".join(_pad(table.heads[index], widths[index], is_right[index]) for index in columns).rstrip(), "dim")]
    for index, row in enumerate(table.rows):
        yield from _row(table, index, row, columns, widths, is_right, colours)


def narrow_table(table: Table, width: int) -> Table:
    """A table with a line for each row: a name at the end says more in less room than a count with a long heading.

    If it is too wide, up to two columns with the longest headings are dropped, then the longest text is cut. The first
    columns stay.

    >>> table = Table("", ("player", "VP", "VR", "to go", "on cards", "god"), (("a", "1", "2", "3", "4", "eshu"),))
    >>> narrow_table(table, 24).heads
    ('player', 'VP', 'VR', 'to go', 'god')
    """
    columns, is_right = list(range(len(table.heads))), numeric_columns(table)

    def excess() -> int:
        return sum(_natural_widths(table, columns).values()) + COLUMN_GAP * (len(columns) - 1) - width

    for _ in range(MAX_DROPPED_COLUMNS):
        if excess() > 0 and len(columns) > MIN_KEPT_COLUMNS:
            columns.remove(max(columns[MIN_KEPT_COLUMNS:], key=lambda index: (len(table.heads[index]), index)))
    widths, excess_columns = _natural_widths(table, columns), max(excess(), 0)
    text_columns = [
        index for index in columns[1:] if not is_right[index] and widths[index] - excess_columns >= MIN_CELL_WIDTH
    ]
    cut_column = max(text_columns, key=widths.__getitem__) if excess_columns and text_columns else None
    room = widths[cut_column] - excess_columns if cut_column else 0
    rows = tuple(
        tuple(
            f"{row[index][: room - 1]}…" if index == cut_column and len(row[index]) > room else row[index]
            for index in columns
        )
        for row in table.rows
    )
    return replace(table, heads=tuple(table.heads[index] for index in columns), rows=rows)


def _cells(table: Table, columns: Sequence[int]) -> dict[int, list[str]]:
    """The texts of each column, its heading first."""
    return {index: [table.heads[index], *(row[index] for row in table.rows)] for index in columns}


def _natural_widths(table: Table, columns: Sequence[int]) -> dict[int, int]:
    """The width of each column without wrapping."""
    cells = _cells(table, columns).items()
    return {index: max(map(get_cwidth, texts)) + (2 if index == 0 and table.seats else 0) for index, texts in cells}


def _widths(table: Table, columns: Sequence[int], width: int) -> dict[int, int] | None:
    """The width of each column, wrapped as needed; None if they don't fit."""
    cells, widths = _cells(table, columns), _natural_widths(table, columns)
    words = {
        index: [texts[0], *(word for text in texts[1:] for word in text.split())] for index, texts in cells.items()
    }
    min_widths = {index: max(map(get_cwidth, each)) for index, each in words.items()}
    room = width - COLUMN_GAP * (len(columns) - 1)
    while sum(widths.values()) > room:
        widest_column = max(
            (index for index in columns if widths[index] > min_widths[index] and index),
            key=widths.__getitem__,
            default=None,
        )
        if widest_column is None:
            return None
        widths[widest_column] = max(min_widths[widest_column], widths[widest_column] - (sum(widths.values()) - room))
    return widths


def _row(
    table: Table,
    row_number: int,
    row: Sequence[str],
    columns: Sequence[int],
    widths: Mapping[int, int],
    is_right: Sequence[bool],
    colours: Mapping[Seat, str],
) -> Iterator[Line]:
    """A row, in as many lines as its tallest cell."""
    cells = [[plain_row(line) for line in wrap([(row[column], "")], widths[column], 0)] for column in columns]
    for number in range(max(map(len, cells))):
        line: Line = []
        for column, cell in zip(columns, cells, strict=True):
            text = cell[number] if number < len(cell) else ""
            if column == 0 and number == 0 and row_number < len(table.seats) and table.seats[row_number]:
                first_cell = _first_cell(table, row_number, text, colours)
                line += [first_cell, (" " * (widths[0] - get_cwidth(first_cell[0]) + COLUMN_GAP), "")]
            else:
                line.append((_pad(text, widths[column], is_right[column]) + " " * COLUMN_GAP, ""))
        yield _strip(line)


def plain_row(line: Line) -> str:
    """A line as plain text."""
    return "".join(text for text, _ in line)


def _first_cell(table: Table, row_number: int, text: str, colours: Mapping[Seat, str]) -> Span:
    seat = table.seats[row_number] if row_number < len(table.seats) else ""
    return (f" {text} ", seat_style(seat, colours)) if seat else (text, "")


def _pad(text: str, width: int, is_right: bool) -> str:
    blanks = " " * max(width - get_cwidth(text), 0)
    return blanks + text if is_right else text + blanks
