"""A cache of encoded answers about lines, by request, viewer and version of the line. In other words: memoization.

The key determines the answer. Authorization is checked before each look-up, so a revoked token gets nothing from it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from functools import cache
from threading import Lock
from typing import Generic, Protocol, TypeVar

from zimcore.server.wire.replies import Reply

MAX_CACHE_BYTES = 32 << 20
"""The most bytes of all answers in a cache; the least recently used go first."""
MAX_REPLY_BYTES = 1 << 20
"""The most bytes of an answer that is kept."""


class WithContent(Protocol):
    """What has content that is sent."""

    @property
    def content(self) -> bytes:
        """Its bytes."""


ReplyT = TypeVar("ReplyT", bound=WithContent)


class ReplyCache(Generic[ReplyT]):
    """Replies by key, for all workers of a process."""

    def __init__(self, max_bytes: int = MAX_CACHE_BYTES) -> None:
        self.max_bytes = max_bytes
        self.used_bytes = 0
        self._replies = OrderedDict[Hashable, ReplyT]()
        self._lock = Lock()  # workers are threads

    def get(self, key: Hashable) -> ReplyT | None:
        """The reply with a key, None if it is not known."""
        with self._lock:
            if reply := self._replies.get(key):
                self._replies.move_to_end(key)
            return reply

    def keep(self, key: Hashable, reply: ReplyT) -> None:
        """Keeps a reply, and drops others if there are too many."""
        reply_bytes = len(reply.content)
        if reply_bytes > MAX_REPLY_BYTES:
            return
        with self._lock:
            if key in self._replies:
                return
            self._replies[key] = reply
            self.used_bytes += reply_bytes
            while self.used_bytes > self.max_bytes:
                _, dropped_reply = self._replies.popitem(last=False)
                self.used_bytes -= len(dropped_reply.content)


@cache
def study_cache() -> ReplyCache[Reply]:
    """The cache of a process for long questions."""
    return ReplyCache()
