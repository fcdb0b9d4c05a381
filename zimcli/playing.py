"""Playing commands of the game: at a place, one after the other, and telling what came of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from zimcli.errors import refused
from zimcli.session import Session
from zimcore.game import GameError, Refused
from zimcore.service import Position


def play(session: Session, place: str, texts: Sequence[str]) -> Iterator[Position]:
    """Plays commands at the head of a line; stops at the first that is refused, or when somebody else was faster."""
    expected = session.seen(place)
    for text in texts:
        answer = session.service.play(
            place, text, by=session.by, viewer=session.viewer, seat=session.seat, expected=expected
        )
        if isinstance(answer, Refused):
            raise refused(canonical(session, place, text), answer)
        session.saw(answer)
        expected = answer.commit.digest
        yield answer


def note_hidden(session: Session, position: Position, words: Sequence[str] = ()) -> None:
    """Says so where an answer about the seat among the words, or about who is to play, hangs on what can't be seen."""
    game, state = position.game, position.state
    seat = next((word for word in words if word in position.seats), position.actor or "")
    if game.secrets and game.secrets.hides(state, seat):
        session.out.message(f"not all of {seat}'s cards can be seen: --as {seat} answers in full")


def canonical(session: Session, place: str, text: str) -> str:
    """The command as a log would write it, with its seat."""
    try:
        seat, command = session.service.parse(place, text, session.viewer)
    except GameError:
        return text
    canonical_text = session.position(place).game.notation.format(command)
    return f"{seat}: {canonical_text}" if seat else canonical_text
