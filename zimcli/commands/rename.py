"""Give a line another name.

On a server a line of your own is seen by nobody else; with --share everybody in the game sees it from then on.

Example::

    zim rename kilwa-7/what-if eshu
"""

from __future__ import annotations

from typing import Unpack

import click

from zimcli.command import Asking, argument, asking_options, placed
from zimcli.session import Session
from zimcli.together import server
from zimcore.documents.positions import PositionAnswer


@placed(__doc__)
@argument("name")
@click.option("--share", is_flag=True, help="Let everybody in a game on a server see it, for good.")
@asking_options
def command(session: Session, place: str, name: str, share: bool, **asked: Unpack[Asking]) -> PositionAnswer:
    """Renames a line, and shares it."""
    if share:
        position = server(session, "rename").rename(
            place, name, by=session.by, viewer=session.viewer, shared=True, **asked
        )
    else:
        position = session.service.rename(place, name, by=session.by, viewer=session.viewer, **asked)
    session.follow(place, position)
    return session.arrived(position)
