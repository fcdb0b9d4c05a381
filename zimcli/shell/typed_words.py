"""Checks typed words: which are empty or not valid text, which are places, and where the next command begins."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from zimcli.shell.registry import ENTRIES, HELP, SESSION_ENTRIES, SHORTHAND_ENTRIES, CommandEntry

if TYPE_CHECKING:
    from zimcore.game import Notation

EMPTY_WORD = re.compile(r"\s*|--[\w-]+=")
"""An empty word, or an option with an empty value."""


AMENDING_COMMANDS = {entry.name for entry in ENTRIES if "amendment" in entry.argument_kinds}
"""Commands that replace a move, or with an empty text leave it out: `amend @5 ""`."""


def check_words(words: Iterable[str]) -> None:
    """Raises `NotationError` for an empty word, a NUL, and bytes that are not UTF-8 unless they name a file.

    A script that passes on an unset variable must not get the answer to a different question.
    """
    is_amending = False
    for word in words:
        if word == "" and is_amending:
            continue  # an empty text leaves a move out
        is_amending = is_amending or word in AMENDING_COMMANDS
        if fault := word_fault(word):
            from zimcore.game import NotationError  # imported late: every start runs this, and few need it

            raise NotationError(*fault, ["help"])


def word_fault(word: str) -> tuple[str, str] | None:
    """The word in a printable form, and what is wrong with it; None if it is fine."""
    if EMPTY_WORD.fullmatch(word):
        return repr(word), "an empty text says nothing"
    if "\0" in word:
        return word.replace("\0", "\\0"), "no name, no file and no move has a NUL in it"
    if not is_text(word) and not os.path.lexists(word):
        return printable_word(word), "that is no text: its bytes are not UTF-8"
    return None


def is_text(word: str) -> bool:
    """Whether its bytes were valid UTF-8. Python turns other bytes of an argument into surrogates."""
    return word.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in word)


def printable_word(word: str) -> str:
    r"""A word with escapes for bytes that are not valid UTF-8.

    >>> printable_word("bid \udcff")
    'bid \\xff'
    """
    return os.fsencode(word).decode("utf-8", "backslashreplace")


def without_passwords(words: Sequence[str]) -> list[str]:
    """The words of a command line without URLs that may contain a password, and without their option.

    >>> without_passwords(["--store", "postgresql://anna:secret@localhost/games", "log", "kilwa-7"])
    ['log', 'kilwa-7']
    """
    secret_indexes = [index for index, word in enumerate(words) if "://" in word and "@" in word]
    return [
        word
        for index, word in enumerate(words)
        if index not in secret_indexes and not (index + 1 in secret_indexes and word.startswith("--"))
    ]


PLACE_PATTERN = re.compile(r"[\w-]*@\S*|[\w-]+/[\w-]+(@\S*)?")


def names_a_place(word: str) -> bool:
    """Whether a word can only be a place, by its form alone."""
    return PLACE_PATTERN.fullmatch(word) is not None


COMMAND_PATTERN = re.compile(r"""(?:[^;'"]|'[^']*'|"[^"]*"|['"])+""")
"""Everything up to a `;` outside quotes."""
MAX_PARTS = 100
"""The most parts of a command of a game: more are read as commands of their own."""


def split_line(line: str, notation: Notation) -> list[str]:
    """Splits a line into commands of the game or of zim. A zim command that runs moves (`try`) takes those that follow.

    >>> from zimcore.games.zimbabwe import notation
    >>> split_line("build l5; end", notation)
    ['build l5', 'end']
    >>> split_line("raise c3; e5 potter@f6/g9; undo", notation)
    ['raise c3; e5 potter@f6/g9', 'undo']
    >>> split_line("try build l5; end; board", notation)
    ['try build l5; end', 'board']
    """
    commands, entry = list[list[str]](), None
    for typed_part in filter(None, map(str.strip, COMMAND_PATTERN.findall(line))):
        if commands and _belongs_to(commands[-1], entry, typed_part, notation):
            commands[-1].append(typed_part)
        else:
            commands.append([typed_part])
            entry = entry_of(typed_part)
    return ["; ".join(parts) for parts in commands]


def _belongs_to(parts: list[str], entry: CommandEntry | None, part: str, notation: Notation) -> bool:
    """Whether a part belongs to the command before it, which has other parts and calls `entry`, if any."""
    if entry is None:
        return len(parts) < MAX_PARTS and notation.continues("; ".join(parts), part)
    return (entry.takes_text or "words" in entry.argument_kinds) and entry_of(part) is None


def entry_of(command: str) -> CommandEntry | None:
    """The zim command that a text calls, if any."""
    word = command.split()[0]
    return HELP if word.startswith("?") else SESSION_ENTRIES.get(word) or SHORTHAND_ENTRIES.get(word)
