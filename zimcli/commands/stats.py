"""Show the statistics of a game.

VP by round and by source, cattle spent and gained, and what every craftsman and card earned, up to a position.

Example::

    zim stats kilwa-7
"""

from __future__ import annotations

from zimcli.command import placed
from zimcli.session import Session
from zimcore.documents.look import StatisticsAnswer
from zimcore.documents.positions import position_document
from zimcore.documents.tables import table_documents


@placed(__doc__)
def command(session: Session, place: str) -> StatisticsAnswer:
    """Sums over the events up to a place."""
    position = session.position(place)
    events = [event for commit in session.log(place) for event in commit.events]
    return StatisticsAnswer(position_document(position), table_documents(position.game.questions.statistics(events)))
