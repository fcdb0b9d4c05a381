"""Names of people: who types, who signs. One names a file with a key, and stands on a line of the known keys.

>>> check_name("Anna b. O'Hara-7")
"Anna b. O'Hara-7"
>>> check_name("../../x")
Traceback (most recent call last):
zimcore.game.GameError: no name: '../../x': a name has letters, digits, blanks and .-_@+' in it
"""

from __future__ import annotations

import re

from zimcore.game import GameError

A_NAME = re.compile(r"\w(?:[\w .@+'-]{0,62}[\w.@+'-])?")


def check_name(name: str) -> str:
    """The name. Raises `GameError` for what is none: a path, several lines, what drives a terminal."""
    if not A_NAME.fullmatch(name):
        why = "a name has letters, digits, blanks and .-_@+' in it"
        raise GameError(f"no name: {name!r}", why, ["--by anna"])
    return name
