"""Many matches at a time: one call plays an action in each, in worker processes that share their arrays with you.

    with VectorEnv("africana", 64, players=2) as env:
        env.reset(seed=7)
        env.step(choose(env.observations, env.masks))

The matches of a row depend only on the seed, the row and your actions, not on the number of workers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from math import prod
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.shared_memory import SharedMemory
from random import Random
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from zimcore.envs.env_match import MAX_ACTIONS, EnvMatch, Setting
from zimcore.game import GameError

SEED_COUNT = 2**62


class MatchArrays(NamedTuple):
    """What all matches show, a row for each: see `VectorEnv`."""

    observations: npt.NDArray[np.float32]
    rewards: npt.NDArray[np.float32]
    players: npt.NDArray[np.int32]
    actions: npt.NDArray[np.int32]
    masks: npt.NDArray[np.int8]
    ended: npt.NDArray[np.bool_]

    def select_rows(self, rows: slice) -> MatchArrays:
        """Some of the rows, in the same memory."""
        parts: list[Any] = [array[rows] for array in self]
        return MatchArrays(*parts)


def row_types(setting: Setting) -> Sequence[tuple[type[np.generic], tuple[int, ...]]]:
    """For each of the arrays, the type of its numbers and the shape of a row."""
    dtypes = (np.float32, np.float32, np.int32, np.int32, np.int8, np.bool_)
    return tuple(
        zip(dtypes, ((setting.observation_size,), (setting.players,), (), (), (setting.action_count,), ()), strict=True)
    )


def arrays_in(memory: memoryview | bytearray | None, setting: Setting, count: int) -> MatchArrays:
    """The arrays of `count` matches, one after the other in `memory`."""
    arrays, offset = list[Any](), 0
    for dtype, shape in row_types(setting):
        arrays.append(np.ndarray((count, *shape), dtype, memory, offset))
        offset += arrays[-1].nbytes
    return MatchArrays(*arrays)


def size_in_bytes(setting: Setting, count: int) -> int:
    """The bytes that the arrays of `count` matches take."""
    return count * sum(np.dtype(dtype).itemsize * prod(shape) for dtype, shape in row_types(setting))


class MatchRows:
    """Plays the matches of some rows, and writes what they show into arrays."""

    def __init__(self, setting: Setting, rows: range, arrays: MatchArrays, observes: bool) -> None:
        self.setting, self.rows, self.arrays, self.observes = setting, rows, arrays, observes
        self.rngs = list[Random]()
        self.matches = list[EnvMatch]()

    def reset(self, seed: int) -> None:
        """Begins all matches anew."""
        self.rngs = [Random(f"{seed}/{row}") for row in self.rows]
        self.matches = [EnvMatch(self.setting, rng.randrange(SEED_COUNT)) for rng in self.rngs]
        self.arrays.rewards[:], self.arrays.ended[:] = 0, False
        for index in range(len(self.matches)):
            self.write_row(index)

    def step(self) -> None:
        """Plays the action of each row. Where that ends a match, the next one begins.

        Raises `GameError` for an action that is not in the mask.
        """
        for index, match in enumerate(self.matches):
            match.act(int(self.arrays.actions[index]))
            has_ended = match.player is None or match.is_truncated
            self.arrays.ended[index] = has_ended
            self.arrays.rewards[index] = match.returns() if has_ended else 0
            if has_ended:
                self.matches[index] = EnvMatch(self.setting, self.rngs[index].randrange(SEED_COUNT))
            self.write_row(index)

    def write_row(self, index: int) -> None:
        """Writes the observation, the mask and the player of a row."""
        match, player = self.matches[index], self.matches[index].player or 0
        self.arrays.players[index] = player
        self.arrays.masks[index] = self.setting.mask_array(match.mask)
        if self.observes:
            self.arrays.observations[index] = match.observe(player)


class VectorEnv:
    """Matches of a game, side by side. All arrays have a row for each match, and are the same objects after each call.

    The array `players` has the number of the seat to move; `observations` and `masks` are what that seat sees and may
    do. `ended` marks the matches that ended with this step: there `rewards` has the return of every seat (elsewhere
    0), and the row already shows the next match. With `workers=0` everything runs in this process; without `observes`
    the observations stay 0, which is faster. Raises `GameError` for wrong options.
    """

    def __init__(
        self,
        kind: str,
        count: int,
        players: int = 2,
        workers: int = 2,
        max_actions: int = MAX_ACTIONS,
        *,
        observes: bool = True,
        **options: str,
    ) -> None:
        if count < 1 or workers < 0:
            raise GameError(f"count={count}, workers={workers}", "count is 1 or more, and workers is 0 or more")
        self.setting, self.count = Setting(kind, players, options, max_actions), count
        size = size_in_bytes(self.setting, count)
        self._memory = SharedMemory(create=True, size=size) if workers else None
        self._arrays = arrays_in(self._memory.buf if self._memory else bytearray(size), self.setting, count)
        self.observations, self.rewards, self.players, _, self.masks, self.ended = self._arrays
        self._local_matches = None if workers else MatchRows(self.setting, range(count), self._arrays, observes)
        self._workers = [
            self._start_worker(number, min(workers, count), observes) for number in range(min(workers, count))
        ]

    def _start_worker(self, number: int, workers: int, observes: bool) -> Any:
        rows = range(number * self.count // workers, (number + 1) * self.count // workers)
        context, memory = get_context("spawn"), self._memory
        assert memory
        own_pipe, worker_pipe = context.Pipe()
        arguments = (worker_pipe, self.setting, self.count, rows, memory.name, observes)
        process = context.Process(target=run_worker, args=arguments, daemon=True)
        process.start()
        worker_pipe.close()
        return process, own_pipe

    def reset(self, seed: int) -> None:
        """Begins all matches anew."""
        self._run_matches(seed)

    def step(self, actions: npt.ArrayLike) -> None:
        """Plays an action in each match. Raises `GameError` for one that is not in the mask; call `reset` then."""
        self._arrays.actions[:] = actions
        self._run_matches(None)

    def _run_matches(self, seed: int | None) -> None:
        """Resets all matches with a seed or, for None, plays a step of each."""
        if self._local_matches:
            self._local_matches.step() if seed is None else self._local_matches.reset(seed)
        for _, pipe in self._workers:
            pipe.send(seed)
        problems = [pipe.recv() for _, pipe in self._workers]  # all, so that no answer is left for the next call
        for problem in filter(None, problems):
            raise problem

    def close(self) -> None:
        """Ends the workers. The arrays shared with them are gone then; with `workers=0` they stay."""
        for process, pipe in self._workers:
            pipe.close()
            process.join()
        self._workers = []
        if self._memory:
            del self.observations, self.rewards, self.players, self.masks, self.ended, self._arrays
            self._memory.close()
            self._memory.unlink()
            self._memory = None

    def __enter__(self) -> VectorEnv:
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def run_worker(pipe: Connection, setting: Setting, count: int, rows: range, memory_name: str, observes: bool) -> None:
    """Plays some rows in a process of its own, until the pipe is closed."""
    with attach_memory(memory_name) as memory:
        arrays = arrays_in(memory.buf, setting, count).select_rows(slice(rows.start, rows.stop))
        match_rows = MatchRows(setting, rows, arrays, observes)
        while True:
            try:
                seed = pipe.recv()
            except (EOFError, KeyboardInterrupt):
                break
            try:
                match_rows.step() if seed is None else match_rows.reset(seed)
                pipe.send(None)
            except GameError as error:
                pipe.send(error)
        del match_rows, arrays


@contextmanager
def attach_memory(name: str) -> Iterator[SharedMemory]:
    """Shared memory that another process has made, and will remove."""
    memory = SharedMemory(name)
    try:
        yield memory
    finally:
        memory.close()
