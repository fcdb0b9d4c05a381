"""Tables as columns, for pandas, Polars and DuckDB."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any

import msgspec
from msgspec import to_builtins

from zimcore.commits import Commit
from zimcore.documents.rows import Row, flatten
from zimcore.toolkit.words import numbered

COMMIT_COLUMNS = ("number", "digest", "parent", "state", "seat", "text", "summary", "by", "at", "marks")
MAX_HTML_ROWS = 20
"""The most rows of a frame that a notebook shows."""


class Frame(msgspec.Struct, frozen=True):
    """A table as `columns`, each a list by its name: `pandas.DataFrame(frame.columns)`.

    With pyarrow it is an Arrow stream, too, which Polars (`polars.DataFrame(frame)`) and DuckDB (`FROM frame`) read.
    """

    columns: dict[str, list[Any]]

    @classmethod
    def of(cls, rows: Iterable[msgspec.Struct]) -> Frame:
        """Rows as a table, nested fields by their names with dots: `Frame.of(store.log("kilwa-7"))`."""
        return cls.of_documents(
            {name: getattr(row, name) for name in COMMIT_COLUMNS} if isinstance(row, Commit) else to_builtins(row)
            for row in rows
        )

    @classmethod
    def of_documents(cls, documents: Iterable[Row]) -> Frame:
        """Documents as a table. A field that a row lacks is None there; no row makes no column."""
        rows = [flatten(document) for document in documents]
        return cls(
            {name: [row.get(name) for row in rows] for name in dict.fromkeys(name for row in rows for name in row)}
        )

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """The Arrow stream. Raises `ImportError` without pyarrow."""
        import pyarrow

        return pyarrow.table(self.columns).__arrow_c_stream__(requested_schema)

    def __repr__(self) -> str:
        return f"<{numbered(self.height, 'row')} of {', '.join(self.columns)}>"

    @property
    def height(self) -> int:
        """The number of rows."""
        return len(next(iter(self.columns.values()), []))

    def _repr_html_(self) -> str:
        """The first rows, for a notebook."""
        rows = (row for row, _ in zip(zip(*self.columns.values(), strict=True), range(MAX_HTML_ROWS), strict=False))
        body = "".join(f"<tr>{''.join(f'<td>{escape(str(value))}</td>' for value in row)}</tr>" for row in rows)
        heads = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        return f"<table><tr>{heads}</tr>{body}</table><p>{numbered(self.height, 'row')}</p>"
