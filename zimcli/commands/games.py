"""List the games of the store.

Example::

    zim games
"""

from __future__ import annotations

import msgspec

from zimcli.command import pass_session, unplaced
from zimcli.session import Session
from zimcore.game import Table
from zimcore.service import GameInfo


@unplaced(__doc__)
@pass_session
def command(session: Session) -> None:
    """Prints one game a line, the oldest first."""
    games = session.service.games()
    session.out.document({"games": [msgspec.to_builtins(game) for game in games]})
    if games:
        heads = ("game", "line", "lines", "moves", "players", "status")
        session.out.table(Table("", heads, tuple(map(row, games))))
    else:
        session.out.message(f"no games yet; try: {'new' if session.level else 'zim new'}")


def row(game: GameInfo) -> tuple[str, ...]:
    """A game as it is listed."""
    return game.name, game.line, str(game.lines), str(game.head), ", ".join(game.seats), game.status
