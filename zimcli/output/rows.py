"""Answers as rows for spreadsheets and line tools: the list in an answer, one item per line."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from zimcore.documents.positions import Answer
from zimcore.documents.rows import answer_rows, flatten
from zimcore.game import NotationError
from zimcore.toolkit.printable import printable, printable_json

FORMULA_PATTERN = re.compile(r"[=@]|[+-](?!\d+(\.\d+)?([eE][+-]?\d+)?$)")
"""Matches texts that a spreadsheet would run as a formula. Signed numbers do not match."""

SEPARATORS = {"csv": ",", "tsv": "\t"}


def format_rows(answer: Answer, format_name: str, fields: Sequence[str] = ()) -> Iterator[str]:
    """The lines of an answer in `jsonl`, `csv` or `tsv`, with the given fields or all of them.

    Raises `NotationError` for a field that no row has.
    """
    flat_rows = [flatten(row) for row in answer_rows(answer)]
    columns = list(dict.fromkeys(name for row in flat_rows for name in row))
    for name in fields if flat_rows else ():
        if name not in columns:
            raise NotationError(
                f"--fields {name}", f"the fields are {', '.join(columns)}", ["--fields " + ",".join(columns[:3])]
            )
    names = list(fields or columns)
    if format_name == "jsonl":
        texts = (json.dumps({name: row.get(name) for name in names}, ensure_ascii=False) for row in flat_rows)
        yield from map(printable_json, texts)
        return
    if names:
        yield join_cells(names, SEPARATORS[format_name])
    yield from (join_cells([cell_text(row.get(name)) for name in names], SEPARATORS[format_name]) for row in flat_rows)


def cell_text(value: Any) -> str:
    """A value as text for a table: None is empty, a list of texts is joined with blanks, other values are JSON."""
    match value:
        case None:
            return ""
        case str():
            return printable(value)
        case list() | tuple() if all(isinstance(each, str) for each in value):
            return printable(" ".join(value))
    return printable_json(json.dumps(value, ensure_ascii=False))


def join_cells(cells: Iterable[str], separator: str) -> str:
    """Joins cells into a line, with quotes where needed. A `'` before a formula makes a spreadsheet show it as text.

    >>> join_cells(["=1+1", "-3", "-3+1"], ",")
    "'=1+1,-3,'-3+1"
    >>> join_cells(["zulu", "bid 3, then pass"], ",")
    'zulu,"bid 3, then pass"'
    """
    line = io.StringIO()
    csv.writer(line, delimiter=separator, lineterminator="").writerow(
        f"'{cell}" if FORMULA_PATTERN.match(cell) else cell for cell in cells
    )
    return line.getvalue()
