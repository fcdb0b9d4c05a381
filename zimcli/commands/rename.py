"""Give a line another name.

Example::

    zim rename kilwa-7/what-if eshu
"""

from __future__ import annotations

from zimcli.command import argument, placed
from zimcli.session import Session
from zimcore.documents.positions import PositionAnswer


@placed(__doc__)
@argument("name")
def command(session: Session, place: str, name: str) -> PositionAnswer:
    """Renames a line."""
    position = session.service.rename(place, name, by=session.by, viewer=session.viewer)
    session.follow(place, position)
    return session.arrived(position)
