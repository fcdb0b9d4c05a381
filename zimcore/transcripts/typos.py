"""Spelling: inflected verbs, and typos with their corrections."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from itertools import pairwise

KEYBOARD_ROWS = ("1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm")
"""The rows of a QWERTY keyboard; other layouts have mostly the same neighbours."""
FAR_KEY_COST = 1.3
"""The cost of a wrong letter that is no neighbour of the right one on the keyboard; all other typos cost 1."""
MAX_COST, LONG_WORD_LENGTH = 1.5, 7
"""The largest distance of a correction, doubled for words of `LONG_WORD` letters or more."""
WORD = re.compile(r"[a-z0-9_]+")


def _neighbouring_pairs() -> frozenset[tuple[str, str]]:
    pairs = {pair for row in KEYBOARD_ROWS for pair in pairwise(row)}
    for upper_row, lower_row in pairwise(KEYBOARD_ROWS):
        pairs |= {(above, below) for index, below in enumerate(lower_row) for above in upper_row[index : index + 2]}
    return frozenset(pairs | {(neighbour, key) for key, neighbour in pairs})


NEIGHBOURING_KEYS = _neighbouring_pairs()


@lru_cache(maxsize=200_000)
def edit_distance(word: str, other_word: str) -> float:
    """The edit distance of two words: wrong, missing, extra and transposed letters (Damerau-Levenshtein).

    >>> edit_distance("potter", "potetr"), edit_distance("d4", "d5")
    (1.0, 1.0)
    >>> edit_distance("d4", "k4"), edit_distance("pass", "pass")
    (1.3, 0.0)
    """
    previous_row: list[float] = []
    row = [float(length) for length in range(len(other_word) + 1)]
    for i, letter in enumerate(word, 1):
        row_before_previous, previous_row, row = previous_row, row, [float(i)]
        for j, other_letter in enumerate(other_word, 1):
            cost = (
                0.0 if letter == other_letter else 1.0 if (letter, other_letter) in NEIGHBOURING_KEYS else FAR_KEY_COST
            )
            lowest_cost = min(previous_row[j] + 1, row[j - 1] + 1, previous_row[j - 1] + cost)
            if (
                i > 1
                and j > 1
                and letter == other_word[j - 2]
                and word[i - 2] == other_letter
                and letter != other_letter
            ):
                lowest_cost = min(lowest_cost, row_before_previous[j - 2] + 1)
            row.append(lowest_cost)
    return row[-1]


@lru_cache(maxsize=20_000)
def near_words(word: str, known_words: frozenset[str]) -> tuple[tuple[float, str], ...]:
    """The known words near a word, with their distances, nearest first; without the word itself."""
    limit = MAX_COST if len(word) < LONG_WORD_LENGTH else 2 * MAX_COST
    distances = (
        (edit_distance(word, known_word), known_word)
        for known_word in known_words
        if abs(len(known_word) - len(word)) <= limit and known_word != word
    )
    return tuple(sorted(near_word for near_word in distances if near_word[0] <= limit))


def corrections(
    text: str, known_words: frozenset[str], unknown_words: Collection[str] = ()
) -> Iterator[tuple[float, str]]:
    """Corrections of a text, each with its distance: one word replaced by a known word near it.

    If the text has several `unknown_words` words with corrections, also the text with each replaced by the nearest one.

    >>> sorted(corrections("bid 3", frozenset({"bid", "3", "2"})))
    [(1.0, 'bid 2')]
    >>> list(corrections("bdi tre", frozenset({"bid", "tree"}), {"bdi", "tre"}))[-1]
    (2.0, 'bid tree')
    """
    for match in WORD.finditer(text):
        for cost, word in near_words(match[0], known_words):
            yield cost, text[: match.start()] + word + text[match.end() :]
    candidates_by_word = {
        word: next(iter(near_words(word, known_words.difference(unknown_words))), None)
        for word in WORD.findall(text)
        if word in unknown_words
    }
    nearest_by_word = {word: nearest_word for word, nearest_word in candidates_by_word.items() if nearest_word}
    if len(nearest_by_word) > 1:
        corrected_text = WORD.sub(
            lambda match: nearest_by_word[match[0]][1] if match[0] in nearest_by_word else match[0], text
        )
        yield sum(cost for cost, _ in nearest_by_word.values()), corrected_text


def imperative(word: str, verbs: Collection[str]) -> str:
    """The imperative of a verb, if it is one of `verbs`; else the word.

    >>> imperative("passes", ["pass"]), imperative("adored", ["adore"]), imperative("zulu", ["pass"])
    ('pass', 'adore', 'zulu')
    >>> imperative("built", ["build"])
    'build'
    """
    stems = (word, word.removesuffix("s"), word.removesuffix("es"), word.removesuffix("d"), word.removesuffix("ed"))
    past = f"{word[:-1]}d" if len(word) > 4 and word.endswith("t") else word
    return next((stem for stem in (*stems, past) if stem in verbs), word)


def words_in(texts: Collection[str]) -> set[str]:
    """All words of texts."""
    return {word for text in texts for word in WORD.findall(text)}
