"""Commands that are joined on a line by `;`, which some games use within a command too."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from zimcli.registry import HELP, IN_SESSION, SHORT, Entry

if TYPE_CHECKING:
    from zimcore.game import Notation

BETWEEN = re.compile(r"""(?:[^;'"]|'[^']*'|"[^"]*"|['"])+""")
"""Everything up to a `;` that does not stand in quotes."""


def commands_of(line: str, notation: Notation) -> list[str]:
    """The commands of a line, each of the game or of zim: one of zim that is about commands has all that follow.

    >>> from zimcore.games.zimbabwe import notation
    >>> commands_of("build l5; end", notation)
    ['build l5', 'end']
    >>> commands_of("raise c3; e5 potter@f6/g9; undo", notation)
    ['raise c3; e5 potter@f6/g9', 'undo']
    >>> commands_of("try build l5; end; board", notation)
    ['try build l5; end', 'board']
    """
    commands: list[str] = []
    for part in filter(None, map(str.strip, BETWEEN.findall(line))):
        if commands and _goes_on(commands[-1], part, notation):
            commands[-1] += f"; {part}"
        else:
            commands.append(part)
    return commands


def _goes_on(command: str, part: str, notation: Notation) -> bool:
    """Whether a part belongs to the command before it."""
    entry = entry_of(command)
    if entry is None:
        return notation.continues(command, part)
    return (entry.text or "words" in entry.takes) and entry_of(part) is None


def entry_of(command: str) -> Entry | None:
    """The command of zim that is called, if it is one."""
    word = command.split()[0]
    return HELP if word.startswith("?") else IN_SESSION.get(word) or SHORT.get(word)
