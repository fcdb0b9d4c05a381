"""Lines of text in pieces, each with a style; the same lines print plain, in ASCII or in colour.

>>> plain([("zulu", "bold"), ("  7 VP  ", "")])
'zulu  7 VP'
>>> to_ascii("round 4 · Zulu to build →")
'round 4 - Zulu to build ->'
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

Span: TypeAlias = tuple[str, str]
"""A text and its style, as rich writes it: `bold`, `#ffffff on #1f4e79`."""

Line: TypeAlias = Sequence[Span]

GLYPHS = str.maketrans(
    {
        "·": "-", "–": "-", "—": "-", "─": "-", "╰": "+", "╯": "+", "…": "...", "→": "->", "−": "-",
        "≈": "~", "◇": "S", "▲": "^", "•": "*", "✓": "+", "✗": "x", "▶": ">", "│": "|", "●": "*", "○": "o",
        "°": "'", "◂": "<",
    }
)  # fmt: skip


def plain(line: Line) -> str:
    """The line as a text, without the blanks at its end."""
    return "".join(text for text, _ in line).rstrip()


def to_ascii(text: str) -> str:
    """The text in ASCII: glyphs have a likeness, anything else becomes a question mark."""
    return text if text.isascii() else text.translate(GLYPHS).encode("ascii", "replace").decode()
