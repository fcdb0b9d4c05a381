"""Who plays the matches of an arena: processes of this machine (or others, see `cluster`), with the same results.

Matches go out in bundles, so that each takes a worker a tenth of a second at least, and a few ahead of what is waited
for; their results come in the order of the plan. A worker that is lost has its bundle played again, as every match
follows from its seating alone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager
from itertools import islice
from math import ceil
from multiprocessing import get_context
from types import TracebackType
from typing import Any, Protocol, TypeAlias

from zimcore.bots.arena import Result, Seating
from zimcore.game import GameError

LEAST = 0.1
"""Seconds that a bundle takes at least, but for the first ones."""
LARGEST = 500
"""Matches of a bundle at most."""
ATTEMPTS = 3
"""How often a bundle is played before it is given up."""

Bundle: TypeAlias = tuple[Seating, ...]
Playing: TypeAlias = Callable[[Bundle], list[Result]]
"""Plays a bundle; a function of a module, so that others find it too."""


class Workers(AbstractContextManager[Any], Protocol):
    """Those who play, until they are left."""

    @property
    def count(self) -> int:
        """How many there are."""
        ...

    def begin(self, bundle: Bundle) -> Any:
        """Has a bundle played, some time; what is given back asks for its results."""
        ...

    def results(self, begun: Any) -> list[Result]:
        """The results of a bundle, waited for. Raises `GameError` if its workers are lost again and again."""
        ...


def in_order(workers: Workers, planned: Iterable[Seating]) -> Iterator[Result]:
    """The results in the order of the plan."""
    rest, size, begun = iter(planned), 1, deque[Any]()
    while True:
        while len(begun) < 2 * workers.count and (bundle := tuple(islice(rest, size))):
            begun.append(workers.begin(bundle))
        if not begun:
            return
        results = workers.results(begun.popleft())
        size = bundled(results)
        yield from results


def bundled(results: Sequence[Result]) -> int:
    """How many matches like these make a bundle."""
    each = sum(sum(result.seconds.values()) for result in results) / len(results)
    return min(ceil(LEAST / each), LARGEST) if each > 0 else LARGEST


def lost(bundle: Bundle, what: object) -> GameError:
    """The error for workers that are lost again and again."""
    where = f"in match {bundle[0].number + 1} or one of the {len(bundle) - 1} after it" if len(bundle) > 1 else ""
    why = f"{where or f'in match {bundle[0].number + 1}'}, {ATTEMPTS} times: {what}"
    return GameError("the workers that play are lost", why, ["arena --workers 1"])


class Begun:
    """A bundle that a process plays."""

    def __init__(self, bundle: Bundle) -> None:
        self.bundle, self.attempts = bundle, 0
        self.future: Future[list[Result]]
        self.pool: ProcessPoolExecutor


class Processes:
    """Processes of this machine. A pool in which one was killed is replaced, and plays what is missing again."""

    def __init__(self, playing: Playing, count: int) -> None:
        self.playing, self.count = playing, count
        self.pool = self._pool()

    def _pool(self) -> ProcessPoolExecutor:
        return ProcessPoolExecutor(self.count, get_context("spawn"))

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.pool.shutdown(cancel_futures=True)

    def begin(self, bundle: Bundle) -> Begun:
        """Has a bundle played."""
        begun = Begun(bundle)
        self._submit(begun)
        return begun

    def _submit(self, begun: Begun) -> None:
        begun.attempts += 1
        try:
            begun.future = self.pool.submit(self.playing, begun.bundle)
        except BrokenProcessPool:  # somebody was killed between two bundles
            self.pool = self._pool()
            begun.future = self.pool.submit(self.playing, begun.bundle)
        begun.pool = self.pool

    def results(self, begun: Begun) -> list[Result]:
        """Its results. All bundles of a pool are lost with one process, and each comes here in its turn."""
        while True:
            try:
                return begun.future.result()
            except BrokenProcessPool as error:
                if begun.attempts >= ATTEMPTS:
                    raise lost(begun.bundle, error) from error
                if begun.pool is self.pool:
                    self.pool = self._pool()
                self._submit(begun)
