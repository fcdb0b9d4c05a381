"""Step forward again.

Example::

    zim redo kilwa-7
"""

from __future__ import annotations

import click

from zimcli.command import argument, placed
from zimcli.session import Session
from zimcore.documents.positions import PositionAnswer


@placed(__doc__)
@argument("steps", type=click.IntRange(1), default=1)
def command(session: Session, place: str, steps: int) -> PositionAnswer:
    """Moves the head forward over what was undone."""
    return session.arrived(session.service.redo(place, steps, by=session.by, viewer=session.viewer))
