"""Studies: long questions, such as `compare`, are answered in processes of their own, so that they delay no move.

A thread would not do: Python runs one thread at a time, so a question of 100 ms delays all others. The processes begin
with the first question and have a lower priority. Accounts take turns (see `fair_queue`), with one question each at a
time; a question that is asked again before its answer is answered once. A process is killed if it takes too long, or
if no client waits for its answer any more; the next question begins a new one.

In other words: process pool, offloading, request coalescing.
"""

from __future__ import annotations

import asyncio
import os
import pickle
import sys
import time
from asyncio.subprocess import PIPE, Process
from contextlib import suppress

from zimcore.bots.frames import to_frame
from zimcore.server.wire.problem_responses import ProblemError
from zimcore.server.work.fair_queue import FairQueue, Payer
from zimcore.server.work.study_process import Question, StudyProblem, StudyReply, StudyResult, StudyUnavailable
from zimcore.server.work.workers import MAX_WAITING, busy_error

GIVE_UP_SECONDS = 1.0
"""Seconds that a process gets for an answer that no client waits for any more: a new one takes as long to begin."""
PROCESS_CODE = "from zimcore.server.work.study_process import main; main()"


class StudyProcess:
    """One process, begun at the first question. It answers one question at a time."""

    def __init__(self, store_address: str) -> None:
        self.store_address = store_address
        self.process: Process | None = None

    async def ask(self, pickled_question: bytes, patience: float) -> StudyResult:
        """The result of a pickled question. Raises `OSError`, `EOFError` if the process is lost, `TimeoutError`."""
        try:
            async with asyncio.timeout(patience):
                if self.process and self.process.returncode is not None:
                    await self.end()  # it was killed since its last answer
                process = self.process = self.process or await self._begin()
                assert process.stdin
                assert process.stdout
                process.stdin.write(to_frame(pickled_question))
                await process.stdin.drain()
                size = int.from_bytes(await process.stdout.readexactly(4), "big")
                result: StudyResult = pickle.loads(await process.stdout.readexactly(size))  # noqa: S301 - our own process
                return result
        except BaseException:  # an answer that comes later would be taken for that of the next question
            await self.end()
            raise

    async def _begin(self) -> Process:
        # A session of its own: Ctrl-C goes to the server only, which then ends the process.
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-P", "-c", PROCESS_CODE),
            stdin=PIPE,
            stdout=PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            start_new_session=True,
        )
        assert process.stdin
        process.stdin.write(to_frame(self.store_address.encode()))  # not an argument: it may have a password
        return process

    async def end(self) -> None:
        """Kills the process: it only reads."""
        process, self.process = self.process, None
        if process:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()


class OpenQuestion:
    """A question that waits or is being answered, and how many clients wait for it."""

    def __init__(self, pickled_question: bytes) -> None:
        self.pickled_question = pickled_question
        self.result: asyncio.Future[StudyResult] = asyncio.get_running_loop().create_future()
        self.task: asyncio.Task[None] | None = None
        self.client_count = 0

    def give_up(self) -> None:
        """Ends the question if no client waits for its answer, so that the next one gets its process."""
        if not self.client_count and not self.result.done():
            self.result.cancel()
            if self.task:
                self.task.cancel()


class Studies:
    """The processes for long questions about a store, and the questions that wait for them."""

    def __init__(self, store_address: str, process_count: int, patience: float) -> None:
        self.patience = patience
        self.worked_seconds = 0.0
        self._free_processes = [StudyProcess(store_address) for _ in range(process_count)]
        self._processes = tuple(self._free_processes)
        self._queue = FairQueue[OpenQuestion]()
        self._running_accounts = set[str]()
        self._open_questions = dict[bytes, OpenQuestion]()
        self._tasks = set[asyncio.Task[None]]()
        self._mean_seconds = 0.0

    @property
    def waiting_count(self) -> int:
        """The number of questions that wait or are being answered."""
        return len(self._queue) + len(self._running_accounts)

    @property
    def process_ids(self) -> list[int]:
        """The ids of the processes that have begun."""
        return [process.process.pid for process in self._processes if process.process]

    async def answer(self, question: Question, payer: Payer) -> StudyReply | StudyUnavailable:
        """The answer to a question, when it is the payer's turn; `StudyUnavailable` if a worker has to answer it.

        Raises `ProblemError`: that of the question, or 503 if the processes are busy or too slow.
        """
        open_question = self._ask_once(pickle.dumps(question), payer)
        open_question.client_count += 1
        try:
            async with asyncio.timeout(self.patience):
                result = await asyncio.shield(open_question.result)
        except TimeoutError:
            raise self._busy_error("the answer takes too long") from None
        finally:
            open_question.client_count -= 1
            if open_question.task:
                asyncio.get_running_loop().call_later(GIVE_UP_SECONDS, open_question.give_up)
            else:
                open_question.give_up()
        if isinstance(result, StudyProblem):
            raise ProblemError.from_problem(result.problem, result.headers)
        return result

    def _ask_once(self, pickled_question: bytes, payer: Payer) -> OpenQuestion:
        open_question = self._open_questions.get(pickled_question)
        if open_question is None or open_question.result.done():
            open_question = self._open_questions[pickled_question] = OpenQuestion(pickled_question)
            open_question.result.add_done_callback(lambda _: self._forget(open_question))
            refused_question = self._queue.add(payer, open_question, MAX_WAITING)
            if refused_question and not refused_question.result.done():
                refused_question.result.set_exception(self._busy_error("too many long questions are asked at once"))
            self._begin_next()
        return open_question

    def _forget(self, open_question: OpenQuestion) -> None:
        if not open_question.result.cancelled():
            open_question.result.exception()  # its clients may have gone: then no one else looks
        if self._open_questions.get(open_question.pickled_question) is open_question:
            del self._open_questions[open_question.pickled_question]

    def _begin_next(self) -> None:
        """Gives the free processes the questions whose turn it is."""
        while self._free_processes and (next_question := self._queue.next(self._running_accounts)):
            payer, open_question = next_question
            if open_question.result.done():
                continue
            self._running_accounts.add(payer.account)
            task = open_question.task = asyncio.create_task(self._run(self._free_processes.pop(), payer, open_question))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _run(self, process: StudyProcess, payer: Payer, open_question: OpenQuestion) -> None:
        start_time = time.perf_counter()
        try:
            open_question.result.set_result(await process.ask(open_question.pickled_question, self.patience))
        except TimeoutError:
            open_question.result.set_exception(self._busy_error("the answer takes too long"))
        except (OSError, EOFError):
            open_question.result.set_exception(self._busy_error("the process that looked for the answer is lost"))
        finally:
            open_question.result.cancel()  # if the server ends
            seconds = time.perf_counter() - start_time
            self.worked_seconds += seconds
            self._mean_seconds += (seconds - self._mean_seconds) / 8
            self._queue.charge(payer, seconds)
            self._running_accounts.discard(payer.account)
            self._free_processes.append(process)
            self._begin_next()

    def _busy_error(self, why: str) -> ProblemError:
        return busy_error(why, self.waiting_count * self._mean_seconds / len(self._processes))

    async def close(self) -> None:
        """Ends the processes. Questions without an answer are cancelled."""
        while self._queue.next():
            pass
        for task in [*self._tasks]:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for process in self._processes:
            await process.end()
