"""Put a game away: it is not listed any more.

It can be played on as ever, by its name; `zim games --archived` lists it, and --back takes it out again. See `delete`.

Example::

    zim archive kilwa-7
    zim archive kilwa-7 --back
"""

from __future__ import annotations

from typing import Unpack

import click

from zimcli.command import Asking, OfAGame, asking_options, placed
from zimcli.session import Session
from zimcore.documents.keep import PutAwayAnswer


@placed(__doc__, OfAGame)
@click.option("--back", is_flag=True, help="Take it out again.")
@asking_options
def command(session: Session, place: str, back: bool, **asked: Unpack[Asking]) -> PutAwayAnswer:
    """Archives a game, or lists it again."""
    service = session.service
    (service.restore if back else service.archive)(place, by=session.by, viewer=session.viewer, **asked)
    return PutAwayAnswer(place, "listed" if back else "archived")
