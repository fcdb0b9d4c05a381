"""Show the statistics of a game.

VP by round and by source, cattle spent and gained, and what every craftsman and card earned, up to a position. Where
the game was analysed (see `analyse`) also how well each has played.

Example::

    zim stats kilwa-7
"""

from __future__ import annotations

from zimcli.analyses import known
from zimcli.command import placed
from zimcli.session import Session
from zimcore.documents.analysis import accuracy_table
from zimcore.documents.look import StatisticsAnswer
from zimcore.documents.positions import position_document
from zimcore.documents.tables import table_documents


@placed(__doc__)
def command(session: Session, place: str) -> StatisticsAnswer:
    """Sums over the events up to a place."""
    position, commits = session.position(place), session.log(place)
    events = [event for commit in commits for event in commit.events]
    tables = [*position.game.questions.statistics(events)]
    if found := known(session, position.game, place, commits):
        from zimcore.analysis.answers import accuracy_documents

        tables.append(accuracy_table(accuracy_documents(found)))
    return StatisticsAnswer(position_document(position), table_documents(tables))
