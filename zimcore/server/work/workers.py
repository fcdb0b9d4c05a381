"""Workers: threads, each with a store and a service of its own. A game always goes to the same worker of each kind.

Rules, SQL and search never run on the event loop that speaks HTTP: it asks only whether the store has changed. Moves
and questions have separate workers, so that a slow question delays no move. All moves of a game go through one worker
of the process, so they never race each other.
Requests take turns at a worker by the account that pays for them: see `fair_queue`.

The dispatcher (`dispatcher.py`) takes requests to them. In other words: worker thread.
"""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Any, Literal, NamedTuple, TypeAlias, TypeVar
from zlib import crc32

from event_store import EventStore, EventStoreError
from zimcore.game import GameError
from zimcore.server.wire.problem_responses import ProblemError
from zimcore.server.work.fair_queue import FairQueue, Payer
from zimcore.service import GameService

ResultT = TypeVar("ResultT")
OpenService: TypeAlias = Callable[[], GameService]
WorkKind: TypeAlias = Literal["moves", "questions"]

MAX_WAITING = 128
"""The most requests at one worker. One more, and the last one of the account with most waiting is refused."""
PATIENCE_SECONDS = 30.0
"""Seconds that a request waits for its answer. After that the work, if it has begun, still runs to its end."""
REST_AFTER_SECONDS = 0.004
"""A worker rests after a job that took more than so many seconds of the processor."""
MAX_REST_SECONDS = 0.05
"""The longest rest, in seconds."""
MAX_RETRY_SECONDS = 60
"""The most seconds that a refused client is asked to wait."""


class Job(NamedTuple):
    """Work that waits for its turn, and the future with its result."""

    work: Callable[[GameService], Any]
    result: Future[Any]


class Worker:
    """One thread with a service of its own, opened when first needed."""

    def __init__(self, open_service: OpenService, name: str) -> None:
        self._open_service = open_service
        self._pool = ThreadPoolExecutor(1, thread_name_prefix=name)
        self._thread_local = threading.local()
        # The lock guards everything below: jobs are added by the event loop and taken by the thread.
        self._jobs_changed = threading.Condition()
        self._queue = FairQueue[Job]()
        self._is_taking_jobs = False  # the thread takes jobs
        self._running_count = 0
        self._mean_seconds = 0.0
        self.worked_seconds = 0.0

    @property
    def waiting_count(self) -> int:
        """The number of requests that wait or are being answered."""
        return len(self._queue) + self._running_count

    async def run(self, work: Callable[[GameService], ResultT], payer: Payer, patience: float) -> ResultT:
        """Runs work with this worker's service, when it is the payer's turn.

        Raises what it raises; `ProblemError` 503 if the worker is busy or too slow.
        """
        job = Job(work, Future[Any]())
        self._add(payer, job)
        future = asyncio.wrap_future(job.result)
        # If the client has gone when the work fails, nobody else takes the exception, and asyncio would log it.
        future.add_done_callback(lambda finished_future: finished_future.cancelled() or finished_future.exception())
        try:
            async with asyncio.timeout(patience):
                # Shielded: a thread can't be stopped, so the job counts as running until it is done.
                result: ResultT = await asyncio.shield(future)
                return result
        except TimeoutError:
            job.result.cancel()  # if it has not begun
            raise busy_error(
                "the answer takes too long; a write repeated with its key is done only once", self._retry_after
            ) from None

    def _add(self, payer: Payer, job: Job) -> None:
        with self._jobs_changed:
            refused_job = self._queue.add(payer, job, MAX_WAITING - self._running_count)
            was_idle, self._is_taking_jobs = not self._is_taking_jobs, True
            self._jobs_changed.notify()
        if refused_job:
            refused_job.result.set_exception(busy_error("too much goes on at once", self._retry_after))
        if was_idle:
            self._pool.submit(self._take_turns)

    def _take_turns(self) -> None:
        """Runs jobs until none waits. The thread takes the next job itself: a detour over the event loop costs more."""
        while True:
            with self._jobs_changed:
                next_job = self._queue.next()
                self._is_taking_jobs, self._running_count = bool(next_job), int(bool(next_job))
            if next_job is None:
                return
            payer, job = next_job
            start_time, processor_start_time = time.perf_counter(), time.thread_time()
            publish_result = self._run_job(job)
            seconds, processor_seconds = time.perf_counter() - start_time, time.thread_time() - processor_start_time
            with self._jobs_changed:
                self._running_count = 0
                self._queue.charge(payer, seconds)
                self._mean_seconds += (seconds - self._mean_seconds) / 8
                self.worked_seconds += seconds
            publish_result()  # only now, so that a client who has an answer is not counted any more
            self._rest(payer.account, processor_seconds)

    def _rest(self, account: str, processor_seconds: float) -> None:
        """Rests for as long as the last job took, if only its account waits; a job of another account ends the rest.

        A thread that computes all the time takes the interpreter from the event loop and the other workers.
        """
        if processor_seconds <= REST_AFTER_SECONDS:
            return
        with self._jobs_changed:
            if self._queue.accounts == {account}:
                self._jobs_changed.wait_for(
                    lambda: self._queue.accounts != {account}, min(processor_seconds, MAX_REST_SECONDS)
                )

    def _run_job(self, job: Job) -> Callable[[], None]:
        """Runs a job; returns how to tell its result."""
        if not job.result.set_running_or_notify_cancel():
            return lambda: None
        try:
            service: GameService | None = getattr(self._thread_local, "service", None)
            if service is None:
                service = self._thread_local.service = self._open_service()
            with service.store.snapshot_read():
                return partial(job.result.set_result, job.work(service))
        except BaseException as error:
            if isinstance(error, (ProblemError, GameError)):
                # The frames of a traceback hold the job, and so the error: thousands of such cycles stop all threads
                # when they are collected. Only the traceback of a bug is logged.
                error.__traceback__ = None
            return partial(job.result.set_exception, error)

    @property
    def _retry_after(self) -> float:
        return self.waiting_count * self._mean_seconds

    def close(self) -> None:
        """Finishes waiting work, and closes the store."""

        def close_service() -> None:
            service: GameService | None = getattr(self._thread_local, "service", None)
            if service:
                service.store.close()

        self._pool.submit(close_service)
        self._pool.shutdown()


class WorkerPool:
    """The workers of a process."""

    def __init__(
        self,
        open_service: OpenService,
        move_workers: int = 2,
        question_workers: int = 2,
        patience: float = PATIENCE_SECONDS,
    ) -> None:
        self.patience = patience
        self._open_service = open_service
        self._watched_store: EventStore | None = None
        self._workers: dict[WorkKind, list[Worker]] = {
            "moves": [Worker(open_service, f"moves-{number}") for number in range(move_workers)],
            "questions": [Worker(open_service, f"questions-{number}") for number in range(question_workers)],
        }

    def store_version(self) -> object:
        """The version of the store, by a connection of the event loop; None if the database can't tell at once."""
        try:
            self._watched_store = self._watched_store or self._open_service().store
            return self._watched_store.version()
        except EventStoreError:  # a worker says what is wrong
            return None

    async def run(self, kind: WorkKind, game: str, work: Callable[[GameService], ResultT], payer: Payer) -> ResultT:
        """Runs work in the worker of a game, for a payer.

        Raises what it raises; `ProblemError` 503 if the worker is busy.
        """
        workers = self._workers[kind]
        return await workers[crc32(game.encode()) % len(workers)].run(work, payer, self.patience)

    @property
    def waiting_count(self) -> int:
        """The number of requests that wait or are being answered."""
        return sum(worker.waiting_count for workers in self._workers.values() for worker in workers)

    def worked_seconds(self) -> Mapping[str, float]:
        """The seconds for which workers of each kind have worked."""
        return {kind: sum(worker.worked_seconds for worker in workers) for kind, workers in self._workers.items()}

    def close(self) -> None:
        """Finishes waiting work, and closes the stores."""
        if self._watched_store:
            self._watched_store.close()
        for workers in self._workers.values():
            for worker in workers:
                worker.close()


def busy_error(why: str, retry_after: float) -> ProblemError:
    """The error 503: the server is busy, and may answer after so many seconds."""
    seconds = min(MAX_RETRY_SECONDS, max(1, math.ceil(retry_after)))
    return ProblemError(503, "the server is busy", why, ["try again"], headers={"Retry-After": str(seconds)})
