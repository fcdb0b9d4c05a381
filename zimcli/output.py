"""Where everything goes that is printed: answers to stdout as text or as documents, messages to stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TextIO

import click
import msgspec

from zimcli.render.spans import Line, plain, to_ascii
from zimcli.trouble import ReaderGoneError, Trouble

if TYPE_CHECKING:
    from zimcore.game import Seat, Table


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

    def table(self, table: Table, colours: dict[Seat, str] | None = None) -> None:
        """Prints a table."""
        from zimcli.render.tables import plain_table, rich_table

        if self.json:
            return
        if self.coloured(sys.stdout):
            _console(sys.stdout).print(rich_table(table, colours or {}, self.plain_ascii(sys.stdout)))
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
        spans = [(to_ascii(text) if ascii_only else text, style) for text, style in line]
        console.print(Text.assemble(*spans), soft_wrap=not stream.isatty())


def _console(stream: TextIO) -> Any:
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
