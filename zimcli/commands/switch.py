"""Make another line the current one.

It is yours alone: where you name a game and no line, that one is meant. With --as it holds at that seat, where you may
be on another line than without one. Nobody else is moved.

Example::

    zim switch kilwa-7/main
"""

from __future__ import annotations

from typing import Unpack

from zimcli.command import Asking, asking_options, placed
from zimcli.session import Session
from zimcore.documents.positions import PositionAnswer


@placed(__doc__)
@asking_options
def command(session: Session, place: str, **asked: Unpack[Asking]) -> PositionAnswer:
    """Goes to a line."""
    position = session.service.switch(place, by=session.by, viewer=session.viewer, **asked)
    session.enter(position)
    return session.arrived(position)
