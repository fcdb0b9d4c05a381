"""Begin a new line at a position.

The new line is your current one from then on; the old one stays as it is. In a game with hidden cards the new line has
the same ones, so it needs --open; or --redeal deals those anew that the seat named by --as does not know.

Example::

    zim fork kilwa-7@r2 what-if
"""

from __future__ import annotations

from typing import Unpack

import click
from msgspec.structs import replace

from zimcli.command import Asking, argument, asking_options, placed
from zimcli.session import Session
from zimcore.documents.positions import PositionAnswer


@placed(__doc__)
@argument("name")
@click.option("--redeal", is_flag=True, help="Deal anew what one's seat does not know.")
@asking_options
def command(session: Session, place: str, name: str, redeal: bool, **asked: Unpack[Asking]) -> PositionAnswer:
    """Forks, and goes to the new line."""
    before = session.current_line(place)
    position = session.service.fork(place, name, by=session.by, viewer=session.viewer, redeal=redeal, **asked)
    session.enter(position)
    left = before if before != position.line else ""  # asked for again, it was left before
    return replace(session.arrived(position), left=left)
