"""Reporting the progress of long work."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

ReportProgress: TypeAlias = Callable[[int, int], None]
"""Takes how much is done, and of how much (0 if unknown). It may raise an exception to stop the work."""


def ignore_progress(done_count: int, total: int) -> None:
    """A `ReportProgress` that does nothing."""
