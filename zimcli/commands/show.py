"""Show a position: the move that made it, and the standings.

Example::

    zim show kilwa-7@r4
"""

from __future__ import annotations

from zimcli.command import placed
from zimcli.session import Session
from zimcore.documents.look import ShowAnswer
from zimcore.documents.positions import commit_document, position_document
from zimcore.documents.tables import table_documents


@placed(__doc__)
def command(session: Session, place: str) -> ShowAnswer:
    """A commit with its facts, and all tables of the position after it."""
    position = session.position(place)
    commit = commit_document(position.commit, position.game)
    turn = tuple(position.game.display.turn(position.state))
    recorded = session.service.recorded(f"{position.place}@{position.commit.digest}")
    return ShowAnswer(
        position_document(position), commit, position.figures, table_documents(position.tables), turn, recorded
    )
