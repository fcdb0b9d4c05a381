"""Follows a line: a thread listens to its feed, so that the client need not poll.

A message only means that the line may have changed: the client then asks for the entries as usual, and checks them. So
a broken connection loses nothing: after a reconnect the client asks.
"""

from __future__ import annotations

import threading
from random import Random

from event_store import StoreError
from zimcore.game import GameError
from zimcore.remote.connection import Connection, UnreachableError

FIRST_RETRY, MAX_RETRY = 0.5, 30.0
"""Seconds until the thread reconnects after an error: doubled each time, up to the maximum, with jitter."""
FEED_TIMEOUT = 20.0
"""Seconds of silence after which a feed counts as broken: it has a heartbeat every 7 seconds."""


class Follower:
    """Listens to the feed of one line in a thread, until `end` is called. The thread shares only two flags."""

    def __init__(self, connection: Connection, place: str, path: str, token: str) -> None:
        self.place = place
        self._connection, self._path, self._token = connection, path, token
        self._heard, self._ended = threading.Event(), threading.Event()
        threading.Thread(target=self._follow, name="zim-feed", daemon=True).start()

    def has_heard(self) -> bool:
        """Whether the line may have changed since the last call."""
        if not self._heard.is_set():
            return False
        self._heard.clear()  # before the caller looks: what comes from here on is heard again
        return True

    def end(self) -> None:
        """Stops the thread, at its next message or error."""
        self._ended.set()

    def _follow(self) -> None:
        delay, jitter, is_away = FIRST_RETRY, Random(), False
        while not self._ended.is_set():
            try:
                for message in self._connection.listen(self._path, self._token, FEED_TIMEOUT):
                    if self._ended.is_set():
                        return
                    delay, is_away = FIRST_RETRY, False
                    if message.event == "end":
                        break
                    if message.event != "beat":
                        self._heard.set()
            except UnreachableError:
                if not is_away:  # the next look reports it; later ones need not wait again while the server is away
                    self._heard.set()
                is_away = True
            except (StoreError, GameError):  # the next look says why
                self._heard.set()
            self._ended.wait(delay * jitter.uniform(0.5, 1))
            delay = min(2 * delay, MAX_RETRY)
