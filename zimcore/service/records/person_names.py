"""Names of people, as authors and signers. They are also used as names of key files and in the list of known keys.

>>> check_name("Anna b. O'Hara-7")
"Anna b. O'Hara-7"
>>> check_name("-x")
Traceback (most recent call last):
zimcore.game.GameError: not a name: '-x': a name has up to 64 letters, digits, blanks, .-_@+', a letter or digit first
"""

from __future__ import annotations

import re

from zimcore.game import GameError

MAX_CHARACTERS = 64
"""The most characters of a name."""

PERSON_NAME_PATTERN = re.compile(rf"\w(?:[\w .@+'-]{{0,{MAX_CHARACTERS - 2}}}[\w.@+'-])?")


def check_name(name: str) -> str:
    """Returns the name. Raises `GameError` for an invalid one: a path, several lines, terminal control characters."""
    if not PERSON_NAME_PATTERN.fullmatch(name):
        why = f"a name has up to {MAX_CHARACTERS} letters, digits, blanks, .-_@+', a letter or digit first"
        raise GameError(f"not a name: {name[: MAX_CHARACTERS + 1]!r}", why, ["--by anna"])
    return name
