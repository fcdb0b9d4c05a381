"""Runs long work in processes of this machine; module `cluster` does the same on many machines.

Tasks, such as the matches of an arena, are sent in bundles, a few more than the workers can start. Results come in the
order of the tasks. If a worker is lost its bundle runs again, with the same results.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager
from itertools import islice
from math import ceil
from multiprocessing.context import SpawnContext, SpawnProcess
from types import TracebackType
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from zimcore.bots.arena import MatchResult, Seating
from zimcore.game import GameError

MIN_BUNDLE_SECONDS = 0.1
"""The least seconds that a bundle takes, except for the first ones."""
MAX_BUNDLE_SIZE = 500
"""The most matches in a bundle."""
MAX_ATTEMPTS = 3
"""How often a bundle is tried before an error."""


class Labelled(Protocol):
    """A task with a name."""

    @property
    def label(self) -> str:
        """The task's name in errors: `match 3`."""
        ...


Task = TypeVar("Task", bound=Labelled)
ContravariantTask = TypeVar("ContravariantTask", bound=Labelled, contravariant=True)
TaskResult = TypeVar("TaskResult")
Bundle: TypeAlias = tuple[Task, ...]
RunBundle: TypeAlias = Callable[[Bundle[Task]], list[TaskResult]]
"""Runs a bundle; a module-level function, so that other processes can import it."""
MatchBundle: TypeAlias = Bundle[Seating]
PlayMatches: TypeAlias = RunBundle[Seating, MatchResult]
"""Plays a bundle of matches."""


class Pool(AbstractContextManager[Any], Protocol[ContravariantTask, TaskResult]):
    """A pool of workers, used as a context manager."""

    @property
    def worker_count(self) -> int:
        """The number of workers."""
        ...

    def begin(self, bundle: Bundle[ContravariantTask]) -> Any:
        """Starts a bundle, and returns a handle for `results`."""
        ...

    def results(self, running_bundle: Any) -> list[TaskResult]:
        """Waits for the results of a bundle. Raises `GameError` if its workers were lost `MAX_ATTEMPTS` times."""
        ...


def results_one_by_one(pool: Pool[Task, TaskResult], tasks: Iterable[Task]) -> Iterator[TaskResult]:
    """Yields results in the order of the tasks, one task a bundle: for tasks that take long."""
    return _results_in_order(pool, tasks, lambda _: 1)


def match_results_in_order(pool: Pool[Seating, MatchResult], seatings: Iterable[Seating]) -> Iterator[MatchResult]:
    """Yields results in the order of the matches, in bundles of a suitable size: a match can take very little time."""
    return _results_in_order(pool, seatings, bundle_size)


def _results_in_order(
    pool: Pool[Task, TaskResult], tasks: Iterable[Task], choose_size: Callable[[Sequence[TaskResult]], int]
) -> Iterator[TaskResult]:
    remaining_tasks, size, running_bundles = iter(tasks), 1, deque[Any]()
    while True:
        while len(running_bundles) < 2 * pool.worker_count and (bundle := tuple(islice(remaining_tasks, size))):
            running_bundles.append(pool.begin(bundle))
        if not running_bundles:
            return
        results = pool.results(running_bundles.popleft())
        size = choose_size(results)
        yield from results


def bundle_size(results: Sequence[MatchResult]) -> int:
    """How many matches to bundle next, by the time that these took."""
    seconds = sum(sum(result.seconds.values()) for result in results) / len(results)
    return min(ceil(MIN_BUNDLE_SECONDS / seconds), MAX_BUNDLE_SIZE) if seconds > 0 else MAX_BUNDLE_SIZE


def workers_lost_error(bundle: Bundle[Task], cause: object) -> GameError:
    """The error after `MAX_ATTEMPTS` lost workers."""
    other_tasks = f" or one of the {len(bundle) - 1} after it" if len(bundle) > 1 else ""
    why = f"in {bundle[0].label}{other_tasks}, {MAX_ATTEMPTS} times: {cause}"
    return GameError("the workers are lost", why, ["the same with --workers 1"])


class RunningBundle(Generic[Task, TaskResult]):
    """A bundle that a process is running."""

    def __init__(self, bundle: Bundle[Task]) -> None:
        self.bundle, self.attempts = bundle, 0
        self.future: Future[list[TaskResult]]
        self.executor: ProcessPoolExecutor


class TrackedProcesses(SpawnContext):
    """Starts processes and keeps a list of them: an executor of Python 3.11 can't end those that it has started."""

    def __init__(self) -> None:
        super().__init__()
        self.processes: list[SpawnProcess] = []

    def Process(self, *args: Any, **options: Any) -> SpawnProcess:  # type: ignore[override]  # noqa: N802
        """A new process, created for the executor."""
        process = SpawnProcess(*args, **options)
        self.processes.append(process)
        return process

    def terminate_all(self) -> None:
        """Ends the processes that still run."""
        for process in self.processes:
            if process.is_alive():
                process.terminate()


class ProcessPool(Generic[Task, TaskResult]):
    """Processes of this machine.

    If one is killed, a new pool replaces the broken one and runs the missing bundles again.

    If you leave the pool early, because of an error or because you need no more results, its processes end at once.
    """

    def __init__(self, run_bundle: RunBundle[Task, TaskResult], worker_count: int) -> None:
        self.run_bundle, self.worker_count, self.processes = run_bundle, worker_count, TrackedProcesses()
        self.executor = self._make_executor()

    def _make_executor(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self.worker_count, self.processes)

    def __enter__(self) -> ProcessPool[Task, TaskResult]:
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if error_type:
            # Do this before the shutdown, which would wait until the running bundles are finished.
            self.processes.terminate_all()
        self.executor.shutdown(cancel_futures=True)

    def begin(self, bundle: Bundle[Task]) -> RunningBundle[Task, TaskResult]:
        """Starts a bundle."""
        running_bundle = RunningBundle[Task, TaskResult](bundle)
        self._submit(running_bundle)
        return running_bundle

    def _submit(self, running_bundle: RunningBundle[Task, TaskResult]) -> None:
        running_bundle.attempts += 1
        try:
            running_bundle.future = self.executor.submit(self.run_bundle, running_bundle.bundle)
        except BrokenProcessPool:  # a process was killed between two bundles
            self.executor = self._make_executor()
            running_bundle.future = self.executor.submit(self.run_bundle, running_bundle.bundle)
        running_bundle.executor = self.executor

    def results(self, running_bundle: RunningBundle[Task, TaskResult]) -> list[TaskResult]:
        """Waits for the results of a bundle.

        One killed process loses all bundles of its pool; each is started again here.
        """
        while True:
            try:
                return running_bundle.future.result()
            except BrokenProcessPool as error:
                if running_bundle.attempts >= MAX_ATTEMPTS:
                    raise workers_lost_error(running_bundle.bundle, error) from error
                if running_bundle.executor is self.executor:
                    self.executor = self._make_executor()
                self._submit(running_bundle)
