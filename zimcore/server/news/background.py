"""Background work on games: a thread goes through the games that have changed, while no request waits for it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue

from zimcore.server.work.workers import OpenService
from zimcore.service import GameService


class Background:
    """A queue of games and a thread, with a service of its own, that calls `work_on_game(service, game)` for each.

    If `work_on_game` returns True the game goes to the end of the queue again; it must not raise. `waiting_games`
    games in the queue.
    """

    def __init__(self, name: str, open_service: OpenService, work_on_game: Callable[[GameService, str], bool]) -> None:
        self.name = name
        self.is_closing = False
        self.waiting_games: set[str] = set()
        self._open_service, self._work_on_game = open_service, work_on_game
        self._game_queue: SimpleQueue[str] = SimpleQueue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def enqueue(self, game: str) -> None:
        """Says that a game may have changed: puts it into the queue, unless it is there. Cheap."""
        with self._lock:
            if self.is_closing or not game or game in self.waiting_games:
                return
            self.waiting_games.add(game)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=self.name, daemon=True)
                self._thread.start()
        self._game_queue.put(game)

    def close(self) -> None:
        """Starts no more work. Does not wait for the work in progress."""
        with self._lock:
            self.is_closing = True
        self._game_queue.put("")

    def _run(self) -> None:
        service = self._open_service()
        try:
            while (game := self._game_queue.get()) and not self.is_closing:
                with self._lock:
                    self.waiting_games.discard(game)
                if self._work_on_game(service, game):
                    self.enqueue(game)
        finally:
            service.store.close()
