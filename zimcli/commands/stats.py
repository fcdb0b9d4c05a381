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
    position = session.position(place)
    events = [event for commit in session.log(place) for event in commit.events]
    found = position.game.questions.statistics(events)
    session.out.document({"position": position_document(position), "stats": documents(found)})
    session.out.lines([place_line(position)])
    tables(session, found, position.colours)
