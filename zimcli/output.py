"""Where everything goes that is printed: answers to stdout as text or as documents, messages to stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TextIO

import click
import msgspec

from zimcli.render.spans import Line, plain, to_ascii
from zimcli.trouble import ReaderGoneError, Trouble

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from zimcore.game import Seat, Table


COLORS = ("auto", "always", "never")
FURTHER_IN = 4
"""Blanks before what goes on in another row, more than the line has itself."""


class Output(msgspec.Struct, frozen=True):
    """How to print: documents or text, with colour (`auto`, `always`, `never`) or without, in ASCII or with glyphs."""

    json: bool = False
    color: str = "auto"
    ascii: bool = False

    def line(self, *spans: str | tuple[str, str]) -> None:
        """Prints one line, made of texts and of (text, style)."""
        self.lines([[span if isinstance(span, tuple) else (span, "") for span in spans]])

    def lines(self, lines: Iterable[Line]) -> None:
        """Prints lines; in a document form there is nothing to print."""
        if not self.json:
            _write(sys.stdout, lines, self.coloured(sys.stdout), self.plain_ascii(sys.stdout))

    def table(self, table: Table, colours: Mapping[Seat, str] | None = None) -> None:
        """Prints a table."""
        from zimcli.render.tables import plain_table, rich_table

        if self.json:
            return
        if self.coloured(sys.stdout):
            console = _console(sys.stdout)
            self.lines([[(table.title, "bold")]] if table.title else [])
            console.print(rich_table(table, colours or {}, self.plain_ascii(sys.stdout), console.width))
        else:
            self.lines(plain_table(table))

    def document(self, document: Any) -> None:
        """Prints a document on a line of its own, if documents are wanted."""
        if self.json:
            _echo(msgspec.json.encode(document).decode(), sys.stdout)

    def message(self, text: str) -> None:
        """Says something that is no answer, on stderr."""
        _write(sys.stderr, [[(text, "")]], False, self.plain_ascii(sys.stderr))

    def trouble(self, trouble: Trouble) -> None:
        """Shows an error on stderr."""
        from zimcli.render.trouble import trouble_lines

        if self.json:
            _echo(msgspec.json.encode({"error": trouble}).decode(), sys.stderr)
        elif trouble.what:
            lines = trouble_lines(trouble)
            _write(sys.stderr, lines, self.coloured(sys.stderr), self.plain_ascii(sys.stderr))

    def coloured(self, stream: TextIO) -> bool:
        """Whether to use colour there."""
        if self.color != "auto":
            return self.color == "always"
        return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"

    def plain_ascii(self, stream: TextIO) -> bool:
        """Whether to keep to ASCII there."""
        return self.ascii or (getattr(stream, "encoding", None) or "ascii").lower().replace("-", "") != "utf8"


def _write(stream: TextIO, lines: Iterable[Line], coloured: bool, ascii_only: bool) -> None:
    if coloured:
        _styled(stream, lines, ascii_only)
        return
    for line in lines:
        text = plain(line)
        _echo(to_ascii(text) if ascii_only else text, stream)


def _styled(stream: TextIO, lines: Iterable[Line], ascii_only: bool) -> None:
    from rich.text import Text

    console = _console(stream)
    for line in lines:
        text = Text.assemble(*((to_ascii(text) if ascii_only else text, style) for text, style in line))
        for row in rows_of(text, console) if stream.isatty() else [text]:
            console.print(row, soft_wrap=True)


def rows_of(line: Text, console: Console) -> Iterator[Text]:
    """A line in rows as wide as a terminal: what does not fit into the first stands further in below it."""
    from rich.text import Text

    if line.cell_len <= console.width:
        yield line
        return
    first = line.wrap(console, console.width)[0]
    yield first
    indent = min(len(line.plain) - len(line.plain.lstrip()) + FURTHER_IN, console.width // 2)
    rest = line[len(first.plain) :]
    for row in rest[len(rest.plain) - len(rest.plain.lstrip()) :].wrap(console, console.width - indent):
        yield Text(" " * indent).append_text(row)


def _console(stream: TextIO) -> Console:
    from rich.console import Console

    class Quiet(Console):
        def on_broken_pipe(self) -> None:
            raise ReaderGoneError

    return Quiet(file=stream, force_terminal=True, highlight=False, emoji=False, markup=False, no_color=False)


def _echo(text: str, stream: TextIO) -> None:
    try:
        click.echo(text, file=stream, color=True)
    except BrokenPipeError as error:
        raise ReaderGoneError from error
