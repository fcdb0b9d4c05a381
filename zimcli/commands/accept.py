"""Accept what another player has asked for.

Without a number it is the only request that waits for you. With the last who accepts it is done at once.

Example::

    zim accept kilwa-7 1 --as lozi
"""

from __future__ import annotations

import click

from zimcli.command import argument, id_option, placed
from zimcli.consent import answered
from zimcli.session import Session
from zimcore.documents.proceedings import RequestsAnswer


@placed(__doc__)
@argument("number", type=click.IntRange(1), required=False)
@id_option
def command(session: Session, place: str, number: int | None, command_id: str) -> RequestsAnswer:
    """Accepts it."""
    return answered(session, place, "granted", number or 0, command_id)
