"""Answers as whoever looks may know them: None sees all, a seat what its player knows, "" what everybody does.

In a game without secrets all see everything, and what is answered stays as it is.
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from event_store.lines import is_on_way, way
from zimcore.game import Command, Game, GameError, Played, Refused, Seat, Secrets
from zimcore.service.answers import Commit, Position
from zimcore.service.open_lines import OpenLine

REDEAL = ("fork PLACE NAME --as SEAT --redeal",)


def seen_position(found: Position, eyes: Seat | None) -> Position:
    """A position, in which what the seat does not know is concealed."""
    if eyes is None or found.rules.secrets is None:
        return found
    commit, state = seen_commit(found.rules, found.commit, eyes), seen_state(found.rules, found.state, eyes)
    return replace(found, state=state, commit=commit)


def seen_state(rules: Game, state: Any, eyes: Seat | None) -> Any:
    """A state, in which what the seat does not know is concealed."""
    return state if eyes is None or rules.secrets is None else rules.secrets.conceal(state, eyes)


def seen_refusal(rules: Game, state: Any, seat: Seat, command: Command, refused: Refused, eyes: Seat | None) -> Refused:
    """Why a command is refused, as the seat may know it: nobody is to find out a hand by what can't be played."""
    if eyes is None or rules.secrets is None:
        return refused
    told = rules.decide(seen_state(rules, state, eyes), seat, command)
    return told if isinstance(told, Refused) else refused


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
        hints = [f"{what} ... --open", *REDEAL]
        raise GameError(f"{what} would show what is hidden in {rules.title}", "what it makes has the same cards", hints)


def check_going_back(found: OpenLine, target: bytes, eyes: Seat | None) -> None:
    """Raises `GameError` for one who does not see all, where a move that the head would go back over told somebody more
    than was known before it: a card that was drawn or turned over can't be put back.

    Who counts are those who look, and whoever made the move.
    """
    secrets = found.rules.secrets
    if secrets is None or eyes is None:
        return
    for digest in reversed(way(found.line, found.line.head)):
        if is_on_way(found.line, digest, target):
            return
        commit = found.commit(digest)
        if any(_taught(found, secrets, digest, seat) for seat in {eyes, commit.seat}):
            what = f"what @{commit.number} has shown can't be unseen: {commit.text}"
            raise GameError(what, "whoever went back would know more than before", ["undo --open", *REDEAL])


def _taught(found: OpenLine, secrets: Secrets, digest: bytes, seat: Seat) -> bool:
    """Whether a commit told a seat more than it could have worked out from what it knew before."""
    told = [secrets.redact(event, seat) for event in found.states.events(digest)]
    known = secrets.conceal(found.states.at(found.line.commits[digest].parent), seat)
    asked = told[0]
    assert isinstance(asked, Played)
    foreseen = found.rules.decide(known, asked.seat, asked.command)
    return isinstance(foreseen, Refused) or [*foreseen.events] != told[1:]
