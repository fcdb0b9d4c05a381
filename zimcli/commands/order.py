"""Order ahead what is to be played when your turn comes.

It is played at once then, by whoever plays the move before, and the log says that it was ordered. TEXT is a command of
the game, or several joined by `;`, or one of the orders that the game knows: `orders` lists them. Nobody else sees an
order; it can be taken back at any time, and one that can't be carried out lapses, which `orders` tells.

Example::

    zim order kilwa-7 "bid up to 4" --as zulu
"""

from __future__ import annotations

from zimcli.command import argument, id_option, placed
from zimcli.ordered import seat_in
from zimcli.session import Session
from zimcore.documents.proceedings import OrdersAnswer


@placed(__doc__)
@argument("text")
@id_option
def command(session: Session, place: str, text: str, command_id: str) -> OrdersAnswer:
    """Gives the order."""
    service = session.service
    seat, text = seat_in(session, place, text)
    answer = service.order(place, text, by=session.by, seat=seat, command_id=command_id, viewer=session.viewer)
    if session.place == place:
        session.saw(session.head(place))  # where it was due, it was played
    return answer
