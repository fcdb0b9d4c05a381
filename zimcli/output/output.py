"""All output: answers go to stdout as text or documents, notes and problems to stderr.

Commands print nothing themselves. A session shows everything through an `Output`, so another user interface (the table)
only needs an object with the same methods.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NoReturn, Self, TextIO

import click
import msgspec

from zimcli.render.spans import Block, Line, Screen, Sheet, line_text, to_ascii
from zimcli.shell.exit_codes import ReaderGoneError
from zimcli.shell.program_name import typable
from zimcli.shell.typed_words import is_text, printable_word

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from zimcore.documents.positions import Answer, Document
    from zimcore.documents.problems import Problem
    from zimcore.game import Table
    from zimcore.toolkit.progress import ReportProgress

COLOR_CHOICES = ("auto", "always", "never")
FORMAT_CHOICES = ("text", "json", "jsonl", "csv", "tsv")
"""Formats of an answer: text for people, a JSON document, or its list as rows for programs and spreadsheets."""
PROGRESS_CHOICES = ("auto", "json", "never")
CONTINUATION_INDENT = 4
"""Extra indent, in columns, of the second and later rows of a wrapped line."""


class Output(msgspec.Struct, frozen=True):
    """How to print: as documents or text, with `color` (`auto`, `always`, `never`), in ASCII or with other glyphs.

    With a `format` of rows, `fields` names the columns, separated by commas. `progress_mode` says how to report
    progress. With `quiet` only problems are printed; with `pager` answers longer than the screen are shown through one.
    """

    json: bool = False
    color: str = "auto"
    ascii: bool = False
    format: str = ""
    fields: str = ""
    progress_mode: str = "auto"
    quiet: bool = False
    pager: bool = False

    @classmethod
    def from_words(cls, words: Sequence[str]) -> Self:
        """The output that the typed words ask for, to print an error even if the words can't be parsed."""

        def option_value(option: str) -> str:
            values = (word.partition("=")[2] for word in words if word.startswith(f"{option}="))
            return next((value for word, value in pairwise(words) if word == option), next(values, ""))

        color, is_json = option_value("--color"), "--json" in words or option_value("--format") in ("json", "jsonl")
        return cls(is_json, color if color in COLOR_CHOICES else "auto", "--ascii" in words)

    def show_answer(self, answer: Answer, *, in_session: bool = False, is_failure: bool = False) -> None:
        """Prints an answer: as rows, as a document on one line, or as text. After an `is_failure` an error follows."""
        if self.quiet:
            return
        if self.format in ("jsonl", "csv", "tsv"):
            from zimcli.output.rows import format_rows

            for line in format_rows(answer, self.format, self.fields.split(",") if self.fields else ()):
                _print_line(line, sys.stdout)
            return
        if self.json:
            _print_line(encode_document(answer), sys.stdout)
            return
        from zimcli.render.answers import blocks

        answer_blocks = blocks(answer, Screen(not self.plain_ascii(sys.stdout), _screen_size, in_session, is_failure))
        if self.pager and sys.stdout.isatty():
            from zimcli.output.pager import is_interactive, page_output

            with page_output() if is_interactive() else nullcontext():
                self.show_blocks(answer_blocks)
        else:
            self.show_blocks(answer_blocks)

    def show_blocks(self, blocks: Iterable[Block]) -> None:
        """Prints text that is not part of an answer; nothing if the output is for programs."""
        if self.json or self.quiet or self.format:
            return
        lines = list[Line]()
        for block in blocks:
            if isinstance(block, list):
                lines.append(block)
                continue
            self.print_lines(lines)
            lines = []
            if isinstance(block, Sheet):
                self.print_sheet(block)
            else:
                self.show_note(block.text)
        self.print_lines(lines)

    def print_lines(self, lines: Iterable[Line]) -> None:
        """Prints lines on stdout."""
        _write_lines(sys.stdout, lines, self.uses_colour(sys.stdout), self.plain_ascii(sys.stdout))

    def print_sheet(self, sheet: Sheet) -> None:
        """Prints a table."""
        from zimcli.render.tables import plain_table, rich_table

        table = printable_table(sheet.table)
        if self.uses_colour(sys.stdout):
            console = _console(sys.stdout)
            self.print_lines([[(table.title, "bold")]] if table.title else [])
            console.print(rich_table(table, sheet.colours, self.plain_ascii(sys.stdout), console.width))
        else:
            self.print_lines(plain_table(table))

    def draw_picture(self, make_png: Callable[[], bytes], is_wanted: bool | None) -> bool:
        """Draws a PNG if the terminal can, or with half blocks if it `is_wanted`. Returns whether it drew one.

        Raises `GameError` if one is wanted and can't be drawn here.
        """
        if is_wanted is False or self.json or self.quiet or self.format or not sys.stdout.isatty():
            return bool(is_wanted) and raise_no_picture("this is no terminal")
        from zimcli.output.terminal_pictures import may_draw, picture_for, query_protocol

        if not is_wanted and not (may_draw(os.environ) and self.uses_colour(sys.stdout)):
            return False
        protocol, screen_size = query_protocol(), _screen_size()
        if protocol == "blocks" and not is_wanted:
            return False
        picture = picture_for(make_png(), protocol, screen_size[0] - 1 if screen_size else 80)
        if isinstance(picture, str):
            sys.stdout.write(picture)
            sys.stdout.flush()
        else:
            _console(sys.stdout).print(picture)
        return True

    def show_note(self, text: str) -> None:
        """Prints a message on stderr that is neither an answer nor a problem."""
        if self.quiet:
            return None
        text = typable(text)
        if self.json:
            from zimcore.documents.problems import NoteDocument

            return _print_line(encode_document(NoteDocument(text.strip())), sys.stderr)
        return _write_lines(sys.stderr, [[(text, "")]], False, self.plain_ascii(sys.stderr))

    def show_problem(self, problem: Problem) -> None:
        """Shows a problem on stderr."""
        from zimcli.render.problems import problem_lines
        from zimcore.documents.problems import ErrorDocument

        if self.json:
            _print_line(encode_document(ErrorDocument(problem)), sys.stderr)
        elif problem.what:
            _write_lines(sys.stderr, problem_lines(problem), self.uses_colour(sys.stderr), self.plain_ascii(sys.stderr))

    def progress(self, task_name: str) -> AbstractContextManager[ReportProgress]:
        """A context manager whose function reports progress: how much is done, and of how much (0 if unknown)."""
        from zimcli.render.progress import bar_progress, document_progress, no_progress

        if self.progress_mode == "json":
            return document_progress(task_name)
        return no_progress() if self.json or self.quiet or self.progress_mode == "never" else bar_progress(task_name)

    def uses_colour(self, stream: TextIO) -> bool:
        """Whether to print in colour on this stream."""
        if self.color != "auto":
            return self.color == "always"
        return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"

    def plain_ascii(self, stream: TextIO) -> bool:
        """Whether to print only ASCII on this stream."""
        return self.ascii or (getattr(stream, "encoding", None) or "ascii").lower().replace("-", "") != "utf8"


def raise_no_picture(reason: str) -> NoReturn:
    """Raises `GameError`: a picture is wanted that can't be drawn."""
    from zimcore.game import GameError

    raise GameError("--picture", reason, ["board --png board.png"])


def encode_document(document: Document) -> str:
    """A document as JSON on one line. Bytes of file names that are not valid UTF-8 are shown as escapes."""
    from zimcore.toolkit.printable import printable_json  # imported late: the help does not need it

    try:
        return printable_json(msgspec.json.encode(document).decode())
    except UnicodeEncodeError:
        return json.dumps(msgspec.to_builtins(document, str_keys=True)).replace("\\udc", "\\\\x")


def output_fields(format_name: str) -> dict[str, Any]:
    """The fields of `Output` for a `--format`: whether errors are documents, and the form of rows, if any."""
    return {
        "json": format_name in ("json", "jsonl"),
        "format": format_name if format_name in ("jsonl", "csv", "tsv") else "",
    }


class DocumentCollector(Output, frozen=True):
    """Collects answers and problems as documents instead of printing them."""

    answers: list[Document] = msgspec.field(default_factory=list)
    notes: list[str] = msgspec.field(default_factory=list)

    def show_answer(self, answer: Answer, *, in_session: bool = False, is_failure: bool = False) -> None:
        """Keeps an answer."""
        self.answers.append(answer)

    def draw_picture(self, make_png: Callable[[], bytes], is_wanted: bool | None) -> bool:
        """Draws nothing. Raises `GameError` if a picture is wanted."""
        return bool(is_wanted) and raise_no_picture("this is no terminal")

    def show_problem(self, problem: Problem) -> None:
        """Keeps a problem."""
        from zimcore.documents.problems import ErrorDocument

        self.answers.append(ErrorDocument(problem))

    def show_blocks(self, blocks: Iterable[Block]) -> None:
        """Drops text that is not part of an answer."""

    def show_note(self, text: str) -> None:
        """Keeps a note."""
        self.notes.append(typable(text).strip())


def _screen_size() -> tuple[int, int] | None:
    import shutil  # imports the archive modules, too slow for every start

    return shutil.get_terminal_size() if sys.stdout.isatty() else None


def printable_table(table: Table) -> Table:
    """The table with control characters escaped, so that no text can drive the terminal."""
    from zimcore.toolkit.printable import printable

    return msgspec.structs.replace(
        table,
        title=printable(table.title),
        heads=tuple(map(printable, table.heads)),
        rows=tuple(tuple(map(printable, row)) for row in table.rows),
    )


def _write_lines(stream: TextIO, lines: Iterable[Line], coloured: bool, ascii_only: bool) -> None:
    """Writes lines to the terminal. Here all text is made safe, whatever its source."""
    from zimcore.toolkit.printable import printable

    lines = [[(printable(text), style) for text, style in line] for line in lines]
    if coloured:
        _print_styled(stream, lines, ascii_only)
        return
    for line in lines:
        text = line_text(line)
        _print_line(to_ascii(text) if ascii_only else text, stream)


def _print_styled(stream: TextIO, lines: Iterable[Line], ascii_only: bool) -> None:
    from rich.text import Text

    console = _console(stream)
    for line in lines:
        styled_text = Text.assemble(
            *((to_ascii(styled_text) if ascii_only else styled_text, style) for styled_text, style in line)
        )
        for row in rows_of(styled_text, console) if stream.isatty() else [styled_text]:
            console.print(row, soft_wrap=True)


def rows_of(line: Text, console: Console) -> Iterator[Text]:
    """Wraps a line to the width of the console; the rows after the first are indented further."""
    from rich.text import Text

    if line.cell_len <= console.width or " " not in line.plain:  # a link must be copied in one piece
        yield line
        return
    first_row = line.wrap(console, console.width)[0]
    yield first_row
    indent = min(len(line.plain) - len(line.plain.lstrip()) + CONTINUATION_INDENT, console.width // 2)
    rest_of_line = line[len(first_row.plain) :]
    for row in rest_of_line[len(rest_of_line.plain) - len(rest_of_line.plain.lstrip()) :].wrap(
        console, console.width - indent
    ):
        yield Text(" " * indent).append_text(row)


def _console(stream: TextIO) -> Console:
    from rich.console import Console

    class BrokenPipeConsole(Console):
        def on_broken_pipe(self) -> None:
            raise ReaderGoneError

    return BrokenPipeConsole(
        file=stream, force_terminal=True, highlight=False, emoji=False, markup=False, no_color=False
    )


def _print_line(text: str, stream: TextIO) -> None:
    try:
        click.echo(text if is_text(text) else printable_word(text), file=stream, color=True)
    except BrokenPipeError as error:
        raise ReaderGoneError from error
