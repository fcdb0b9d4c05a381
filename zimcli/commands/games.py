"""List the games of the store.

Example::

    zim games
"""

from __future__ import annotations

from zimcli.command import unplaced
from zimcli.session import Session
from zimcore.documents.keep import GamesAnswer


@unplaced(__doc__)
def command(session: Session) -> GamesAnswer:
    """All games, the oldest first."""
    return GamesAnswer(tuple(session.service.games()), tuple(session.service.unnamed()))
