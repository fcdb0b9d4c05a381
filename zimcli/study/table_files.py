"""Writes tables about many games to files, one game after the other: CSV, or Parquet if its library is installed."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from datetime import datetime
from types import NoneType
from typing import Any, BinaryIO, TypeAlias, get_args, get_type_hints

import msgspec

from zimcli.output.errors import negative_answer_problem
from zimcli.output.rows import FORMULA_PATTERN
from zimcli.session.output_files import FileToWrite
from zimcli.session.session import Session
from zimcli.shell.exit_codes import FailedError
from zimcore.analysis.table_rows import TABLES, ChanceRow, MatchRows, TableRow
from zimcore.documents.storage import TableFile, TablesAnswer
from zimcore.game import GameError
from zimcore.service import DamagedError
from zimcore.toolkit.printable import printable, printable_json

RowWriter: TypeAlias = Callable[[tuple[Any, ...]], object]
"""Writes a row, given its values."""
ROW_GROUP_SIZE = 20_000
"""Rows collected for one row group of a Parquet file."""


def write_tables(session: Session, folder: FileToWrite, places: Sequence[str], *, parquet: bool) -> TablesAnswer:
    """Writes the tables of places, or of all games, into a folder. Only one game at a time is in memory.

    The files get their names when all of them are complete. Raises `FailedError` if some games can't be read: the
    others are written. Raises `GameError` if the Parquet library is missing, or if a place does not exist, and
    `OutputError` before anything is written if one of the files exists.
    """
    suffix, open_writer = ("parquet", parquet_file()) if parquet else ("csv", csv_file)
    chosen_places = [session.complete_place(each) for each in places] or session.service.game_names()
    damaged_names = list(session.local_service.damaged_names()) if session.local_service and not places else []
    files_by_table = {name: folder.inside(f"{name}.{suffix}") for name in TABLES}
    for table_file in files_by_table.values():
        table_file.check()
    folder.make_folder()
    row_counts, written_count = dict.fromkeys(TABLES.values(), 0), 0
    with ExitStack() as stack, session.output.progress("writing tables") as report:
        open_files = {TABLES[name]: stack.enter_context(file.open()) for name, file in files_by_table.items()}
        writers = {row_type: stack.enter_context(open_writer(file, row_type)) for row_type, file in open_files.items()}
        for count, place in enumerate(dict.fromkeys(map(session.place_with_line, chosen_places)), 1):
            try:
                for row in list(match_rows(session, place)):  # a game is written completely or not at all
                    writers[type(row)](tuple(map(escape, msgspec.structs.astuple(row))))
                    row_counts[type(row)] += 1
                written_count += 1
            except DamagedError as error:
                damaged_names.append(f"{place}: {error}")
            except GameError as error:
                if places:
                    raise
                damaged_names.append(f"{place}: {error}")
            report(count, len(chosen_places))
    table_files = (TableFile(name, file.path, row_counts[TABLES[name]]) for name, file in files_by_table.items())
    answer = TablesAnswer(written_count, tuple(table_files))
    if damaged_names:
        problem_text = f"{len(damaged_names)} could not be written"
        raise FailedError(
            answer, negative_answer_problem("damaged", problem_text, damaged_names, ["db check", "db salvage NEW"])
        )
    return answer


def match_rows(session: Session, place: str) -> Iterator[TableRow]:
    """The rows of a match up to a position, as the viewer may see it; without chances if help is off."""
    position, may_show_chances = session.position(place), session.is_help_allowed(place)
    table_rows = MatchRows(position.match, position.line, position.game).rows(session.log(place))
    yield from (row for row in table_rows if may_show_chances or not isinstance(row, ChanceRow))


def escape(value: Any) -> Any:
    r"""A value with control characters escaped, so that no text drives a terminal. JSON stays valid JSON.

    >>> escape("\x1b[2J"), escape(3)
    ('\\x1b[2J', 3)
    """
    if not isinstance(value, str):
        return value
    return printable_json(value) if value.startswith(("{", "[")) else printable(value)


@contextmanager
def csv_file(file: BinaryIO, row_type: type[TableRow]) -> Iterator[RowWriter]:
    """A CSV file whose header has the fields of a row. A text that a spreadsheet would run gets a `'` before it."""
    text_file = io.TextIOWrapper(file, "utf-8", newline="")
    writer = csv.writer(text_file, lineterminator="\n")
    writer.writerow(row_type.__struct_fields__)
    try:
        yield lambda values: writer.writerow(map(csv_value, values))
    finally:
        text_file.detach()  # the caller closes the file


def csv_value(value: Any) -> Any:
    """A value as the CSV file has it.

    >>> csv_value("=1+1"), csv_value(True), csv_value(-3), csv_value(None)
    ("'=1+1", 'true', -3, None)
    """
    match value:
        case bool():
            return str(value).lower()
        case str():
            return f"'{value}" if FORMULA_PATTERN.match(value) else value
        case datetime():
            return value.isoformat()
    return value


def parquet_file() -> Callable[[BinaryIO, type[TableRow]], AbstractContextManager[RowWriter]]:
    """A function that opens a Parquet writer. Raises `GameError` if its library is not installed."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        from event_store.extras import import_failure

        raise GameError("no Parquet", *import_failure("tables", error)) from error
    types = {
        str: pyarrow.string(),
        int: pyarrow.int64(),
        float: pyarrow.float64(),
        bool: pyarrow.bool_(),
        datetime: pyarrow.timestamp("us", "UTC"),
    }

    @contextmanager
    def open_writer(file: BinaryIO, row_type: type[TableRow]) -> Iterator[RowWriter]:
        schema = pyarrow.schema([pyarrow.field(name, types[kind]) for name, kind in column_types(row_type).items()])
        pending_rows = list[tuple[Any, ...]]()
        with parquet.ParquetWriter(file, schema, compression="zstd") as writer:

            def write(values: tuple[Any, ...]) -> None:
                pending_rows.append(values)
                if len(pending_rows) >= ROW_GROUP_SIZE:
                    flush()

            def flush() -> None:
                arrays = [
                    pyarrow.array(column_values, field.type)
                    for column_values, field in zip(zip(*pending_rows, strict=True), schema, strict=True)
                ]
                writer.write_table(pyarrow.Table.from_arrays(arrays, schema=schema))
                pending_rows.clear()

            yield write
            if pending_rows:
                flush()

    return open_writer


def column_types(row_type: type[TableRow]) -> dict[str, type]:
    """The columns of a table with the types of their values. Optional columns have the type without None.

    >>> from zimcore.analysis.table_rows import ChanceRow
    >>> column_types(ChanceRow)["chance"]
    <class 'float'>
    """
    hints = get_type_hints(row_type)
    return {
        name: next((member_type for member_type in get_args(hint) if member_type is not NoneType), hint)
        for name, hint in hints.items()
    }
