"""Show a position: the move that made it, and the standings.

Example::

    zim show kilwa-7@r4
"""

from __future__ import annotations

from zimcli.command import place_command
from zimcli.session import Session
from zimcore.documents.look import ShowAnswer, show_answer


@place_command(__doc__)
def command(session: Session, place: str) -> ShowAnswer:
    """A commit with its facts, and all tables of the position after it."""
    position = session.position(place)
    return show_answer(position, session.service.recorded_deviation(f"{position.place}@{position.commit.digest}"))
