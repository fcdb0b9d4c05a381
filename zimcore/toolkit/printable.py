r"""Makes text safe to show: it can't control a terminal, start a new line, or reverse other text.

One function for all output, terminal or page: invisible characters are shown as escapes.

>>> print(printable("ann\x1b[2J\nzulu: pass"))
ann\x1b[2J\nzulu: pass
>>> print(printable("\u202etxt.exe"))
\u202etxt.exe
>>> printable("Zoë 𝄞 né\u00a0Łódź שלום") == "Zoë 𝄞 né\u00a0Łódź שלום"
True
"""

from __future__ import annotations

import re
from typing import Any

JOINERS = "\u200c\u200d"
"""Some scripts need these characters between letters; by themselves they are harmless."""


def printable(text: str) -> str:
    """The text with control characters, bidi marks, line separators and the like as escapes."""
    return text if text.isprintable() else "".join(map(_visible, text))


def _visible(char: str) -> str:
    from unicodedata import category  # only unusual texts need it

    if char.isprintable() or char in JOINERS or category(char) == "Zs":
        return char
    if "\udc80" <= char <= "\udcff":  # a byte of a file name that is not UTF-8
        return f"\\x{ord(char) - 0xDC00:02x}"
    return char.encode("unicode_escape").decode("ascii")


def printable_all(value: Any) -> Any:
    """A value with `printable` applied to all texts in its lists, tuples and maps. Tuples become lists; keys stay."""
    match value:
        case str():
            return printable(value)
        case list() | tuple():
            return [printable_all(item) for item in value]
        case dict():
            return {key: printable_all(item) for key, item in value.items()}
    return value


def printable_json(text: str) -> str:
    r"""An equal JSON document with escapes for characters that could control a terminal.

    >>> print(printable_json('{"by": "\x9b2J"}'))
    {"by": "\u009b2J"}
    """
    return text if text.isprintable() else re.sub(r"[^ -~]", _escape, text)


def _escape(match: re.Match[str]) -> str:
    char = match[0]
    if _visible(char) == char:
        return char
    utf16_bytes = char.encode("utf-16-be", "surrogatepass")
    return "".join(
        f"\\u{utf16_bytes[index]:02x}{utf16_bytes[index + 1]:02x}" for index in range(0, len(utf16_bytes), 2)
    )


def json_for_page(json: str) -> str:
    r"""A JSON document that is safe inside a page: it can't end or start a script or a comment.

    >>> print(json_for_page('"<!--<script>&"'))
    "\u003c!--\u003cscript\u003e\u0026"
    """
    for char in "<>&\u2028\u2029":
        json = json.replace(char, f"\\u{ord(char):04x}")
    return json
