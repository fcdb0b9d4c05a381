"""Work on games that no request waits for: a thread of its own goes through those in which something has happened."""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue

from zimcore.server.workers import Open
from zimcore.service import GameService


class Background:
    """Goes through games one after another, with a service of its own, as soon as there is one to go through.

    `do` says whether to look at the game again, behind the others; it raises nothing. Those that are `waiting` are not
    being looked at yet.
    """

    def __init__(self, name: str, open_: Open, do: Callable[[GameService, str], bool]) -> None:
        self.name = name
        self.closing = False
        self.waiting: set[str] = set()
        self._open, self._do = open_, do
        self._games: SimpleQueue[str] = SimpleQueue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def hint(self, game: str) -> None:
        """Says that something has happened in a game. Costs next to nothing: one that waits is looked at once."""
        with self._lock:
            if self.closing or not game or game in self.waiting:
                return
            self.waiting.add(game)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=self.name, daemon=True)
                self._thread.start()
        self._games.put(game)

    def close(self) -> None:
        """Begins nothing more; what is being done is not waited for."""
        with self._lock:
            self.closing = True
        self._games.put("")

    def _run(self) -> None:
        service = self._open()
        try:
            while (game := self._games.get()) and not self.closing:
                with self._lock:
                    self.waiting.discard(game)
                if self._do(service, game):
                    self.hint(game)
        finally:
            service.store.close()
