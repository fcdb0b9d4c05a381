"""Plays commands of the game at a place, one after the other, and gives the position after each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from zimcli.errors import refused
from zimcli.session import Session
from zimcore.commits import Position
from zimcore.game import GameError, Refused, Seat


def play(
    session: Session, place: str, texts: Sequence[str], *, command_id: str = "", expected: str = ""
) -> Iterator[Position]:
    """Plays commands at the head of a line, up to the first that is refused or meets a conflict.

    Each is played on the head that the one before it has left: if somebody else plays in between, that is a conflict.
    With an id the same again plays none of them twice; of several, each has its number after it.
    """
    head = expected or session.seen(place)
    for number, text in enumerate(texts):
        answer = session.service.play(
            place,
            text,
            by=session.by,
            viewer=session.viewer,
            seat=session.seat,
            expected=head,
            command_id=f"{command_id}/{number}" if command_id and len(texts) > 1 else command_id,
        )
        if isinstance(answer, Refused):
            raise refused(canonical(session, place, text, session.seat), answer)
        session.saw(answer)
        head = answer.commit.digest
        yield answer


def unseen(position: Position, words: Sequence[str] = ()) -> Seat | None:
    """The seat named in the words, or else the one to move, if some of its cards are hidden: answers depend on them."""
    game, state = position.game, position.state
    seat = next((word for word in words if word in position.seats), position.actor or "")
    return seat if game.secrets and game.secrets.hides(state, seat) else None


def canonical(session: Session, place: str, text: str, seat: Seat | None = None) -> str:
    """The command as a log would write it, with its seat."""
    try:
        seat, command = session.service.parse(place, text, session.viewer, seat)
    except GameError:
        return text
    canonical_text = session.position(place).game.notation.format(command)
    return f"{seat}: {canonical_text}" if seat else canonical_text
