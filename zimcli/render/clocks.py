"""Renders clocks in words, for the table and the prompt."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from zimcore.game import Seat
from zimcore.service.lines.clocks import Clock
from zimcore.service.records.terms import format_duration


def time_left(clock: Clock, now: datetime | None = None) -> str:
    """How much time a seat to move has: for its turn, then in its time bank; or how long it has been out of time.

    >>> from datetime import timedelta
    >>> noon = datetime(2024, 5, 1, 12, tzinfo=UTC)
    >>> hour = timedelta(hours=1)
    >>> clock = Clock(noon + hour, noon + 3 * hour)
    >>> [time_left(clock, noon + hours * hour) for hours in (0, 2, 4)]
    ['1h left, then 2h of the bank', '1h left of the bank', 'out of time since 1h']
    """
    now = now or datetime.now(UTC)
    if now >= clock.due:
        return f"out of time since {_duration_text(now - clock.due)}"
    if now >= clock.pace_end:
        return f"{_duration_text(clock.due - now)} left of the bank"
    bank_text = f", then {_duration_text(clock.due - clock.pace_end)} of the bank" if clock.due > clock.pace_end else ""
    return f"{_duration_text(clock.pace_end - now)} left{bank_text}"


def _duration_text(time: timedelta) -> str:
    return format_duration(time.total_seconds()) if time.total_seconds() >= 1 else "now"


def clocks_line(clocks: Mapping[Seat, Clock]) -> str:
    """The clocks of all seats to move: `zulu: 2h left`."""
    return ", ".join(f"{seat}: {time_left(clock)}" for seat, clock in clocks.items())
