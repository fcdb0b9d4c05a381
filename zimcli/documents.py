"""The documents of `--json`: stable shapes, made of what the service gives."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from zimcore.service import Commit, Position


def position_document(position: Position) -> dict[str, Any]:
    """Where: `game`, `line`, `number`, `digest`, `state` (its digest), `marks`; and `actor`, `over`, `status`."""
    commit = position.commit
    return {
        "game": position.match,
        "line": position.line,
        "number": commit.number,
        "digest": commit.digest,
        "state": commit.state,
        "marks": commit.marks,
        "actor": position.actor,
        "over": position.outcome.over,
        "status": position.status,
    }


def commits_document(commits: Iterable[Commit]) -> list[Any]:
    """Commits with all that they hold, the events in the form in which they are stored."""
    return [msgspec.to_builtins(commit) for commit in commits]
