"""A line of play as the questions see it: its commits from the start, and the state after each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Protocol, TypeVar

from zimcore.game import Event, Game, Seat


class Commit(Protocol):
    """One accepted command with its facts, as far as it matters here."""

    @property
    def number(self) -> int:
        """The commands before it."""
        ...

    @property
    def digest(self) -> str:
        """The hex digest over it and all that came before."""
        ...

    @property
    def parent(self) -> str:
        """The digest of the commit that it builds on."""
        ...

    @property
    def seat(self) -> Seat:
        """Who played it; nobody a set-up."""
        ...

    @property
    def text(self) -> str:
        """The command in notation."""
        ...

    @property
    def events(self) -> Sequence[Event]:
        """All that was stored, `Played` first."""
        ...

    @property
    def marks(self) -> Sequence[str]:
        """The names of the positions that it ends in."""
        ...


AnyCommit = TypeVar("AnyCommit", bound=Commit)


def let_happen(rules: Game, state: Any, commit: Commit) -> None:
    """Lets a commit happen to a state."""
    for event in commit.events:
        rules.evolve(state, event)


def positions(rules: Game, commits: Sequence[AnyCommit]) -> Iterator[tuple[AnyCommit, Any]]:
    """Each commit and the state after it: one state, which goes on as the next is asked for.

    The commits begin at the start, and each comes after the one that it builds on: a way, or a line with branches.
    """
    branched = {commit.parent for before, commit in pairwise(commits) if commit.parent != before.digest}
    kept = dict[str, Any]()
    at, state = "", rules.initial()
    for commit in commits:
        if commit.parent != at:
            state = rules.copy(kept[commit.parent])
        let_happen(rules, state, commit)
        at = commit.digest
        if at in branched:
            kept[at] = rules.copy(state)
        yield commit, state


def end(rules: Game, commits: Iterable[AnyCommit]) -> Any:
    """The state after the last of the commits from the start."""
    state = rules.initial()
    for commit in commits:
        let_happen(rules, state, commit)
    return state
