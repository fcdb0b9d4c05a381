"""Answers as whoever looks may know them: None sees all, a seat what its player knows, "" what everybody does.

In a game without secrets all see everything, and what is answered stays as it is.
"""

from __future__ import annotations

from msgspec.structs import replace

from zimcore.game import Game, GameError, Seat
from zimcore.service.answers import Commit, Position


def seen_position(found: Position, eyes: Seat | None) -> Position:
    """A position, in which what the seat does not know is concealed."""
    secrets = found.rules.secrets
    if eyes is None or secrets is None:
        return found
    commit = seen_commit(found.rules, found.commit, eyes)
    return replace(found, state=secrets.conceal(found.state, eyes), commit=commit)


def seen_commit(rules: Game, commit: Commit, eyes: Seat | None) -> Commit:
    """A commit with its facts as the seat was told them."""
    secrets = rules.secrets
    if eyes is None or secrets is None:
        return commit
    events = tuple(secrets.redact(event, eyes) for event in commit.events)
    return replace(commit, events=events, summary=rules.summary(events))


def check_no_peeking(rules: Game, eyes: Seat | None, what: str) -> None:
    """Raises `GameError` for one who does not see all, where something would show more, now or by playing on."""
    if rules.secrets and eyes is not None:
        hints = [f"{what} --open", "fork PLACE NAME --as SEAT --redeal"]
        raise GameError(f"{what} would show what is hidden in {rules.title}", "what it makes has the same cards", hints)
