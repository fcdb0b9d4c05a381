"""What is ordered ahead, to be played when one's turn comes."""

from __future__ import annotations

import click

from zimcli.command import argument, id_option, place_command
from zimcli.session import Session
from zimcore.documents.discussion import OrdersAnswer
from zimcore.service.places import parse_place


@place_command()
@argument("text")
@id_option
def order(session: Session, place: str, text: str, command_id: str) -> OrdersAnswer:
    """Order ahead what is to be played when your turn comes.

    It is played at once then, by whoever plays the move before, and the log says that it was ordered. TEXT is a command
    of the game, or several joined by `;`, or one of the orders that the game knows: `orders` lists them. Nobody else
    sees an order; it can be taken back at any time, and one that can't be carried out lapses, which `orders` tells.

    Example::

        zim order kilwa-7 "bid up to 4" --as zulu
    """
    service = session.service
    seat, text = seat_in(session, place, text)
    answer = service.order(place, text, by=session.by, seat=seat, command_id=command_id, viewer=session.viewer)
    if session.place == place:
        session.saw(session.head(place))  # where it was due, it was played
    return answer


@place_command()
@click.option("--back", type=click.IntRange(0), metavar="NUMBER", help="Take that one back.")
def orders(session: Session, place: str, back: int | None) -> OrdersAnswer:
    """List what you have ordered ahead, and what has become of it.

    With --back an order is taken back, by its number.

    Example::

        zim orders kilwa-7 --as zulu
        zim orders kilwa-7 --back 3 --as zulu
    """
    seat, service = session.seat or "", session.service
    if back is None:
        return service.orders(place, seat, session.viewer)
    return service.take_back_order(place, back, by=session.by, seat=seat, viewer=session.viewer)


def seat_in(session: Session, place: str, text: str) -> tuple[str, str]:
    """Whose an order is, and its text: `zulu: bid up to 4`, or the seat that is played."""
    seat, colon, rest = text.partition(":")
    if colon and seat.strip() in session.head(parse_place(place).match).seats:
        return seat.strip(), rest.strip()
    return session.seat or "", text
