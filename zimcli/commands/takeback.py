"""Ask the others to take moves back.

Your own last move needs no asking as long as nobody has played since and it has shown nothing new: `undo` takes it
back. Anything further is for the others to accept or decline; they see which moves would be gone. Once all have
accepted it is done. When somebody plays on, the request has lapsed. To play a move otherwise and keep the later ones as
far as they stand: `amend ... --ask`.

A game begun with takebacks=free asks nobody, and with takebacks=never nothing is taken back.

Example::

    zim takeback kilwa-7 2 --as zulu
"""

from __future__ import annotations

from typing import Unpack

import click

from zimcli.command import Asking, argument, asking_options, placed
from zimcli.consent import requested
from zimcli.session import Session
from zimcore.documents.proceedings import RequestsAnswer


@placed(__doc__)
@argument("steps", type=click.IntRange(1), default=1)
@asking_options
def command(session: Session, place: str, steps: int, **asked: Unpack[Asking]) -> RequestsAnswer:
    """Asks, and gives the request."""
    return requested(session, session.service.ask(place, steps, by=session.by, viewer=session.viewer, **asked), place)
