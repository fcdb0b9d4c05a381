"""A timer for silence, cheap enough to be restarted with every message."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class SilenceTimer:
    """Calls back when it was not restarted for some seconds, once for each silence.

    Messages come often, and setting a timer for each costs as much as the message. So restarting only notes the time,
    and the event loop's timer is set again when it fires.
    """

    __slots__ = ("_call", "_loop", "_seconds", "_since", "_timer")

    def __init__(self, seconds: float, call: Callable[[], None]) -> None:
        self._seconds, self._call = seconds, call
        self._loop = asyncio.get_running_loop()
        self._since: float | None = None
        self._timer: asyncio.TimerHandle | None = None

    def restart(self) -> None:
        """Counts the seconds from now on."""
        self._since = self._loop.time()
        if self._timer is None:
            self._timer = self._loop.call_later(self._seconds, self._check)

    def stop(self) -> None:
        """Counts no more until it is restarted."""
        self._since = None

    def cancel(self) -> None:
        """Stops, and frees the event loop's timer: for the end."""
        self.stop()
        if self._timer:
            self._timer.cancel()

    def _check(self) -> None:
        self._timer = None
        if self._since is None:
            return
        left = self._since + self._seconds - self._loop.time()
        if left > 0:
            self._timer = self._loop.call_later(left, self._check)
        else:
            self.stop()
            self._call()
