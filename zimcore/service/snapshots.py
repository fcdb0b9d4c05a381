"""Snapshots: the states along a line, each a fold of the commits from the start; some are cached.

A commit's digest covers all that came before it, so that a cached state is right for every line that has the commit: a
fork begins with the cached states of its past. It never has to be invalidated, as commits never change. No position is
further than `EVERY` commits from a cached one.

In other words: memento.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

import msgspec

from event_store.line_history import Line, way
from zimcore.game import Event, Evolution

SNAPSHOT_INTERVAL = 50
"""Commits between two cached states."""


class SnapshotCache(msgspec.Struct, eq=False, weakref=True):
    """Cached by the digests of commits: states after every `EVERY`th one, marks of all that were folded.

    All open lines of a match share one. It is gone when the last of them is closed.
    """

    states: dict[bytes, Any] = {}
    marks: dict[bytes, tuple[str, ...]] = {}


class Snapshots:
    """The states of a line by the digest of their commit, folded from the nearest cached snapshot."""

    def __init__(self, evolution: Evolution, line: Line, cache: SnapshotCache | None = None) -> None:
        self.evolution = evolution
        self.line = line
        self.cache = cache or SnapshotCache()
        # Moves are mostly played and read at the head: the newest fold is where the next one goes on.
        self._last: tuple[bytes, Any] = (b"", evolution.initial())

    def at(self, digest: bytes) -> Any:
        """A copy of the state after a commit, which the caller may change. Raises `DamagedError`."""
        return self.evolution.copy(self.state_at(digest))

    def state_at(self, digest: bytes) -> Any:
        """The state after a commit, not copied: it is cached, and must not be changed. Raises `DamagedError`."""
        missing, known = self._nearest_snapshot(digest)
        if not missing:
            return known
        state = self.evolution.copy(known)  # `known` is cached, and may be the state that a caller still reads
        # Every replay goes through here: what is looked up for each event is looked up before.
        evolve, marking, commits = self.evolution.evolve, self.evolution.MARKS, self.line.commits
        for number, each in enumerate(reversed(missing), self.line.numbers[missing[-1]]):
            marked: list[Event] = []
            for event in cast("list[Event]", commits[each].after(1)):  # the first is `Played`, which changes nothing
                evolve(state, event)
                if type(event) in marking:
                    marked.append(event)
            self.cache.marks[each] = marks_of(self.evolution, marked, state) if marked else ()
            if number % SNAPSHOT_INTERVAL == 0:
                self.cache.states[each] = self.evolution.copy(state)
        self._last = (digest, state)
        return state

    def add_state(self, digest: bytes, events: tuple[Event, ...], state: Any) -> tuple[str, ...]:
        """Caches the state after a commit that was just made, as deciding it has left it; gives the commit's marks."""
        marks = self.cache.marks[digest] = marks_of(self.evolution, events, state)
        if self.line.numbers[digest] % SNAPSHOT_INTERVAL == 0:
            self.cache.states[digest] = self.evolution.copy(state)
        self._last = (digest, state)
        return marks

    def events(self, digest: bytes) -> tuple[Event, ...]:
        """What was stored in a commit, `Played` first. Raises `DamagedError`."""
        return cast("tuple[Event, ...]", self.line.commits[digest].events)

    def marks_of(self, digest: bytes) -> tuple[str, ...]:
        """The names of the positions that a commit ends in."""
        if digest not in self.cache.marks:
            self.at(digest)  # folding finds the marks on the way
        return self.cache.marks[digest]

    def marks(self) -> dict[str, bytes]:
        """The commits with a mark, on the way to the tip; if two have the same mark, the first."""
        self.at(self.line.tip)  # one fold to the end, instead of one for each commit below
        found: dict[str, bytes] = {}
        for digest in way(self.line, self.line.tip):
            for mark in self.marks_of(digest):
                found.setdefault(mark, digest)
        return found

    def _nearest_snapshot(self, digest: bytes) -> tuple[list[bytes], Any]:
        """The nearest cached state before a commit, and the commits from there to this one, the last first."""
        missing: list[bytes] = []
        while digest and digest != self._last[0] and digest not in self.cache.states:
            missing.append(digest)
            digest = self.line.commits[digest].parent
        if digest == self._last[0]:
            return missing, self._last[1]
        return missing, self.cache.states[digest] if digest else self.evolution.initial()


def marks_of(evolution: Evolution, events: Iterable[Event], state: Any) -> tuple[str, ...]:
    """The names of the positions that a commit ends in, from its events and the state after it."""
    marks = evolution.MARKS
    names = [marks[type(event)](event, state) for event in events if type(event) in marks]
    return tuple([name for name in names if name])
