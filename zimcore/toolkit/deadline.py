"""A deadline for work that may block: for all of it, however often a part of it makes progress."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeVar

ResultT = TypeVar("ResultT")


def result_within(seconds: float, work: Callable[[], ResultT]) -> ResultT:
    """The result of work that may take so many seconds. Raises its error, and `TimeoutError` if it takes longer.

    The work is done in a thread of its own, which is left to itself then: no timeout of a socket helps against a peer
    that sends a byte now and then, as each byte begins it anew.

    >>> result_within(60, lambda: 7)
    7
    """
    results, errors = list[Any](), list[BaseException]()

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:  # the thread that waits raises it
            errors.append(error)

    thread = threading.Thread(target=run, name="zim-deadline", daemon=True)
    thread.start()
    thread.join(seconds)
    if errors:
        raise errors[0]
    if not results:
        raise TimeoutError(f"it has taken longer than {seconds:g} s")
    result: ResultT = results[0]
    return result
