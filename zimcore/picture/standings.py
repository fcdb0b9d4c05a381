"""Draws tables in a picture, with the colours of seats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from zimcore.commits import Position
from zimcore.game import Table
from zimcore.picture.palette import owner_style
from zimcore.picture.pieces import art_of
from zimcore.toolkit.svg import FAINT_STYLE, LINE_STYLE, TEXT_STYLE, tag, text, translate

ROW_HEIGHT, TABLE_GAP = 30, 56


def height_of(tables: Sequence[Table]) -> float:
    """The height of tables, one below another, in units."""
    return ROW_HEIGHT * sum(len(table.rows) + 1 for table in tables) + TABLE_GAP * (len(tables) - 1) if tables else 0


def draw_tables(position: Position, tables: Sequence[Table], width: float) -> Iterator[str]:
    """Tables one below another, centred in this width; if there are several, each with its title."""
    for index, table in enumerate(tables):
        y = height_of(tables[:index]) + TABLE_GAP if index else 0
        if tables[1:]:
            yield text(width / 2, y - 24, table.title, 17, letter_spacing=1, **TEXT_STYLE)
        yield from draw_table(position, table, width, y)


def draw_table(position: Position, table: Table, width: float, top: float) -> Iterator[str]:
    """One table from `top` down: its heads, then its rows with a line above each."""
    art = art_of(position.game)
    offsets, table_width = column_offsets(table)
    left_edge = (width - table_width) / 2
    for offset, head in zip(offsets, table.heads, strict=True):
        yield text(left_edge + offset, top, head, 12, text_anchor="start", letter_spacing=1, **FAINT_STYLE)
    for index, row in enumerate(table.rows):
        y = top + ROW_HEIGHT * index + 26
        yield tag("path", d=f"M{left_edge} {y - 19}h{table_width}", **LINE_STYLE)
        seat = table.seats[index] if index < len(table.seats) else ""
        if seat:
            sign = art.emblem(*owner_style(position.colours.get(seat, "")))
            yield translate(left_edge - 18, y - 9, sign, scale=0.6)
        for offset, cell in zip(offsets, row, strict=True):
            style = {**TEXT_STYLE, "font_weight": "bold"} if offset == 0 else TEXT_STYLE
            yield text(left_edge + offset, y, cell.replace("_", " "), 15, text_anchor="start", **style)


def width_of(table: Table) -> float:
    """The width of a table, in units."""
    return column_offsets(table)[1]


def column_offsets(table: Table) -> tuple[list[float], float]:
    """The left edge of each column, and the width of the table: about 9 units a letter."""
    offsets, offset = [], 0.0
    for column, head in enumerate(table.heads):
        offsets.append(offset)
        offset += (8.8 if offsets[1:] else 9.8) * max(len(head), *(len(row[column]) for row in table.rows), 2) + 16
    return offsets, offset
