"""Reports the progress of a long task on stderr: a bar in a terminal, or documents for programs."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from zimcore.toolkit.progress import ReportProgress, ignore_progress

REPORT_SECONDS = 0.1
"""Least seconds between two documents."""


@contextmanager
def no_progress() -> Iterator[ReportProgress]:
    """Reports nothing."""
    yield ignore_progress


@contextmanager
def document_progress(task_name: str) -> Iterator[ReportProgress]:
    """Prints a JSON document per line; the last one says that everything is done."""
    import msgspec

    from zimcore.documents.problems import Progress, ProgressDocument

    last_report = -REPORT_SECONDS

    def report(count: int, total: int) -> None:
        nonlocal last_report
        if count == total or time.monotonic() - last_report >= REPORT_SECONDS:
            last_report = time.monotonic()
            document = ProgressDocument(Progress(task_name, count, total or None))
            print(msgspec.json.encode(document).decode(), file=sys.stderr, flush=True)

    yield report


@contextmanager
def bar_progress(task_name: str) -> Iterator[ReportProgress]:
    """Shows a progress bar, and erases it at the end."""
    if not sys.stderr.isatty():
        yield ignore_progress
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(task_name), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress_bar:
        task_id = progress_bar.add_task(task_name, total=None)
        yield lambda done, total: progress_bar.update(task_id, completed=done, total=total or None)
