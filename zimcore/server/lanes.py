"""Lanes: threads, each with a store and a service of its own. A game belongs to a lane of each kind.

Rules, SQL and search never run on the loop that speaks HTTP. Moves have lanes apart from questions, so that a slow
question stops nobody's move; and as all moves of a game go through one lane of a process, they never race each other.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Literal, TypeAlias, TypeVar
from zlib import crc32

from zimcore.server.problems import ProblemError
from zimcore.service import GameService

Answer = TypeVar("Answer")
Open: TypeAlias = Callable[[], GameService]
Kind: TypeAlias = Literal["moves", "questions"]

MOST_WAITING = 128
"""Requests that wait for a lane; whoever comes then is asked to come again."""
PATIENCE = 30.0
"""Seconds that a request waits for its answer. What was begun is finished all the same."""


class Lane:
    """One thread, whose service is opened when it is first needed."""

    def __init__(self, open_: Open, name: str) -> None:
        self._open = open_
        self._pool = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._own = threading.local()
        self.waiting = 0

    def _call(self, work: Callable[[GameService], Answer]) -> Answer:
        service: GameService | None = getattr(self._own, "service", None)
        if service is None:
            service = self._own.service = self._open()
        with service.store.one_look():
            return work(service)

    async def run(self, work: Callable[[GameService], Answer], patience: float) -> Answer:
        """Does some work with the service of this lane. Raises what that raises."""
        if self.waiting >= MOST_WAITING:
            raise _busy("too much goes on at once")
        self.waiting += 1
        future = asyncio.get_running_loop().run_in_executor(self._pool, self._call, work)
        # Counted until the work is done, not until its client has gone: a thread can't be stopped.
        future.add_done_callback(self._done)
        try:
            async with asyncio.timeout(patience):
                return await asyncio.shield(future)
        except TimeoutError:
            raise _busy("the answer takes too long; a write asked for again with its key is done once") from None

    def _done(self, future: asyncio.Future[Answer]) -> None:
        self.waiting -= 1
        if not future.cancelled():
            future.exception()  # whoever asked may have gone: then nobody else looks

    def close(self) -> None:
        """Finishes what was begun, and closes the store."""

        def shut() -> None:
            service: GameService | None = getattr(self._own, "service", None)
            if service:
                service.store.close()

        self._pool.submit(shut)
        self._pool.shutdown()


class Lanes:
    """The lanes of a process."""

    def __init__(self, open_: Open, moves: int = 2, questions: int = 2, patience: float = PATIENCE) -> None:
        self.patience = patience
        self._lanes: dict[Kind, list[Lane]] = {
            "moves": [Lane(open_, f"moves-{at}") for at in range(moves)],
            "questions": [Lane(open_, f"questions-{at}") for at in range(questions)],
        }

    async def run(self, kind: Kind, game: str, work: Callable[[GameService], Answer]) -> Answer:
        """Does some work in the lane of a game. Raises `ProblemError` where that is busy, and what the work does."""
        lanes = self._lanes[kind]
        return await lanes[crc32(game.encode()) % len(lanes)].run(work, self.patience)

    @property
    def waiting(self) -> int:
        """Requests that wait, or are being answered."""
        return sum(lane.waiting for lanes in self._lanes.values() for lane in lanes)

    def close(self) -> None:
        """Finishes what was begun, and closes the stores."""
        for lanes in self._lanes.values():
            for lane in lanes:
                lane.close()


def _busy(why: str) -> ProblemError:
    return ProblemError(503, "the server is busy", why, ["try again"], headers={"Retry-After": "2"})
