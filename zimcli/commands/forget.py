"""Take the name of a line away; its commits stay.

What was forked from it goes on as it was, and `undo --op` gives the name back. A line that is somebody's current one
has to keep its name, and the one that the game began with, where all are who have gone to no other.

Example::

    zim forget kilwa-7/what-if
"""

from __future__ import annotations

from typing import Unpack

from zimcli.command import Asking, asking_options, placed
from zimcli.session import Session
from zimcore.documents.positions import PositionAnswer


@placed(__doc__)
@asking_options
def command(session: Session, place: str, **asked: Unpack[Asking]) -> PositionAnswer:
    """Forgets a name, and says where the current line stands."""
    position = session.service.forget(place, by=session.by, viewer=session.viewer, **asked)
    session.follow(place, position)
    return session.arrived(position)
