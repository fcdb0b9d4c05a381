"""Long answers through a pager, where somebody reads them at a terminal; `PAGER` or the setting `pager` may say no."""

from __future__ import annotations

import io
import os
import shlex
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

import click

ROWS_LEFT = 1
"""Rows of the screen that an answer leaves to what is typed next."""


class HeldOutput(io.StringIO):
    """What is printed meanwhile, by the looks of the stream that it is held back from."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__()
        self._stream = stream

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """As that of the stream: glyphs depend on it."""
        return self._stream.encoding

    def isatty(self) -> bool:
        """As the stream: colours depend on it."""
        return self._stream.isatty()


@contextmanager
def page_output() -> Iterator[None]:
    """Holds back what is printed; then shows it, through the pager if it is longer than the screen."""
    stream, held = sys.stdout, HeldOutput(sys.stdout)
    sys.stdout = held
    try:
        yield
    finally:
        sys.stdout = stream
        text = held.getvalue()
        if text.count("\n") > shutil.get_terminal_size().lines - ROWS_LEFT and is_wanted():
            with suppress(KeyboardInterrupt):
                click.echo_via_pager(text.removesuffix("\n"))  # which asks less to show colours
        else:
            click.echo(text, nl=False, color=True)


def is_interactive() -> bool:
    """Whether there is a terminal on both sides."""
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"


def is_wanted() -> bool:
    """Whether the environment names no pager that only prints, and the settings don't forbid one."""
    named = shlex.split(os.environ.get("PAGER", "less"))[:1]
    if named in ([], ["cat"]):
        return False
    from zimcli.config import config_file, load
    from zimcore.game import GameError

    try:
        return load(config_file()).pager
    except (GameError, OSError):
        return True
