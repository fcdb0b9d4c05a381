"""The processor time that accounts use, and the headers that tell a client what its request cost and what is left.

The quota is a figure to pace oneself by. Nothing is refused for it: otherwise spectators could use up the time of the
host, and so stop the players. An account over its quota only waits longer, because the one that used least goes first.

In other words: metering, cost accounting, leaky bucket.
"""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any, NamedTuple

QUOTA = 30.0
"""Seconds of the processor that an account may use in a window."""
WINDOW = 60.0
"""Seconds in which a used quota comes back."""
MAX_ACCOUNTS = 10_000
"""The most accounts in memory; the least recently used are dropped first."""
COST = "processor_cost"
"""In the state of a request: what it cost, as a `Cost`."""


class Cost(NamedTuple):
    """What a request cost, what is left to its account, and when the quota is whole again, in seconds."""

    spent: float
    left: float
    whole_in: float


class ProcessorTime:
    """The time that each account has used, in seconds. Used by several threads."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._used = OrderedDict[str, tuple[float, float]]()
        self._lock = threading.Lock()

    def charge(self, account: str, spent: float, state: MutableMapping[str, Any]) -> None:
        """Charges an account, and notes the cost in the state of the request."""
        now = self._clock()
        with self._lock:
            before, at = self._used.pop(account, (0.0, now))
            used = max(0.0, before - (now - at) * QUOTA / WINDOW) + spent
            self._used[account] = used, now
            if len(self._used) > MAX_ACCOUNTS:
                self._used.popitem(last=False)
        known: Cost | None = state.get(COST)
        whole = (known.spent if known else 0.0) + spent
        state[COST] = Cost(whole, max(0.0, QUOTA - used), used * WINDOW / QUOTA)

    @contextmanager
    def measure(self, account: Callable[[], str], state: MutableMapping[str, Any]) -> Iterator[None]:
        """Charges what the thread computes inside. The account is asked for at the end: only then it may be known."""
        began = time.thread_time()
        try:
            yield
        finally:
            self.charge(account(), time.thread_time() - began, state)


def limit_headers(left: float, rate: float, burst: int, cost: Cost | None) -> list[tuple[bytes, bytes]]:
    """The headers `RateLimit` and `RateLimit-Policy` of the IETF's draft; with a cost also `Server-Timing`, in ms.

    `left` is the number of requests that a client may send at once, of `burst`; `rate` more come each second.

    >>> limit_headers(97.5, 20, 100, None)
    [(b'ratelimit-policy', b'"requests";q=100;w=5'), (b'ratelimit', b'"requests";r=97;t=1')]
    """
    policies = [f'"requests";q={burst};w={max(1, round(burst / rate))}']
    limits = [f'"requests";r={math.floor(left)};t={math.ceil((burst - left) / rate)}']
    timing = list[tuple[bytes, bytes]]()
    if cost:
        policies.append(f'"processor-seconds";q={QUOTA:g};w={WINDOW:g}')
        limits.append(f'"processor-seconds";r={math.floor(cost.left)};t={math.ceil(cost.whole_in)}')
        timing = [(b"server-timing", f"processor;dur={math.ceil(cost.spent * 1000)}".encode())]
    return [
        (b"ratelimit-policy", ", ".join(policies).encode()),
        (b"ratelimit", ", ".join(limits).encode()),
        *timing,
    ]
