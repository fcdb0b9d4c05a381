"""Replays commits: the state after each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from zimcore.commits import Commit
from zimcore.game import Game


def apply_commit(game: Game, state: Any, commit: Commit) -> None:
    """Applies a commit to a state."""
    for event in commit.events:
        game.evolution.evolve(state, event)


def states_after_commits(game: Game, commits: Sequence[Commit]) -> Iterator[tuple[Commit, Any]]:
    """Each commit, and the state after it. The state is changed in place for the next commit: copy it to keep it.

    The commits begin at the start, and each comes after its parent; there may be branches.
    """
    # Copies only the states from which several commits go on: to copy each would cost more than applying the events.
    branch_digests = {commit.parent for previous, commit in pairwise(commits) if commit.parent != previous.digest}
    branch_states = dict[str, Any]()
    current_digest, state = "", game.evolution.initial()
    for commit in commits:
        if commit.parent != current_digest:
            state = game.evolution.copy(branch_states[commit.parent])
        apply_commit(game, state, commit)
        current_digest = commit.digest
        if current_digest in branch_digests:
            branch_states[current_digest] = game.evolution.copy(state)
        yield commit, state


def final_state(game: Game, commits: Iterable[Commit]) -> Any:
    """The state after these commits, which begin at the start."""
    state = game.evolution.initial()
    for commit in commits:
        apply_commit(game, state, commit)
    return state
