"""Figures in words.

>>> figures({"winner": None, "zulu.specialists": ["herd", "shaman"], "over": True})
'winner is none, zulu.specialists is herd, shaman, over is so'
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def shown(value: Any) -> str:
    """A value as it reads."""
    match value:
        case None:
            return "none"
        case bool():
            return "so" if value else "not so"
        case list() | tuple():
            return ", ".join(map(str, value)) or "nothing"
    return str(value)


def figures(found: Mapping[str, Any]) -> str:
    """What names stand for: `kilwa.vp is 3, zulu.vp is 7`."""
    return ", ".join(f"{name} is {shown(value)}" for name, value in found.items())
