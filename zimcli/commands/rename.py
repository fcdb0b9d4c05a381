"""Give a line another name.

Example::

    zim rename kilwa-7/what-if eshu
"""

from __future__ import annotations

from typing import Unpack

from zimcli.command import Asking, argument, asking_options, placed
from zimcli.session import Session
from zimcore.documents.positions import PositionAnswer


@placed(__doc__)
@argument("name")
@asking_options
def command(session: Session, place: str, name: str, **asked: Unpack[Asking]) -> PositionAnswer:
    """Renames a line."""
    position = session.service.rename(place, name, by=session.by, viewer=session.viewer, **asked)
    session.follow(place, position)
    return session.arrived(position)
