"""The commands for standing orders, which Zim plays when a seat's turn comes."""

from __future__ import annotations

import click

from zimcli.session.command import argument, id_option, place_command
from zimcli.session.session import Session
from zimcore.documents.discussion import OrdersAnswer
from zimcore.service.records.places import parse_place


@place_command()
@argument("text")
@id_option
def order(session: Session, place: str, text: str, command_id: str) -> OrdersAnswer:
    """Give a standing order, to be played when your turn comes.

    Zim plays it at once when your turn comes, and the log marks it as ordered. TEXT is a command of the game, several
    joined by `;`, or one of the game's standing orders, which `orders` lists. Only you see your orders, and you can
    take them back at any time. An order that can't be carried out lapses; `orders` shows that too.

    Example::

        zim order kilwa-7 "bid up to 4" --as zulu
    """
    service = session.service
    seat, text = split_seat(session, place, text)
    answer = service.order(place, text, by=session.by, seat=seat, command_id=command_id, viewer=session.viewer)
    if session.place == place:
        session.record_head(session.head(place))  # it is played at once if it is that seat's turn
    return answer


@place_command()
@click.option("--back", "order_number", type=click.IntRange(0), metavar="NUMBER", help="Take this order back.")
def orders(session: Session, place: str, order_number: int | None) -> OrdersAnswer:
    """List your standing orders, and what became of them.

    --back takes an order back, by its number.

    Example::

        zim orders kilwa-7 --as zulu
        zim orders kilwa-7 --back 3 --as zulu
    """
    seat, service = session.seat or session.viewer.seat or "", session.service
    if order_number is None:
        return service.orders(place, seat, session.viewer)
    return service.take_back_order(place, order_number, by=session.by, seat=seat, viewer=session.viewer)


def split_seat(session: Session, place: str, text: str) -> tuple[str, str]:
    """The seat and the text of an order: `zulu: bid up to 4`. Without a seat in it, the seat of --as."""
    seat, colon, order_text = text.partition(":")
    if colon and seat.strip() in session.head(parse_place(place).match).seats:
        return seat.strip(), order_text.strip()
    return session.seat or session.viewer.seat or "", text
