"""Answers as rows: the list in an answer, one item per row. `--format csv` prints them, `frame()` makes columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

Row = Mapping[str, Any]


def answer_rows(answer: msgspec.Struct) -> Sequence[Row]:
    """The rows of an answer: the rows of its tables, the items of its list, or its legal commands as texts.

    An answer without a list is one row.
    """
    document = msgspec.to_builtins(answer)
    lists_by_name = {name: value for name, value in document.items() if isinstance(value, (list, tuple))}
    for value in lists_by_name.values():
        if value and isinstance(value[0], Mapping):
            return [row for table in value for row in table_rows(table)] if "columns" in value[0] else value
    has_only_commands = lists_by_name.keys() <= {"legal", "by"}
    if lists_by_name and has_only_commands and "position" in document:
        return [{"legal": text} for text in lists_by_name.get("legal", ())]
    return [] if lists_by_name else [document]


def table_rows(table: Row) -> Iterator[Row]:
    """The rows of a table, with the table's title as the first field: an answer may have several tables."""
    names = [column["name"] for column in table["columns"]]
    for values in zip(*(column["values"] for column in table["columns"]), strict=True):
        yield {"table": table["title"], **dict(zip(names, values, strict=True))}


def flatten(row: Row, prefix: str = "") -> dict[str, Any]:
    """A row without nesting: the names of inner fields are joined with dots.

    >>> flatten({"game": "k", "scores": {"zulu": 7}})
    {'game': 'k', 'scores.zulu': 7}
    """
    flat_row: dict[str, Any] = {}
    for name, value in row.items():
        flat_row |= flatten(value, f"{prefix}{name}.") if isinstance(value, Mapping) else {f"{prefix}{name}": value}
    return flat_row
