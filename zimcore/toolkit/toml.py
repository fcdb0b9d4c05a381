"""TOML from people, with limits: Python's reader takes quadratic time for a key of many parts."""

from __future__ import annotations

import re
import tomllib
from typing import Any

MAX_CHARACTERS = 256 << 10
"""The most characters of a file."""
MAX_KEY_PARTS = 64
"""The most parts of a dotted key."""
NO_KEY = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*(?:"{3,5})?|'
    r"'''(?:[^']|'(?!''))*(?:'{3,5})?|"
    r'"(?:[^"\\\n]|\\.)*"?|'
    r"'[^'\n]*'?|"
    r"#[^\n]*",
    re.DOTALL,
)
"""A string or a comment, as TOML's lexer sees them: what looks like a key in one is none, and can hide none."""
LONG_KEY = re.compile(rf"(?<![\w-])(?:[\w-]++[ \t]*+\.[ \t]*+){{{MAX_KEY_PARTS}}}")


def read_toml(text: str) -> dict[str, Any]:
    """The values of a TOML text. Raises `ValueError` for one that is not valid, too long, or nested too deeply.

    >>> read_toml("a.b = 1")
    {'a': {'b': 1}}
    >>> read_toml("a." * 64 + "a = 1")
    Traceback (most recent call last):
    ValueError: a key has more than 64 parts
    """
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"it has more than {MAX_CHARACTERS:,} characters")
    if LONG_KEY.search(NO_KEY.sub("s", text)):
        raise ValueError(f"a key has more than {MAX_KEY_PARTS} parts")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("its brackets are nested too deep") from None
