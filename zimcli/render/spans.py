"""Lines of styled text. The same lines print plain, in ASCII or in colour.

>>> line_text([("zulu", "bold"), ("  7 VP  ", "")])
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
"""A line is a list. Nothing else that is shown is a list."""


class Sheet(msgspec.Struct, frozen=True):
    """A table to show. Its rows have the colours of their seats."""

    table: Table
    colours: Mapping[Seat, str] = {}


class Note(msgspec.Struct, frozen=True):
    """A note to the user that is not part of an answer: it goes to stderr."""

    text: str


Block: TypeAlias = Line | Sheet | Note
"""A part of an answer as it is shown."""


class Screen(msgspec.Struct, frozen=True):
    """Where an answer is shown.

    `size` returns the columns and lines of a terminal, or None for anything else; only boards call it. `in_session`
    means that the next line is typed in a session, `is_failure` that an error follows the answer.
    """

    has_glyphs: bool = True
    size: Callable[[], tuple[int, int] | None] = lambda: None
    in_session: bool = False
    is_failure: bool = False


ASCII_BY_GLYPH = str.maketrans(
    {
        "·": "-", "–": "-", "—": "-", "─": "-", "╰": "+", "╯": "+", "├": "+", "…": "...", "→": "->", "−": "-",
        "≈": "~", "◇": "S", "▲": "^", "•": "*", "✓": "+", "▸": ">", "✗": "x", "▶": ">", "│": "|", "●": "*", "○": "o",
        "±": "~", "▁": "_", "▂": ".", "▃": ":", "▄": "-", "▅": "=", "▆": "+", "▇": "*", "█": "#",
        "↘": "\\", "↓": "v", "↙": "/", "←": "<", "↖": "\\", "↑": "^", "↗": "/",
        "°": "'", "◂": "<", "╱": "/", "╲": "\\", "┼": "+", "═": "=",
    }
)  # fmt: skip


def line_text(line: Line) -> str:
    """The line as text, without trailing blanks."""
    return "".join(text for text, _ in line).rstrip()


def to_ascii(text: str) -> str:
    """The text in ASCII: known glyphs are replaced with similar characters, others with a question mark."""
    return text if text.isascii() else text.translate(ASCII_BY_GLYPH).encode("ascii", "replace").decode()
