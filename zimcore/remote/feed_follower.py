"""Following a line: a thread hears by its feed that something has happened, instead of polling.

What it was is asked for as ever, and checked: the feed only says that it is worth asking. So nothing is missed where
a connection breaks: the client asks when it is back.
"""

from __future__ import annotations

import threading
from random import Random

from event_store import StoreError
from zimcore.game import GameError
from zimcore.remote.connection import Connection, UnreachableError

FIRST_RETRY, MAX_RETRY = 0.5, 30.0
"""Seconds until it listens again after the connection broke, doubled each time; a part of them is chance."""
FEED_TIMEOUT = 20.0
"""Seconds after which a feed is taken for broken: it has a beat every 7."""


class Follower:
    """Listens to one line, until it is stopped. The thread shares no more than flags with others."""

    def __init__(self, connection: Connection, place: str, path: str, token: str) -> None:
        self.place = place
        self._connection, self._path, self._token = connection, path, token
        self._heard, self._ended = threading.Event(), threading.Event()
        threading.Thread(target=self._follow, name="zim-feed", daemon=True).start()

    def has_heard(self) -> bool:
        """Whether something has happened since this was asked last, or else may have."""
        if not self._heard.is_set():
            return False
        self._heard.clear()  # before the caller looks: what comes from here on is heard again
        return True

    def end(self) -> None:
        """Ends it: at the next thing that it hears."""
        self._ended.set()

    def _follow(self) -> None:
        delay, jitter, away = FIRST_RETRY, Random(), False
        while not self._ended.is_set():
            try:
                for message in self._connection.listen(self._path, self._token, FEED_TIMEOUT):
                    if self._ended.is_set():
                        return
                    delay, away = FIRST_RETRY, False
                    if message.event == "end":
                        break
                    if message.event != "beat":
                        self._heard.set()
            except UnreachableError:
                if not away:  # the next look finds that out; until it is back none has to wait for it again
                    self._heard.set()
                away = True
            except (StoreError, GameError):  # the next look says why
                self._heard.set()
            self._ended.wait(delay * jitter.uniform(0.5, 1))
            delay = min(2 * delay, MAX_RETRY)
