"""Write a game as a page to step through.

FILE is one page that holds all of it, for any browser, with the board, the standings, graphs of them and the log: arrow
keys, a slider and a click into a graph move through it, + and - zoom, and kilwa-7.html#12 or kilwa-7.html#r4 is a link
to a position. PLACE says how far it goes.

Example::

    zim replay kilwa-7 --html kilwa-7.html
"""

from __future__ import annotations

from pathlib import Path

import click

from zimcli.command import placed
from zimcli.session import Session
from zimcore.commits import Position
from zimcore.documents.look import ReplayAnswer
from zimcore.documents.positions import position_document


@placed(__doc__)
@click.option("--html", type=click.Path(dir_okay=False, writable=True, path_type=Path), required=True, metavar="FILE")
def command(session: Session, place: str, html: Path) -> ReplayAnswer:
    """Writes the page."""
    from zimcore.history.replay import positions
    from zimcore.picture.replay import replay_page

    end, commits = session.position(place), session.log(place)
    states = positions(end.game, commits)  # redacted events lead to concealed positions: one fold serves any viewer
    steps = (Position(end.match, end.line, commit, state, end.game) for commit, state in states)
    with session.out.progress("drawing moves") as report:
        page = replay_page(steps, lambda done: report(done, len(commits)))
    html.write_text(page, "utf-8")
    return ReplayAnswer(position_document(end), str(html), len(commits) - 1)
