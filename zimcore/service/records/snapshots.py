"""LineStates: the states along a line, each a fold of the commits from the start; some are cached.

A commit's digest covers everything before it, so a cached state is right for every line that has the commit: a fork
uses the cached states of its parent. A cached state never expires, as commits never change. No position is more than
`SNAPSHOT_INTERVAL` commits after a cached one.

In other words: memento.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

import msgspec

from event_store.line_history import Line, path_to
from zimcore.game import Event, Evolution

SNAPSHOT_INTERVAL = 50
"""Commits between two cached states."""


class SnapshotCache(msgspec.Struct, eq=False, weakref=True):
    """Cached by the digests of commits: states after each `SNAPSHOT_INTERVAL`th one, marks of all that were folded.

    All loaded lines of a match share one cache, which is freed with the last of them.
    """

    states: dict[bytes, Any] = {}
    marks_by_digest: dict[bytes, tuple[str, ...]] = {}


class LineStates:
    """The states of a line by the digest of their commit, folded from the nearest cached snapshot."""

    def __init__(self, evolution: Evolution, line: Line, cache: SnapshotCache | None = None) -> None:
        self.evolution = evolution
        self.line = line
        self.cache = cache or SnapshotCache()
        # Most moves are played and read at the head, so the next fold usually continues from the last one.
        self._last_fold: tuple[bytes, Any] = (b"", evolution.initial())

    def start_from(self, parent: LineStates) -> None:
        """Starts from the last state that was folded on the line that this one was forked from, if both have it."""
        if parent._last_fold[0] in self.line.commits:
            self._last_fold = parent._last_fold

    def state_copy_at(self, digest: bytes) -> Any:
        """A copy of the state after a commit, which the caller may change. Raises `DamagedError`."""
        return self.evolution.copy(self.state_at(digest))

    def state_at(self, digest: bytes) -> Any:
        """The state after a commit, not copied: it is cached, and must not be changed. Raises `DamagedError`."""
        unfolded_digests, nearest_state = self._nearest_snapshot(digest)
        if not unfolded_digests:
            return nearest_state
        state = self.evolution.copy(nearest_state)  # the cached one may still be read by a caller
        # Every replay runs through here, so lookups are kept out of the loop.
        evolve, marking_events, commits = self.evolution.evolve, self.evolution.MARKS, self.line.commits
        for number, commit_digest in enumerate(
            reversed(unfolded_digests), self.line.commit_numbers[unfolded_digests[-1]]
        ):
            marked_events: list[Event] = []
            # The first event is `Played`, which changes nothing.
            for event in cast("list[Event]", commits[commit_digest].events_after(1)):
                evolve(state, event)
                if type(event) in marking_events:
                    marked_events.append(event)
            self.cache.marks_by_digest[commit_digest] = (
                find_marks(self.evolution, marked_events, state) if marked_events else ()
            )
            if number % SNAPSHOT_INTERVAL == 0:
                self.cache.states[commit_digest] = self.evolution.copy(state)
        self._last_fold = (digest, state)
        return state

    def add_state(self, digest: bytes, events: tuple[Event, ...], state: Any) -> tuple[str, ...]:
        """Caches the state after a new commit (deciding has computed it) and returns the commit's marks."""
        marks = self.cache.marks_by_digest[digest] = find_marks(self.evolution, events, state)
        if self.line.commit_numbers[digest] % SNAPSHOT_INTERVAL == 0:
            self.cache.states[digest] = self.evolution.copy(state)
        self._last_fold = (digest, state)
        return marks

    def events_of(self, digest: bytes) -> tuple[Event, ...]:
        """The events of a commit, `Played` first. Raises `DamagedError`."""
        return cast("tuple[Event, ...]", self.line.commits[digest].events)

    def marks_of(self, digest: bytes) -> tuple[str, ...]:
        """The marks of a commit: names of the position after it, such as `r4` where round 4 begins."""
        if digest not in self.cache.marks_by_digest:
            self.state_copy_at(digest)  # folding finds the marks on the way
        return self.cache.marks_by_digest[digest]

    def digests_by_mark(self) -> dict[str, bytes]:
        """The commits on the path to the tip by their marks; if two have the same mark, the first."""
        self.state_copy_at(self.line.tip)  # one fold to the end, instead of one for each commit below
        digests_by_mark: dict[str, bytes] = {}
        for digest in path_to(self.line, self.line.tip):
            for mark in self.marks_of(digest):
                digests_by_mark.setdefault(mark, digest)
        return digests_by_mark

    def _nearest_snapshot(self, digest: bytes) -> tuple[list[bytes], Any]:
        """The commits from the nearest cached state to this one, newest first, and that state."""
        unfolded_digests: list[bytes] = []
        while digest and digest != self._last_fold[0] and digest not in self.cache.states:
            unfolded_digests.append(digest)
            digest = self.line.commits[digest].parent
        if digest == self._last_fold[0]:
            return unfolded_digests, self._last_fold[1]
        return unfolded_digests, self.cache.states[digest] if digest else self.evolution.initial()


def find_marks(evolution: Evolution, events: Iterable[Event], state: Any) -> tuple[str, ...]:
    """The marks of a commit, from its events and the state after it."""
    mark_functions = evolution.MARKS
    mark_names = [mark_functions[type(event)](event, state) for event in events if type(event) in mark_functions]
    return tuple([mark_name for mark_name in mark_names if mark_name])
