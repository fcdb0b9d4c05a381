"""Lines of text in pieces, each with a style; the same lines print plain, in ASCII or in colour.

>>> plain([("zulu", "bold"), ("  7 VP  ", "")])
'zulu  7 VP'
>>> to_ascii("round 4 · Zulu to build →")
'round 4 - Zulu to build ->'
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias

import msgspec

if TYPE_CHECKING:
    from zimcore.game import Seat, Table

Span: TypeAlias = tuple[str, str]
"""A text and its style, as rich writes it: `bold`, `#ffffff on #1f4e79`."""

Line: TypeAlias = list[Span]
"""A line is a list: nothing else that is shown is one."""


class Sheet(msgspec.Struct, frozen=True):
    """A table to be shown, whose rows have the colours of their seats."""

    table: Table
    colours: Mapping[Seat, str] = {}


class Note(msgspec.Struct, frozen=True):
    """A note to the user that is not part of an answer: it goes to stderr."""

    text: str


Block: TypeAlias = Line | Sheet | Note
"""What an answer is made of as it is shown."""


class Screen(msgspec.Struct, frozen=True):
    """Where an answer is shown.

    `size` gives the columns and lines of a terminal, None for anything else; only a board asks. `in_session` says that
    words of a session are typed there, `failed` that an error follows, which says what it came to.
    """

    glyphs: bool = True
    size: Callable[[], tuple[int, int] | None] = lambda: None
    in_session: bool = False
    failed: bool = False


GLYPHS = str.maketrans(
    {
        "·": "-", "–": "-", "—": "-", "─": "-", "╰": "+", "╯": "+", "…": "...", "→": "->", "−": "-",
        "≈": "~", "◇": "S", "▲": "^", "•": "*", "✓": "+", "▸": ">", "✗": "x", "▶": ">", "│": "|", "●": "*", "○": "o",
        "±": "~", "▁": "_", "▂": ".", "▃": ":", "▄": "-", "▅": "=", "▆": "+", "▇": "*", "█": "#",
        "↘": "\\", "↓": "v", "↙": "/", "←": "<", "↖": "\\", "↑": "^", "↗": "/",
        "°": "'", "◂": "<", "╱": "/", "╲": "\\", "┼": "+", "═": "=",
    }
)  # fmt: skip


def plain(line: Line) -> str:
    """The line as a text, without the blanks at its end."""
    return "".join(text for text, _ in line).rstrip()


def to_ascii(text: str) -> str:
    """The text in ASCII: glyphs have a likeness, anything else becomes a question mark."""
    return text if text.isascii() else text.translate(GLYPHS).encode("ascii", "replace").decode()
