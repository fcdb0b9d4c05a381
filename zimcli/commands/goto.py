"""Go to a position of a line.

The head of the line moves there; what came after it stays in the line, and `goto @end` goes back to it.

Example::

    zim goto kilwa-7@r2
"""

from __future__ import annotations

from typing import Unpack

from zimcli.command import Asking, asking_options, placed
from zimcli.session import Session
from zimcore.documents.positions import PositionAnswer


@placed(__doc__)
@asking_options
def command(session: Session, place: str, **asked: Unpack[Asking]) -> PositionAnswer:
    """Moves the head to a place."""
    return session.arrived(session.service.goto(place, by=session.by, viewer=session.viewer, **asked))
