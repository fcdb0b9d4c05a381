"""Tables for programs: numeric columns have numbers instead of texts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Literal

from zimcore.documents.positions import Document
from zimcore.game import Table

if TYPE_CHECKING:
    from zimcore.documents.frames import Frame

NUMBER = re.compile(r"[+\-−]?\d+")
EMPTY_TEXTS = ("", "-", "–")
"""How tables write that there is nothing."""


class Column(Document, frozen=True):
    """A column: its head, and a value for each row. In a column of numbers each value is a number or null."""

    name: str
    type: Literal["number", "text"]
    values: tuple[int | str | None, ...]


class TableDocument(Table, frozen=True):
    """A table as it is shown, and the same as columns of values."""

    columns: tuple[Column, ...] = ()


def table_document(table: Table) -> TableDocument:
    """A table with its columns. The table says which columns have numbers, whatever rows it has.

    >>> table = table_document(Table("", ("player", "VP"), (("zulu", "+3"), ("lozi", "-")), numbers=("VP",)))
    >>> [(column.name, column.type, column.values) for column in table.columns]
    [('player', 'text', ('zulu', 'lozi')), ('VP', 'number', (3, None))]
    """
    texts = zip(*table.rows, strict=True) if table.rows else [()] * len(table.heads)
    columns = tuple(column(name, [*text], name in table.numbers) for name, text in zip(table.heads, texts, strict=True))
    return TableDocument(table.title, table.heads, table.rows, table.seats, table.numbers, columns)


def table_frame(table: Table) -> Frame:
    """The columns of a table, for pandas, Polars and DuckDB."""
    from zimcore.documents.frames import Frame

    return Frame({each.name: [*each.values] for each in table_document(table).columns})


def table_documents(tables: Iterable[Table]) -> tuple[TableDocument, ...]:
    """Tables with their columns, in the same order."""
    return tuple(map(table_document, tables))


def column(name: str, texts: Sequence[str], is_numeric: bool) -> Column:
    """A column of numbers (null for a text that is no number), or of texts (null for a text that means nothing)."""
    if is_numeric:
        numbers = (int(text.replace("−", "-")) if NUMBER.fullmatch(text) else None for text in texts)
        return Column(name, "number", tuple(numbers))
    return Column(name, "text", tuple(None if text in EMPTY_TEXTS else text for text in texts))
