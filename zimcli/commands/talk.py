"""List what was said around a game, with your own notes.

Example::

    zim talk kilwa-7
"""

from __future__ import annotations

from zimcli.command import placed
from zimcli.session import Session
from zimcli.together import game_of
from zimcore.documents.proceedings import TalkAnswer


@placed(__doc__)
def command(session: Session, place: str) -> TalkAnswer:
    """All of it, first to last."""
    match = game_of(place)
    return TalkAnswer(match, tuple(session.service.talk(match, by=session.by, viewer=session.viewer)))
