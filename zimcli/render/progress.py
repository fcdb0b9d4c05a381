"""How far a long task has come, on stderr: a bar where that is a terminal, or documents for programs."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeAlias

Report: TypeAlias = Callable[[int, int], None]
"""Takes how much is done, and of how much (0 if unknown)."""
PAUSE = 0.1
"""Seconds between documents: a program needs no more of them than it can show."""


@contextmanager
def no_progress() -> Iterator[Report]:
    """Tells nobody."""
    yield lambda done, of: None


@contextmanager
def documents(what: str) -> Iterator[Report]:
    """A document a line; the last one says that all is done."""
    import msgspec

    from zimcore.documents.problems import Progress, ProgressDocument

    told = -PAUSE

    def report(done: int, of: int) -> None:
        nonlocal told
        if done == of or time.monotonic() - told >= PAUSE:
            told = time.monotonic()
            document = ProgressDocument(Progress(what, done, of or None))
            print(msgspec.json.encode(document).decode(), file=sys.stderr, flush=True)

    yield report


@contextmanager
def bar(what: str) -> Iterator[Report]:
    """A bar, which is erased at the end."""
    if not sys.stderr.isatty():
        yield lambda done, of: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, of: bar.update(task, completed=done, total=of or None)
