"""List what you have ordered ahead, and what has become of it.

With --back an order is taken back, by its number.

Example::

    zim orders kilwa-7 --as zulu
    zim orders kilwa-7 --back 3 --as zulu
"""

from __future__ import annotations

import click

from zimcli.command import placed
from zimcli.session import Session
from zimcore.documents.proceedings import OrdersAnswer


@placed(__doc__)
@click.option("--back", type=click.IntRange(0), metavar="NUMBER", help="Take that one back.")
def command(session: Session, place: str, back: int | None) -> OrdersAnswer:
    """Asks for them, or takes one back."""
    seat, service = session.seat or "", session.service
    if back is None:
        return service.orders(place, seat, session.viewer)
    return service.take_back_order(place, back, by=session.by, seat=seat, viewer=session.viewer)
