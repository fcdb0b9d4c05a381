"""Watch a whole game.

A script that comes with the game is played into a new store: it plays, looks, goes back, tries another line and proves
both. What it plays can be looked at afterwards, with the store that it names at the end.

GAME is one that zim knows; without a name it is the first.

Example::

    zim demo
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from zimcli.command import argument, unplaced
from zimcli.render.spans import Sheet
from zimcli.script import run_script
from zimcli.session import Session
from zimcore.service.visibility import EVERYTHING


@unplaced(__doc__)
@argument("game", default="")
def command(session: Session, game: str) -> None:
    """Runs the demonstration of a game in a new store, and says where that is."""
    script = session.text("demo", game)
    session.look(EVERYTHING)
    session.store = session.store or f"sqlite:///{Path(tempfile.mkdtemp(prefix='zim-demo-')) / 'games.db'}"
    run_script(session, narrated(session, script), "demo")
    if session.here:
        session.note(f"all of it is kept; try: zim --store {session.store} log {session.here.match} --all")


def narrated(session: Session, script: str) -> Iterator[str]:
    """The lines of a script; tells its comments, and the standings whenever a round has begun."""
    rounds, before = set(), ""
    for line in script.splitlines():
        if line.startswith("#"):
            session.tell(*([] if before.startswith("#") else [[]]), [(line, "bold green")])
        before = line
        yield line
        mark = round_begun(session)
        if session.here and mark and mark not in rounds:
            rounds.add(mark)
            session.tell([], Sheet(session.here.tables[0], session.here.colours))


def round_begun(session: Session) -> str:
    """The line and mark of a round that begins here, if one does; marks with a dot are turns in it."""
    here = session.here
    marks = [mark for mark in here.commit.marks if "." not in mark] if here else []
    return f"{session.place}@{marks[0]}" if marks else ""
