"""List the lines of a game.

Example::

    zim lines kilwa-7
"""

from __future__ import annotations

from zimcli.command import placed
from zimcli.session import Session
from zimcore.documents.keep import LinesAnswer


@placed(__doc__)
def command(session: Session, place: str) -> LinesAnswer:
    """The lines of play of a game."""
    return LinesAnswer(tuple(session.service.lines(place, session.viewer, by=session.by)))
