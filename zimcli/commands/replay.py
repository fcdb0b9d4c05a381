"""Write a game as a page to step through.

FILE is one page that holds all of it, for any browser, with the board, the standings and the log: arrow keys and a
slider move through it, and kilwa-7.html#12 or kilwa-7.html#r4 is a link to a position. PLACE says how far it goes.

Example::

    zim replay kilwa-7 --html kilwa-7.html
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import click

from zimcli.command import placed
from zimcli.documents import position_document
from zimcli.session import Session
from zimcore.commits import Position


@placed(__doc__)
@click.option("--html", type=click.Path(dir_okay=False, writable=True, path_type=Path), required=True, metavar="FILE")
def command(session: Session, place: str, html: Path) -> None:
    """Writes the page."""
    from zimcore.history.replay import positions
    from zimcore.picture.replay import replay_page

    end, commits = session.position(place), session.log(place)
    states = positions(end.game, commits)  # what the viewer was told leads to what they know
    steps = (Position(end.match, end.line, commit, state, end.game) for commit, state in states)
    html.write_text(replay_page(steps, progress(len(commits))), "utf-8")
    session.out.document({"position": position_document(end), "file": str(html), "moves": len(commits) - 1})
    session.out.line(f"written: {html}")


def progress(count: int) -> Callable[[int], None]:
    """Tells how far the work is, on stderr where that is a terminal."""
    if not sys.stderr.isatty():
        return lambda _: None

    def tell(done: int) -> None:
        end = "\r" if done < count else "\r\x1b[K"
        sys.stderr.write(f"drawing {done} of {count}{end}")
        sys.stderr.flush()

    return tell
