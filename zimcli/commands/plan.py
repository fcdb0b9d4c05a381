"""Show the cheapest plan to raise monuments, or what is worth raising.

MONUMENTS are squares; a player's name before them asks for that player, as if it were that player's turn. Without any
all sets of monuments are listed that no other set beats in VP, cattle and used markers. Cattle "for good" are those
that do not come back to one's own cards.

Example::

    zim plan kilwa-7@r4 kilwa
"""

from __future__ import annotations

import click

from zimcli.asking import ask
from zimcli.command import placed
from zimcli.session import Session


@placed(__doc__)
@click.argument("monuments", nargs=-1)
def command(session: Session, place: str, monuments: tuple[str, ...]) -> None:
    """Prints plans and their price."""
    ask(session, place, "plan", monuments)
