"""The states along a line: each is a fold of the commits from the start, and some are kept.

A commit's digest stands for all that came before it, so that what is kept serves every line of a game: a fork begins
with the states of its past, and no position is further than `EVERY` commits from one that is kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, cast

import msgspec

from event_store.lines import Line, way
from zimcore.game import Event, Game

EVERY = 50
"""Commits between two states that are kept for good."""


class Kept(msgspec.Struct, eq=False, weakref=True):
    """What is kept of a game, by the digests of commits: states after some, marks of those that were gone through."""

    states: dict[bytes, Any] = {}
    marks: dict[bytes, tuple[str, ...]] = {}


class States:
    """The states of a line, by the digest of the commit that they follow."""

    def __init__(self, rules: Game, line: Line, kept: Kept | None = None) -> None:
        self.rules = rules
        self.line = line
        self.kept = kept or Kept()
        self._last: tuple[bytes, Any] = (b"", rules.initial())

    def at(self, digest: bytes) -> Any:
        """The state after a commit, a copy of one's own. Raises `DamagedError`."""
        missing, state = self._nearest(digest)
        commits, numbers, marks = self.line.commits, self.line.numbers, self.kept.marks
        for each in reversed(missing):
            marks[each] = let_happen(self.rules, state, commits[each].events)
            if numbers[each] % EVERY == 0:
                self.kept.states[each] = self.rules.copy(state)
        if missing:
            self._last = (digest, self.rules.copy(state))
        return state

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
        """The commits that lead from the nearest known state to this one, the last first, and a copy of that state."""
        missing: list[bytes] = []
        while digest and digest != self._last[0] and digest not in self.kept.states:
            missing.append(digest)
            digest = self.line.commits[digest].parent
        return missing, self.rules.copy(self._known(digest))

    def _known(self, digest: bytes) -> Any:
        if digest == self._last[0]:
            return self._last[1]
        return self.kept.states[digest] if digest else self.rules.initial()


def let_happen(rules: Game, state: Any, events: Iterable[Any]) -> tuple[str, ...]:
    """Lets events happen to a state; gives the marks that they set."""
    evolve, marks = rules.evolve, rules.marks
    names = []
    for event in events:
        evolve(state, event)
        if (kind := type(event)) in marks and (name := marks[kind](state)):
            names.append(name)
    return tuple(names)
