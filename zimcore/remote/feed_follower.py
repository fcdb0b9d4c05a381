"""Follows a line: a thread listens to its feed, so that the client need not poll.

A message only means that the line may have changed: the client then asks for the entries as usual, and checks them. So
a broken connection loses nothing: after a reconnect the client asks.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from contextlib import suppress
from random import Random

from event_store import StoreError
from zimcore.documents import endpoints
from zimcore.documents.endpoints import Nothing
from zimcore.game import GameError, Seat
from zimcore.remote.connection import Connection, UnreachableError

FIRST_RETRY, MAX_RETRY = 0.5, 30.0
"""Seconds until the thread reconnects after an error: doubled each time, up to the maximum, with jitter."""
FEED_TIMEOUT = 20.0
"""Seconds of silence after which a feed counts as broken: it has a heartbeat every 7 seconds."""
WITH_SEATS = ("standing", "seats")
"""Messages after which the seats are read: the first one after each connect, and each change."""


class Follower:
    """Listens to the feed of one line in a thread, until `end` is called. The thread shares two flags and `players`.

    `players` has the name of the player at each taken seat; None until the server has said so.
    """

    def __init__(self, connection: Connection, match: str, line: str, token: str) -> None:
        self.match, self.line = match, line
        self.players: Mapping[Seat, str] | None = None
        self._connection, self._token = connection, token
        self._path = endpoints.FEED.address(game=match, line=line)
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
                    if message.event in WITH_SEATS:
                        self._read_players()
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

    def _read_players(self) -> None:
        with suppress(StoreError, GameError):  # the seats stay as they were last seen
            seats = self._connection.ask(endpoints.SEATS, Nothing(), self._token, game=self.match).seats
            self.players = {each.seat: each.by for each in seats if each.by}
