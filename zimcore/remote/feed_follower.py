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
from zimcore.documents.endpoint import Nothing
from zimcore.game import GameError, Seat
from zimcore.remote.connection import Connection, UnreachableError

FIRST_RETRY_SECONDS, MAX_RETRY_SECONDS = 0.5, 30.0
"""Seconds until the thread reconnects after an error: doubled each time, up to the maximum, with jitter."""
MAX_SILENCE_SECONDS = 20.0
"""Seconds of silence after which a feed counts as broken: it has a heartbeat every 7 seconds."""
KINDS_ABOUT_SEATS = ("standing", "seats")
"""Kinds of messages after which the seats are read: the first one after each connect, and each change."""


class Follower:
    """Listens to the feed of one line in a thread, until `end` is called. The thread shares two flags and `players`.

    `players` has the name of the player at each taken seat; None until the server has said so.
    """

    def __init__(self, connection: Connection, match: str, line: str, token: str) -> None:
        self.match, self.line = match, line
        self.players: Mapping[Seat, str] | None = None
        self._connection, self._token = connection, token
        self._path = endpoints.FEED.address(game=match, line=line)
        self._change_event, self._end_event = threading.Event(), threading.Event()
        threading.Thread(target=self._follow, name="zim-feed", daemon=True).start()

    def may_have_changed(self) -> bool:
        """Whether the line may have changed since the last call."""
        if not self._change_event.is_set():
            return False
        self._change_event.clear()  # before the caller reads the line: a message that comes from here on sets it again
        return True

    def end(self) -> None:
        """Stops the thread, at its next message or error."""
        self._end_event.set()

    def _follow(self) -> None:
        delay_seconds, jitter, is_unreachable = FIRST_RETRY_SECONDS, Random(), False
        while not self._end_event.is_set():
            try:
                for message in self._connection.listen(self._path, self._token, MAX_SILENCE_SECONDS):
                    if self._end_event.is_set():
                        return
                    delay_seconds, is_unreachable = FIRST_RETRY_SECONDS, False
                    if message.event == "end":
                        break
                    if message.event in KINDS_ABOUT_SEATS:
                        self._read_players()
                    if message.event != "beat":
                        self._change_event.set()
            except UnreachableError:
                # The caller then reads the line and sees the error; only once, as each try waits for the server.
                if not is_unreachable:
                    self._change_event.set()
                is_unreachable = True
            except (StoreError, GameError):  # the caller then reads the line and sees the error
                self._change_event.set()
            self._end_event.wait(delay_seconds * jitter.uniform(0.5, 1))
            delay_seconds = min(2 * delay_seconds, MAX_RETRY_SECONDS)

    def _read_players(self) -> None:
        with suppress(StoreError, GameError):  # the seats stay as they were last seen
            seats = self._connection.ask(endpoints.SEATS, Nothing(), self._token, game=self.match).seats
            self.players = {seat_info.seat: seat_info.by for seat_info in seats if seat_info.by}
