"""Make another line the current one.

Example::

    zim switch kilwa-7/main
"""

from __future__ import annotations

from zimcli.command import placed
from zimcli.session import Session
from zimcore.documents.positions import PositionAnswer


@placed(__doc__)
def command(session: Session, place: str) -> PositionAnswer:
    """Goes to a line."""
    position = session.service.switch(place, by=session.by, viewer=session.viewer)
    session.enter(position)
    return session.arrived(position)
