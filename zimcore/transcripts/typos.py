"""How words are written by people: forms of a verb, and slips of the finger with what they were meant to say."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from itertools import pairwise

KEYS = ("1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm")
"""The rows of a keyboard; others are much the same where it matters."""
FURTHER = 1.3
"""What a wrong letter counts that is not beside the right one on the keyboard; all other slips count 1."""
MAX_COST, LONG_WORD = 1.5, 7
"""How far a word may be from what was meant: by one slip, or by twice as much if it has so many letters."""
WORD = re.compile(r"[a-z0-9_]+")


def _are_neighbours() -> frozenset[tuple[str, str]]:
    pairs = {pair for row in KEYS for pair in pairwise(row)}
    for upper, lower in pairwise(KEYS):
        pairs |= {(a, b) for at, b in enumerate(lower) for a in upper[at : at + 2]}
    return frozenset(pairs | {(b, a) for a, b in pairs})


NEIGHBOURING_KEYS = _are_neighbours()


@lru_cache(maxsize=200_000)
def distance(one: str, other: str) -> float:
    """How many slips make one word of another: letters that are wrong, left out, too many, or in the wrong order.

    >>> distance("potter", "potetr"), distance("d4", "d5"), distance("d4", "k4"), distance("pass", "pass")
    (1.0, 1.0, 1.3, 0.0)
    """
    above: list[float] = []
    row = [float(at) for at in range(len(other) + 1)]
    for i, a in enumerate(one, 1):
        before, above, row = above, row, [float(i)]
        for j, b in enumerate(other, 1):
            wrong = 0.0 if a == b else 1.0 if (a, b) in NEIGHBOURING_KEYS else FURTHER
            least = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + wrong)
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b and a != b:
                least = min(least, before[j - 2] + 1)
            row.append(least)
    return row[-1]


@lru_cache(maxsize=20_000)
def near(word: str, known: frozenset[str]) -> tuple[tuple[float, str], ...]:
    """The known words that a word may have been meant to be, the nearest first; not the word itself."""
    most = MAX_COST if len(word) < LONG_WORD else 2 * MAX_COST
    found = ((distance(word, each), each) for each in known if abs(len(each) - len(word)) <= most and each != word)
    return tuple(sorted(each for each in found if each[0] <= most))


def corrections(text: str, known: frozenset[str], strange: Collection[str] = ()) -> Iterator[tuple[float, str]]:
    """What a text may have been meant to say, where one word of it is known by another one; with how far that is.

    Where it has several `strange` words, that is each of them as the nearest known one.

    >>> sorted(corrections("bid 3", frozenset({"bid", "3", "2"})))
    [(1.0, 'bid 2')]
    >>> list(corrections("bdi tre", frozenset({"bid", "tree"}), {"bdi", "tre"}))[-1]
    (2.0, 'bid tree')
    """
    for found in WORD.finditer(text):
        for far, word in near(found[0], known):
            yield far, text[: found.start()] + word + text[found.end() :]
    slips = {
        word: next(iter(near(word, known.difference(strange))), None) for word in WORD.findall(text) if word in strange
    }
    nearest = {word: slip for word, slip in slips.items() if slip}
    if len(nearest) > 1:
        corrected = WORD.sub(lambda found: nearest[found[0]][1] if found[0] in nearest else found[0], text)
        yield sum(far for far, _ in nearest.values()), corrected


def imperative(word: str, verbs: Collection[str]) -> str:
    """A verb as a command has it.

    >>> imperative("passes", ["pass"]), imperative("adored", ["adore"]), imperative("zulu", ["pass"])
    ('pass', 'adore', 'zulu')
    """
    stems = (word, word.removesuffix("s"), word.removesuffix("es"), word.removesuffix("d"), word.removesuffix("ed"))
    return next((stem for stem in stems if stem in verbs), word)


def words(texts: Collection[str]) -> set[str]:
    """All words of texts."""
    return {word for text in texts for word in WORD.findall(text)}
