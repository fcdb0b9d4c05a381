"""List what players have asked one another for.

Example::

    zim requests kilwa-7
"""

from __future__ import annotations

from zimcli.command import placed
from zimcli.session import Session
from zimcli.together import game_of
from zimcore.documents.proceedings import RequestsAnswer


@placed(__doc__)
def command(session: Session, place: str) -> RequestsAnswer:
    """All of them, first to last."""
    match = game_of(place)
    return RequestsAnswer(match, tuple(session.service.requests(match, session.viewer)))
