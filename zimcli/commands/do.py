"""Play commands, one after the other.

Each COMMAND is played at the head of the line, in the notation of the game; a seat in front of it is checked. It stops
at the first that is refused; those before it stand. In a session a command of the game needs no `do`.

Example::

    zim do kilwa-7 "bid 3" "zulu: pass"
"""

from __future__ import annotations

import click

from zimcli.answers import moved, played
from zimcli.command import placed
from zimcli.completing import completes, whole_commands
from zimcli.playing import play
from zimcli.session import Session
from zimcore.service import Commit


@placed(__doc__)
@click.argument("texts", nargs=-1, required=True, metavar="COMMAND...", shell_complete=completes(whole_commands))
def command(session: Session, place: str, texts: tuple[str, ...]) -> None:
    """Plays and prints each command."""
    done: list[Commit] = []
    position = None
    try:
        for position in play(session, place, texts):
            done.append(position.commit)
            moved(session, position)
    finally:
        if position:
            played(session, position, done)
    if position and not session.level:
        session.out.line(("→ ", "dim"), position.status)
