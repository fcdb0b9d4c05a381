"""Free names: a name that is wanted, or the first one with a number after it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain, count


def free_name(
    name: str, is_taken: Callable[[str], bool], *, first_number: int = 1, suffix: str = "", may_stay_bare: bool = True
) -> str:
    """The name with its suffix if it is free, else with the first free number from `first_number` on.

    Unless it `may_stay_bare` it always gets a number.

    >>> taken = ["main", "main-1", "page.html"]
    >>> free_name("main", taken.__contains__), free_name("nim", taken.__contains__, may_stay_bare=False)
    ('main-2', 'nim-1')
    >>> free_name("page", taken.__contains__, first_number=2, suffix=".html")
    'page-2.html'
    """
    numbered_names = (f"{name}-{number}{suffix}" for number in count(first_number))
    return next(each for each in chain([name + suffix] if may_stay_bare else [], numbered_names) if not is_taken(each))
