"""Play a game at a prompt.

The prompt says where one is; what is typed is a command of the game, or one of zim. Tab completes what is legal now.
Ctrl-C clears the line, Ctrl-D leaves; every command is kept before the prompt returns. Where there is no terminal, the
lines are read as `zim run -` reads them. In a session it goes to another game or line.

Example::

    zim play kilwa-7
"""

from __future__ import annotations

import sys

from zimcli.command import placed
from zimcli.session import Session
from zimcore.documents.positions import PositionAnswer


@placed(__doc__)
def command(session: Session, place: str) -> PositionAnswer | None:
    """Goes to the head of a line, and asks for commands where somebody can type them."""
    position = session.head(place)
    session.enter(position)
    if session.level:
        return session.arrived(position)
    if sys.stdin.isatty() and sys.stdout.isatty() and not session.out.json:
        from zimcli.repl.loop import converse

        converse(session)
    else:
        from zimcli.script import run_file

        run_file(session, "-")
    return None
