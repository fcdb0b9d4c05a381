"""The name that zim was started by, and texts whose commands begin with that name, so that they can be typed."""

from __future__ import annotations

import os
import re
import sys
from functools import cache
from shlex import quote

import click

from zimcli.shell.registry import ENTRIES_BY_NAME

COMMAND_LINE_KEY = "zimcli.words"
"""Click's key for the words typed in the shell. An error is printed in the format they ask for, even if they can't be
parsed.
"""
ARGUMENTS_KEY = "zimcli.arguments"
"""Click's key for the words of a command after its name."""
PROGRAM_NAMES = ("zim", "great-zim")
"""The names of the installed command; the second where another program is called zim."""
LAUNCHER_VARIABLE = "ZIM_STARTED_AS"
"""The variable in which `scripts/zim` passes on how it was started."""


@cache
def program_name() -> str:
    """How to start zim the way it was started: `zim`, `great-zim`, `scripts/zim`, `python -m zimcli`."""
    command_path = os.environ.get(LAUNCHER_VARIABLE) or sys.argv[0]
    folder, name = os.path.split(command_path)
    if name == "__main__.py" and os.path.basename(folder) == "zimcli":
        return f"{quote(sys.orig_argv[0])} -m zimcli"
    if name not in PROGRAM_NAMES:
        return "zim"
    return name if is_on_path(command_path) else quote(command_path)


def is_on_path(command: str) -> bool:
    """Whether the command of that name on the PATH is that file."""
    from shutil import which  # imports the archive modules, too slow for every start

    path = which(os.path.basename(command))
    return bool(path) and os.path.realpath(str(path)) == os.path.realpath(command)


@cache
def command_pattern() -> re.Pattern[str]:
    """Matches `zim` where a command begins. Compiled only if zim was started by another name."""
    names = "|".join(map(re.escape, ENTRIES_BY_NAME))
    return re.compile(rf"(?<![\w./-])zim(?= (?:--\w|\[|COMMAND\b|(?:{names})\b))")


def typable(text: str) -> str:
    """The text with each command beginning with the name that zim was started by.

    >>> typable("try: zim log kilwa-7; a bug in zim")
    'try: zim log kilwa-7; a bug in zim'
    """
    return text if program_name() == "zim" else command_pattern().sub(lambda _: program_name(), text)


class Formatter(click.HelpFormatter):
    """Formats help whose examples can be typed."""

    def getvalue(self) -> str:
        """The formatted help."""
        return typable(super().getvalue())


class Context(click.Context):
    """Click's context for a command; it sets the formatter of its help."""

    formatter_class = Formatter
