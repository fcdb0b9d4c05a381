"""Take the name of a line away; its commits stay.

What was forked from it goes on as it was, and `undo --op` gives the name back. The current line has to keep its name.

Example::

    zim forget kilwa-7/what-if
"""

from __future__ import annotations

from zimcli.command import placed
from zimcli.session import Session
from zimcore.documents.positions import PositionAnswer


@placed(__doc__)
def command(session: Session, place: str) -> PositionAnswer:
    """Forgets a name, and says where the current line stands."""
    position = session.service.forget(place, by=session.by, viewer=session.viewer)
    session.follow(place, position)
    return session.arrived(position)
