"""Names of places as they are typed: in a session the game and the line may be left out.

>>> names_a_place("@-3"), names_a_place("what-if@12"), names_a_place("zulu.vp"), names_a_place("2")
(True, True, False, False)
"""

from __future__ import annotations

import re

A_PLACE = re.compile(r"[\w-]*@\S*|[\w-]+/[\w-]+(@\S*)?")


def names_a_place(word: str) -> bool:
    """Whether a word can only be a place, by its form alone."""
    return A_PLACE.fullmatch(word) is not None
