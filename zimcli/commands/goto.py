"""Go to a position of a line.

The head of the line moves there; what came after it stays in the line, and `goto @end` goes back to it.

Example::

    zim goto kilwa-7@r2
"""

from __future__ import annotations

from zimcli.answers import arrived
from zimcli.command import placed
from zimcli.session import Session


@placed(__doc__)
def command(session: Session, place: str) -> None:
    """Moves the head to a place."""
    arrived(session, session.service.goto(place, by=session.by, viewer=session.viewer))
