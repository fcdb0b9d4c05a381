"""Deal a game on a server, to those who sit at its open table.

It is dealt by itself when all have sat down; with this its host begins without the others, who can be invited later.

Example::

    zim deal kilwa-7
"""

from __future__ import annotations

from zimcli.command import placed
from zimcli.session import Session
from zimcli.together import game_of, server
from zimcore.documents.positions import PositionAnswer


@placed(__doc__)
def command(session: Session, place: str) -> PositionAnswer:
    """Deals, and goes there."""
    service, match = server(session, "deal"), game_of(place)
    service.deal(match, by=session.by)
    return session.arrived(session.position(f"{match}@start"))
