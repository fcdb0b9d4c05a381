"""The states along a line: each is a fold of the commits from the start, and some are kept.

A commit's digest stands for all that came before it, so that what is kept serves every line of a game: a fork begins
with the states of its past, and no position is further than `EVERY` commits from one that is kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

import msgspec

from event_store.lines import Line, way
from zimcore.game import Event, Evolution

EVERY = 50
"""Commits between two states that are kept for good."""


class Kept(msgspec.Struct, eq=False, weakref=True):
    """What is kept of a game, by the digests of commits: states after some, marks of those that were gone through."""

    states: dict[bytes, Any] = {}
    marks: dict[bytes, tuple[str, ...]] = {}


class States:
    """The states of a line, by the digest of the commit that they follow."""

    def __init__(self, evolution: Evolution, line: Line, kept: Kept | None = None) -> None:
        self.evolution = evolution
        self.line = line
        self.kept = kept or Kept()
        self._last: tuple[bytes, Any] = (b"", evolution.initial())

    def at(self, digest: bytes) -> Any:
        """The state after a commit, a copy of one's own. Raises `DamagedError`."""
        return self.evolution.copy(self.known(digest))

    def known(self, digest: bytes) -> Any:
        """The same state, for those who change nothing: it is the one that is kept. Raises `DamagedError`."""
        missing, known = self._nearest(digest)
        if not missing:
            return known
        state = self.evolution.copy(known)
        evolve, marks = self.evolution.evolve, self.kept.marks  # every replay goes through here
        for each in reversed(missing):
            events = self.events(each)
            for event in events:
                evolve(state, event)
            marks[each] = marks_of(self.evolution, events, state)
            if self.line.numbers[each] % EVERY == 0:
                self.kept.states[each] = self.evolution.copy(state)
        self._last = (digest, state)
        return state

    def played(self, digest: bytes, events: tuple[Event, ...], state: Any) -> tuple[str, ...]:
        """Takes note of a commit that was just made, with the state that deciding it has led to; gives its marks."""
        marks = self.kept.marks[digest] = marks_of(self.evolution, events, state)
        if self.line.numbers[digest] % EVERY == 0:
            self.kept.states[digest] = self.evolution.copy(state)
        self._last = (digest, state)
        return marks

    def events(self, digest: bytes) -> tuple[Event, ...]:
        """What was stored in a commit, `Played` first. Raises `DamagedError`."""
        return cast("tuple[Event, ...]", self.line.commits[digest].events)

    def marks_of(self, digest: bytes) -> tuple[str, ...]:
        """The names of the positions that a commit ends in."""
        if digest not in self.kept.marks:
            self.at(digest)
        return self.kept.marks[digest]

    def marks(self) -> dict[str, bytes]:
        """The commits that have a mark, on the way to the tip; of two with the same the first."""
        self.at(self.line.tip)
        found: dict[str, bytes] = {}
        for digest in way(self.line, self.line.tip):
            for mark in self.marks_of(digest):
                found.setdefault(mark, digest)
        return found

    def _nearest(self, digest: bytes) -> tuple[list[bytes], Any]:
        """The commits that lead from the nearest known state to this one, the last first, and that state."""
        missing: list[bytes] = []
        while digest and digest != self._last[0] and digest not in self.kept.states:
            missing.append(digest)
            digest = self.line.commits[digest].parent
        if digest == self._last[0]:
            return missing, self._last[1]
        return missing, self.kept.states[digest] if digest else self.evolution.initial()


def marks_of(evolution: Evolution, events: Iterable[Event], state: Any) -> tuple[str, ...]:
    """The names of the positions that a commit ends in, from its events and the state after it."""
    marks = evolution.MARKS
    names = [marks[type(event)](event, state) for event in events if type(event) in marks]
    return tuple([name for name in names if name])
