"""Step forward again.

Example::

    zim redo kilwa-7
"""

from __future__ import annotations

from typing import Unpack

import click

from zimcli.command import Asking, argument, asking_options, placed
from zimcli.session import Session
from zimcore.documents.positions import PositionAnswer


@placed(__doc__)
@argument("steps", type=click.IntRange(1), default=1)
@asking_options
def command(session: Session, place: str, steps: int, **asked: Unpack[Asking]) -> PositionAnswer:
    """Moves the head forward over what was undone."""
    return session.arrived(session.service.redo(place, steps, by=session.by, viewer=session.viewer, **asked))
