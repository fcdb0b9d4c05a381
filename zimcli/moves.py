"""Plays commands of the game at a place, one after the other, and gives the position after each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from zimcli.errors import refused
from zimcli.session import Session
from zimcore.commits import Position
from zimcore.game import GameError, Refused, Seat
from zimcore.service.deciding import command_of


class Move(NamedTuple):
    """The position after a command, and what that has thrown away, if anything."""

    position: Position
    wasted: str


def play(
    session: Session, place: str, texts: Sequence[str], *, command_id: str = "", expected: str = ""
) -> Iterator[Move]:
    """Plays commands at the head of a line, up to the first that is refused or meets a conflict.

    Each is played on the head that the one before it has left: if somebody else plays in between, that is a conflict.
    With an id the same again plays none of them twice; of several, each has its number after it. A careful session asks
    once before it throws something away: it raises `UnsureError`.
    """
    head, texts = expected or session.seen(place), each_of(session, place, texts)
    for number, text in enumerate(texts):
        wasted = "" if command_id else thrown_away(session, place, text)
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
        yield Move(answer, wasted)


def thrown_away(session: Session, place: str, text: str) -> str:
    """What a command would throw away, which a careful session asks about first."""
    before = session.position(place)
    seat, command = command_of(before.game, before.state, text, session.seat)
    wasted = before.game.questions.waste(before.state, seat, command)
    if wasted:
        session.be_sure(f"{before.commit.digest} {text}", text, wasted)
    return wasted


def each_of(session: Session, place: str, texts: Sequence[str]) -> Sequence[str]:
    """The commands of the game in texts, some of which may be several with `;` between them."""
    if not any(";" in text for text in texts):
        return texts
    from zimcli.joined import commands_of

    notation = session.position(place).game.notation
    return [command for text in texts for command in commands_of(text, notation)] or texts


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
