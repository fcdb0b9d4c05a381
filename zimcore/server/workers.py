"""Workers: threads, each with a store and a service of its own. A game always goes to the same worker of each kind.

Rules, SQL and search never run on the event loop that speaks HTTP. Moves and questions have separate workers, so that a
slow question delays no move. All moves of a game go through one worker of the process, so they never race each other.

In other words: dispatcher, worker thread.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Literal, TypeAlias, TypeVar
from zlib import crc32

from zimcore.server.problem_responses import ProblemError
from zimcore.service import GameService

Answer = TypeVar("Answer")
Open: TypeAlias = Callable[[], GameService]
Kind: TypeAlias = Literal["moves", "questions"]

MAX_WAITING = 128
"""The most requests that may wait for one worker; further ones are refused with Retry-After."""
PATIENCE = 30.0
"""Seconds that a request waits for its answer. After that the work still runs to its end."""


class Worker:
    """One thread with a service of its own, opened when first needed."""

    def __init__(self, open_: Open, name: str) -> None:
        self._open = open_
        self._pool = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._own = threading.local()
        self.waiting = 0

    def _call(self, work: Callable[[GameService], Answer]) -> Answer:
        service: GameService | None = getattr(self._own, "service", None)
        if service is None:
            service = self._own.service = self._open()
        with service.store.snapshot_read():
            return work(service)

    async def run(self, work: Callable[[GameService], Answer], patience: float) -> Answer:
        """Runs work with this worker's service. Raises what it raises; `ProblemError` 503 if busy or too slow."""
        if self.waiting >= MAX_WAITING:
            raise _busy("too much goes on at once")
        self.waiting += 1
        future = asyncio.get_running_loop().run_in_executor(self._pool, self._call, work)
        # Counted until the work is done, even if its client has gone: a thread can't be stopped.
        future.add_done_callback(self._count_down)
        try:
            async with asyncio.timeout(patience):
                return await asyncio.shield(future)
        except TimeoutError:
            raise _busy("the answer takes too long; a write repeated with its key is done only once") from None

    def _count_down(self, future: asyncio.Future[Answer]) -> None:
        self.waiting -= 1
        if not future.cancelled():
            future.exception()  # the client may have gone: then no one else looks

    def close(self) -> None:
        """Finishes waiting work, and closes the store."""

        def shut() -> None:
            service: GameService | None = getattr(self._own, "service", None)
            if service:
                service.store.close()

        self._pool.submit(shut)
        self._pool.shutdown()


class WorkerPool:
    """The workers of a process."""

    def __init__(self, open_: Open, moves: int = 2, questions: int = 2, patience: float = PATIENCE) -> None:
        self.patience = patience
        self._workers: dict[Kind, list[Worker]] = {
            "moves": [Worker(open_, f"moves-{at}") for at in range(moves)],
            "questions": [Worker(open_, f"questions-{at}") for at in range(questions)],
        }

    async def run(self, kind: Kind, game: str, work: Callable[[GameService], Answer]) -> Answer:
        """Runs work in the worker of a game. Raises what it raises; `ProblemError` 503 if the worker is busy."""
        workers = self._workers[kind]
        return await workers[crc32(game.encode()) % len(workers)].run(work, self.patience)

    @property
    def waiting(self) -> int:
        """The number of requests that wait or are being answered."""
        return sum(worker.waiting for workers in self._workers.values() for worker in workers)

    def close(self) -> None:
        """Finishes waiting work, and closes the stores."""
        for workers in self._workers.values():
            for worker in workers:
                worker.close()


def _busy(why: str) -> ProblemError:
    return ProblemError(503, "the server is busy", why, ["try again"], headers={"Retry-After": "2"})
