"""Shows long answers through a pager at a terminal. `PAGER` and the setting `pager` can turn it off."""

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

PROMPT_ROWS = 1
"""Rows of the screen left free for the next prompt."""


class BufferedOutput(io.StringIO):
    """Collects what is printed, and has the same encoding and terminal state as the stream it replaces."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__()
        self._stream = stream

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """The encoding of the stream: it decides which glyphs may be used."""
        return self._stream.encoding

    def isatty(self) -> bool:
        """Whether the stream is a terminal: this decides whether to use colours."""
        return self._stream.isatty()


@contextmanager
def page_output() -> Iterator[None]:
    """Collects what is printed inside the block, then shows it: through the pager if it is longer than the screen."""
    stream, buffered_output = sys.stdout, BufferedOutput(sys.stdout)
    sys.stdout = buffered_output
    try:
        yield
    finally:
        sys.stdout = stream
        text = buffered_output.getvalue()
        if text.count("\n") > shutil.get_terminal_size().lines - PROMPT_ROWS and is_pager_wanted():
            with suppress(KeyboardInterrupt):
                click.echo_via_pager(text.removesuffix("\n"))  # click sets LESS so that colours are shown
        else:
            click.echo(text, nl=False, color=True)


def is_interactive() -> bool:
    """Whether stdin and stdout are both a terminal that can move its cursor."""
    return sys.stdin.isatty() and sys.stdout.isatty() and os.environ.get("TERM", "dumb") != "dumb"


def is_pager_wanted() -> bool:
    """Whether PAGER names a real pager, and the settings allow one."""
    pager = shlex.split(os.environ.get("PAGER", "less"))[:1]
    if pager in ([], ["cat"]):
        return False
    from zimcli.settings.config import load_config
    from zimcli.settings.config_file import config_file
    from zimcore.game import GameError

    try:
        return load_config(config_file()).pager
    except (GameError, OSError):
        return True
