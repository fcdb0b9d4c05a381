"""Decodes text files of people: one function for encodings, line ends and invisible characters.

Every command that reads lines uses it, so that all count the same lines.
"""

from __future__ import annotations

import codecs
import re
import unicodedata
from collections.abc import Iterator
from typing import BinaryIO

from zimcore.game import NotationError

INVISIBLE = re.compile("[\ufeff\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\u00ad]|\x1b\\[[0-9;]*[A-Za-z]")
"""Byte order marks, blanks without width, marks of direction, soft hyphens, and colours of a terminal."""
BLANKS = re.compile("[\x0b\x0c\x1c-\x1f\x85\xa0\u2000-\u200a\u2028\u2029\u202f\u3000]")
"""Blanks that are not the blank of the keyboard. Some programs end lines at them; we do not."""
UTF_16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def decode_text(content: bytes, name: str) -> str:
    r"""The text of a file in UTF-8 or, as its first bytes say, in UTF-16. Its lines end in `\n`.

    Raises `NotationError` with the `name` of a file that is not text.

    >>> decode_text(b"\xef\xbb\xbfpass\r\nbid\xc2\xa03\rend\x0c\x1a", "a.txt").split("\n")
    ['pass', 'bid 3', 'end ']
    """
    if not content.startswith(UTF_16_MARKS) and b"\0" in content:
        raise NotationError(name, "it is not a text file: it has zero bytes")
    encoding = "utf-16" if content.startswith(UTF_16_MARKS) else "utf-8"
    return plain_text(content.decode(encoding, errors="replace"))


def decoded_lines(file: BinaryIO) -> Iterator[str]:
    """The lines of a file as `decode_text` reads it, each as soon as it is there: a program may be writing them."""
    while line := file.readline():
        rest = file.read() if line.startswith(UTF_16_MARKS) else b""
        encoding = "utf-16" if rest else "utf-8"
        yield from lines_of(plain_text((line + rest).decode(encoding, errors="replace")))


def plain_text(text: str) -> str:
    r"""A text without invisible characters, with plain blanks, and with `\n` at the end of each line."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").rstrip("\x1a")
    return composed(BLANKS.sub(" ", INVISIBLE.sub("", text)))


def composed(text: str) -> str:
    """A text with one character for a letter and its accent, as keyboards write it; macOS splits them in file names.

    >>> len(composed("Jo\u0308rg"))
    4
    """
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def plain_digits(text: str) -> str:
    """A text with the decimal digits of all scripts as 0 to 9.

    >>> plain_digits("bid ٣, m¹")
    'bid 3, m¹'
    """
    return re.sub(r"(?![0-9])\d", lambda digit: str(int(digit[0])), text)


def lines_of(text: str) -> list[str]:
    r"""The lines of a text that `decode_text` returned: Python's own function would also end them at others.

    >>> lines_of("pass\nbid 3\n"), lines_of("")
    (['pass', 'bid 3'], [])
    """
    return text.removesuffix("\n").split("\n") if text else []
