"""Leave one's seat in a game on a server.

Its token is good for nothing then, and what was kept of the game here is deleted. Others may be invited to the seat. A
host frees a seat with --seat.

Example::

    zim leave kilwa-7
"""

from __future__ import annotations

import click

from zimcli.command import placed
from zimcli.session import Session
from zimcli.together import game_of, server
from zimcore.documents.seats import SeatsAnswer


@placed(__doc__)
@click.option("--seat", "freed", default="", metavar="SEAT", help="Free that seat, as the host.")
def command(session: Session, place: str, freed: str) -> SeatsAnswer:
    """Leaves, or frees a seat."""
    service, match = server(session, "leave"), game_of(place)
    from zimcore.remote.members import leave

    return leave(service, match, freed)
