"""What was ordered ahead, and was played after a command of one's own."""

from __future__ import annotations

from collections.abc import Iterator

from zimcli.session import Session
from zimcore.commits import Position
from zimcore.service.places import parse_place

BY = "standing order of "
"""What stands before the name of who gave an order, where the log says who typed a command."""


def carried_out(session: Session, place: str, after: Position) -> Iterator[Position]:
    """The positions after what orders have played since a position at the head of a line."""
    head = session.head(place)
    if head.commit.digest == after.commit.digest or not head.commit.by.startswith(BY):
        return
    since = session.log(place)[after.commit.number + 1 :]
    if since and since[0].parent == after.commit.digest and all(each.by.startswith(BY) for each in since):
        for commit in since:
            position = session.position(f"{place}@{commit.digest}")
            session.saw(position)
            yield position


def seat_in(session: Session, place: str, text: str) -> tuple[str, str]:
    """Whose an order is, and its text: `zulu: bid up to 4`, or the seat that is played."""
    seat, colon, rest = text.partition(":")
    if colon and seat.strip() in session.head(parse_place(place).match).seats:
        return seat.strip(), rest.strip()
    return session.seat or "", text
