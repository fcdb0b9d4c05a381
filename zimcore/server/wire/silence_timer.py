"""A timer for silence, cheap enough to be restarted with every message."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class SilenceTimer:
    """Calls back when it was not restarted for some seconds, once for each silence.

    Messages come often, and setting a timer for each costs as much as the message. So restarting only notes the time,
    and the event loop's timer is set again when it fires.
    """

    __slots__ = ("_loop", "_on_silence", "_seconds", "_start_time", "_timer")

    def __init__(self, seconds: float, on_silence: Callable[[], None]) -> None:
        self._seconds, self._on_silence = seconds, on_silence
        self._loop = asyncio.get_running_loop()
        self._start_time: float | None = None
        self._timer: asyncio.TimerHandle | None = None

    @property
    def is_running(self) -> bool:
        """Whether it counts: it was restarted, and neither stopped since nor called back."""
        return self._start_time is not None

    def restart(self) -> None:
        """Counts the seconds from now on."""
        self._start_time = self._loop.time()
        if self._timer is None:
            self._timer = self._loop.call_later(self._seconds, self._on_timer)

    def stop(self) -> None:
        """Pauses until the next restart."""
        self._start_time = None

    def cancel(self) -> None:
        """Pauses, and cancels the event loop's timer, which would keep this object alive."""
        self.stop()
        if self._timer:
            self._timer.cancel()
            self._timer = None

    def _on_timer(self) -> None:
        self._timer = None
        if self._start_time is None:
            return
        remaining_seconds = self._start_time + self._seconds - self._loop.time()
        if remaining_seconds > 0:
            self._timer = self._loop.call_later(remaining_seconds, self._on_timer)
        else:
            self.stop()
            self._on_silence()
