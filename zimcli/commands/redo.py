"""Step forward again.

Example::

    zim redo kilwa-7
"""

from __future__ import annotations

import click

from zimcli.answers import arrived
from zimcli.command import placed
from zimcli.session import Session


@placed(__doc__)
@click.argument("steps", type=click.IntRange(1), default=1)
def command(session: Session, place: str, steps: int) -> None:
    """Moves the head forward over what was undone."""
    arrived(session, session.service.redo(place, steps, by=session.by, viewer=session.viewer))
