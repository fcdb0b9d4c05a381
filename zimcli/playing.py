"""Playing commands of the game: at a place, one after the other, and telling what came of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from zimcli.errors import refused
from zimcli.session import Session
from zimcore.game import GameError, Refused, Seat
from zimcore.service import Position


def play(session: Session, place: str, texts: Sequence[str]) -> Iterator[Position]:
    """Plays commands at the head of a line; stops at the first that is refused, or when somebody else was faster."""
    expected = session.seen(place)
    for text in texts:
        answer = session.service.play(place, text, by=session.by, seat=session.seat, expected=expected)
        if isinstance(answer, Refused):
            raise refused(canonical(session, place, text), answer)
        session.saw(answer)
        expected = answer.commit.digest
        yield answer


def hidden_seat(session: Session, position: Position) -> Seat:
    """Who is to play, if it is somebody whose secrets whoever looks may not know; else ""."""
    rules, eyes = position.rules, session.eyes
    actor = rules.actor(position.state) or ""
    return actor if rules.secrets and eyes is not None and eyes != actor else ""


def note_hidden(session: Session, position: Position) -> None:
    """Says so where what is listed for who is to play hangs on cards that can't be seen."""
    if seat := hidden_seat(session, position):
        session.out.message(f"not all of {seat}'s cards can be seen: --as {seat} answers in full")


def canonical(session: Session, place: str, text: str) -> str:
    """The command as a log would write it, with its seat."""
    try:
        seat, command = session.service.parse(place, text)
    except GameError:
        return text
    canonical_text = session.service.position(place).rules.format(command)
    return f"{seat}: {canonical_text}" if seat else canonical_text
