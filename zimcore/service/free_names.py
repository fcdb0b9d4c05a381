"""Free names: a name that is wanted, or the first one with a number after it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain, count


def free_name(
    name: str, is_taken: Callable[[str], bool], *, first: int = 1, suffix: str = "", bare: bool = True
) -> str:
    """The name with its suffix if it is free, else with the first free number from `first` on.

    Without `bare` it always gets a number.

    >>> taken = ["main", "main-1", "page.html"]
    >>> free_name("main", taken.__contains__), free_name("nim", taken.__contains__, bare=False)
    ('main-2', 'nim-1')
    >>> free_name("page", taken.__contains__, first=2, suffix=".html")
    'page-2.html'
    """
    numbered_names = (f"{name}-{number}{suffix}" for number in count(first))
    return next(each for each in chain([name + suffix] if bare else [], numbered_names) if not is_taken(each))
