"""Withdraw what you have asked the others for.

Without a number it is the only request of yours that is open.

Example::

    zim withdraw kilwa-7 1 --as zulu
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
    """Withdraws it."""
    return answered(session, place, "withdrawn", number or 0, command_id)
