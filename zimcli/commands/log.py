"""List the moves of a line.

One a line, first to last: its number, who played it, the command, what it came to, and the position that it begins
(@r4). With --all the moves that were undone stand beside, as branches of a graph. With --where only those after which
an expression holds, as in `expect`. With --ops everything that ever moved: the head of the line, and the names of the
lines; each can be taken back (`undo --op`).

Example::

    zim log kilwa-7 --where "kilwa.cattle < 3"
"""

from __future__ import annotations

from collections.abc import Sequence

import click

from zimcli.command import placed
from zimcli.documents import commits_document, position_document
from zimcli.render.moves import SHORT, move_lines
from zimcli.session import Session
from zimcore.game import Table
from zimcore.history import answers, graph, parse
from zimcore.history.graph import drawn
from zimcore.service import Commit, Operation, Position


@placed(__doc__)
@click.option("--events", is_flag=True, help="With the facts of each move.")
@click.option("--all", "all_", is_flag=True, help="With the moves that were undone.")
@click.option("--where", default="", metavar="EXPRESSION", help="Only moves after which this holds.")
@click.option("--ops", is_flag=True, help="What moved the head and the names of lines, instead.")
def command(session: Session, place: str, events: bool, all_: bool, where: str, ops: bool) -> None:
    """Prints the commits on the way to a place."""
    position = session.position(place)
    if ops:
        show_operations(session, position, session.service.operations(place))
        return
    commits = session.log(place, all_=all_)
    here = {commit.digest for commit in session.log(place)} if all_ else set()
    chosen = matching(position, commits, where) if where else {commit.digest for commit in commits}
    rows = [row for row in graph(commits, here) if row.commit.digest in chosen] if all_ else []
    commits = [commit for commit in commits if commit.digest in chosen]
    session.out.document({"position": position_document(position), "commits": commits_document(commits)})
    told, gutters = [row.commit for row in rows] if all_ else commits, [drawn(row) for row in rows]
    session.out.lines(move_lines(told, position.game, position.colours, facts=events, gutters=gutters))


def matching(position: Position, commits: Sequence[Commit], where: str) -> set[str]:
    """The digests of the commits after which an expression holds."""
    found = answers(position.game, commits, parse(where))
    return {answer.commit.digest for answer in found if answer.holds}


def show_operations(session: Session, position: Position, operations: Sequence[Operation]) -> None:
    """Prints what moved, first to last."""
    session.out.document({"position": position_document(position), "operations": operations})
    rows = tuple(
        (each.id[:SHORT], f"{each.at:%Y-%m-%d %H:%M}", each.by, each.what, each.source, each.target)
        for each in operations
    )
    session.out.table(Table("", ("id", "when", "who", "what", "from", "to"), rows))
