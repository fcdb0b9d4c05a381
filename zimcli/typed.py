"""What may be typed at all: every word of a command says something, and is text."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable

NOTHING = re.compile(r"\s*|--[\w-]+=")
"""A word that says nothing, or an option of which nothing is said."""


def check_typed(words: Iterable[str]) -> None:
    """Raises `NotationError` for an empty text, for a NUL, and for bytes that are no text, unless a file is called so.

    A script that hands on a variable which it has not set must not get the answer to another question.
    """
    for word in words:
        if wrong := wrong_with(word):
            from zimcore.game import NotationError  # every start comes here, and not every one needs a game

            raise NotationError(*wrong, ["help"])


def wrong_with(word: str) -> tuple[str, str] | None:
    """The word as it can be shown, and why it can't be typed, if it can't."""
    if NOTHING.fullmatch(word):
        return repr(word), "an empty text says nothing"
    if "\0" in word:
        return word.replace("\0", "\\0"), "no name, no file and no move has a NUL in it"
    if not is_text(word) and not os.path.lexists(word):
        return shown(word), "that is no text: its bytes are not UTF-8"
    return None


def is_text(word: str) -> bool:
    """Whether its bytes were UTF-8: Python keeps those of an argument that are not as surrogates."""
    return word.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in word)


def shown(word: str) -> str:
    r"""A word as it can be printed.

    >>> shown("bid \udcff")
    'bid \\xff'
    """
    return os.fsencode(word).decode("utf-8", "backslashreplace")
