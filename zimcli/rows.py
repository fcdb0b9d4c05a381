"""Answers as rows, for spreadsheets and line tools: the list that an answer is about, one thing a line."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from zimcore.documents.positions import Answer
from zimcore.game import NotationError
from zimcore.toolkit.printable import printable, printable_json

FORMULA = re.compile(r"[=@]|[+-](?!\d+(\.\d+)?([eE][+-]?\d+)?$)")
"""How a text begins that a spreadsheet would run; a number is none."""

Row = Mapping[str, Any]
SEPARATORS = {"csv": ",", "tsv": "\t"}


def lines_of(answer: Answer, form: str, fields: Sequence[str] = ()) -> Iterator[str]:
    """The lines of an answer in one of the forms `jsonl`, `csv` and `tsv`, with these fields or all.

    Raises `NotationError` for a field that no row has.
    """
    found = [flat(row) for row in rows(answer)]
    known = list(dict.fromkeys(name for row in found for name in row))
    for name in fields if found else ():
        if name not in known:
            raise NotationError(f"--fields {name}", f"there is {', '.join(known)}", ["--fields " + ",".join(known[:3])])
    names = list(fields or known)
    if form == "jsonl":
        texts = (json.dumps({name: row.get(name) for name in names}, ensure_ascii=False) for row in found)
        yield from map(printable_json, texts)
        return
    if names:
        yield join_cells(names, SEPARATORS[form])
    yield from (join_cells([cell(row.get(name)) for name in names], SEPARATORS[form]) for row in found)


def rows(answer: Answer) -> Sequence[Row]:
    """What is listed: things with names, or columns of tables, or texts; if nothing is listed the answer itself."""
    document = msgspec.to_builtins(answer)
    lists = {name: value for name, value in document.items() if isinstance(value, (list, tuple))}
    for value in lists.values():
        if value and isinstance(value[0], Mapping):
            return [row for each in value for row in of_table(each)] if "columns" in value[0] else value
    if lists and "position" in document and all(name in ("legal", "by") for name in lists):
        return [{"legal": text} for text in lists.get("legal", ())]
    return [] if lists else [document]


def of_table(table: Row) -> Iterator[Row]:
    """The rows of a table by its columns; which table it is comes first, as there may be several."""
    names = [column["name"] for column in table["columns"]]
    for values in zip(*(column["values"] for column in table["columns"]), strict=True):
        yield {"table": table["title"], **dict(zip(names, values, strict=True))}


def flat(row: Row, before: str = "") -> dict[str, Any]:
    """A row whose parts have names with dots.

    >>> flat({"game": "k", "scores": {"zulu": 7}})
    {'game': 'k', 'scores.zulu': 7}
    """
    found: dict[str, Any] = {}
    for name, value in row.items():
        found |= flat(value, f"{before}{name}.") if isinstance(value, Mapping) else {f"{before}{name}": value}
    return found


def cell(value: Any) -> str:
    """A value in a table of texts: nothing is empty, and a list is JSON."""
    match value:
        case None:
            return ""
        case str():
            return printable(value)
        case list() | tuple() if all(isinstance(each, str) for each in value):
            return printable(" ".join(value))
    return printable_json(json.dumps(value, ensure_ascii=False))


def join_cells(cells: Iterable[str], separator: str) -> str:
    """A line of cells, quoted where that is needed. A spreadsheet shows what stands after `'`, and runs it not.

    >>> join_cells(["=1+1", "-3", "-3+1"], ",")
    "'=1+1,-3,'-3+1"
    >>> join_cells(["zulu", "bid 3, then pass"], ",")
    'zulu,"bid 3, then pass"'
    """
    line = io.StringIO()
    csv.writer(line, delimiter=separator, lineterminator="").writerow(
        f"'{each}" if FORMULA.match(each) else each for each in cells
    )
    return line.getvalue()
