r"""Makes text safe to show: it can't control a terminal, start a new line, or reverse other text.

One function for every output, a terminal or a page: what is no visible character is shown by its escape.

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
"""Letters and signs of some scripts are written with them; they do nothing by themselves."""


def printable(text: str) -> str:
    """The text with its control characters, bidi marks, separators of lines and the like made visible."""
    return text if text.isprintable() else "".join(map(_visible, text))


def _visible(char: str) -> str:
    from unicodedata import category  # only who meets such a text needs it

    if char.isprintable() or char in JOINERS or category(char) == "Zs":
        return char
    if "\udc80" <= char <= "\udcff":  # a byte of a name that is no text
        return f"\\x{ord(char) - 0xDC00:02x}"
    return char.encode("unicode_escape").decode("ascii")


def printable_all(value: Any) -> Any:
    """The same for all texts in lists and maps."""
    match value:
        case str():
            return printable(value)
        case list() | tuple():
            return [printable_all(each) for each in value]
        case dict():
            return {key: printable_all(each) for key, each in value.items()}
    return value


def printable_json(text: str) -> str:
    r"""A document in JSON that says the same, with escapes for what could drive a terminal.

    >>> print(printable_json('{"by": "\x9b2J"}'))
    {"by": "\u009b2J"}
    """
    return text if text.isprintable() else re.sub(r"[^ -~]", _escape, text)


def _escape(found: re.Match[str]) -> str:
    char = found[0]
    if _visible(char) == char:
        return char
    units = char.encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


def in_a_page(json: str) -> str:
    r"""A document in JSON as it may stand in a page: nothing in it ends or begins a script, or a comment.

    >>> print(in_a_page('"<!--<script>&"'))
    "\u003c!--\u003cscript\u003e\u0026"
    """
    for char in "<>&\u2028\u2029":
        json = json.replace(char, f"\\u{ord(char):04x}")
    return json
