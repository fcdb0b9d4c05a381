"""TOML from people, with limits: Python's reader takes quadratic time for a key of many parts."""

from __future__ import annotations

import re
import tomllib
from typing import Any

MAX_CHARACTERS = 256 << 10
"""The most characters of a file."""
MAX_KEY_PARTS = 64
"""The most parts of a dotted key."""
STRING = re.compile(r'"(?:[^"\\\n]|\\.)*+"|' + r"'[^'\n]*+'")
LONG_KEY = re.compile(rf"(?<![\w-])(?:[\w-]++[ \t]*+\.[ \t]*+){{{MAX_KEY_PARTS}}}")


def read_toml(text: str) -> dict[str, Any]:
    """The values of a TOML text. Raises `ValueError` for one that is not valid, or too long, `RecursionError` for one
    that is nested too deeply.

    >>> read_toml("a.b = 1")
    {'a': {'b': 1}}
    >>> read_toml("a." * 64 + "a = 1")
    Traceback (most recent call last):
    ValueError: a key has more than 64 parts
    """
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"it has more than {MAX_CHARACTERS:,} characters")
    if LONG_KEY.search(STRING.sub("s", text)):
        raise ValueError(f"a key has more than {MAX_KEY_PARTS} parts")
    return tomllib.loads(text)
