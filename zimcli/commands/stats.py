"""Show the statistics of a game.

VP by round and by source, cattle spent and gained, and what every craftsman and card earned, up to a position.

Example::

    zim stats kilwa-7
"""

from __future__ import annotations

from zimcli.asking import documents, tables
from zimcli.command import placed
from zimcli.documents import position_document
from zimcli.render.moves import place_line
from zimcli.session import Session


@placed(__doc__)
def command(session: Session, place: str) -> None:
    """Prints sums over the events up to a place."""
    position = session.service.position(place)
    events = [event for commit in session.service.log(place) for event in commit.events]
    found, view = position.rules.statistics(events), position.view()
    session.out.document({"position": position_document(position, view), "stats": documents(found)})
    session.out.lines([place_line(position, view)])
    tables(session, found, view.colours)
