"""The program's name, as it was started, and texts in which its commands begin with that: what they say to type can be
typed.
"""

from __future__ import annotations

import os
import re
import sys
from functools import cache
from shlex import quote

import click

from zimcli.registry import BY_NAME

LAUNCHER = "ZIM_STARTED_AS"
"""Where `scripts/zim` leaves what was typed to start it."""


@cache
def program() -> str:
    """What starts zim as it was started: `zim`, `scripts/zim`, `python -m zimcli`."""
    typed = os.environ.get(LAUNCHER) or sys.argv[0]
    folder, name = os.path.split(typed)
    if name == "__main__.py" and os.path.basename(folder) == "zimcli":
        return f"{quote(sys.orig_argv[0])} -m zimcli"
    if name != "zim" or is_on_path(typed):
        return "zim"
    return quote(typed)


def is_on_path(typed: str) -> bool:
    """Whether the command `zim` is that file."""
    from shutil import which  # with its archives it is not for every start

    found = which("zim")
    return bool(found) and os.path.realpath(str(found)) == os.path.realpath(typed)


@cache
def commands() -> re.Pattern[str]:
    """Where a command of zim begins in a text. It is compiled when zim was started by another name than `zim`."""
    names = "|".join(map(re.escape, BY_NAME))
    return re.compile(rf"(?<![\w./-])zim(?= (?:--\w|\[|COMMAND\b|(?:{names})\b))")


def typable(text: str) -> str:
    """A text whose commands begin with what zim was started by.

    >>> typable("try: zim log kilwa-7; a bug in zim")
    'try: zim log kilwa-7; a bug in zim'
    """
    return text if program() == "zim" else commands().sub(lambda _: program(), text)


class Formatter(click.HelpFormatter):
    """Writes help whose examples can be typed."""

    def getvalue(self) -> str:
        """The whole of it."""
        return typable(super().getvalue())


class Context(click.Context):
    """In which a command runs, and is explained."""

    formatter_class = Formatter
