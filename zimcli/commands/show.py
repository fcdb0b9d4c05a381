"""Show a position: the move that made it, and the standings.

Example::

    zim show kilwa-7@r4
"""

from __future__ import annotations

import msgspec

from zimcli.command import placed
from zimcli.documents import position_document
from zimcli.render.moves import SHORT, fact_lines, move_line, place_line
from zimcli.session import Session


@placed(__doc__)
def command(session: Session, place: str) -> None:
    """Prints a commit with its facts, and all tables of the position after it."""
    position = session.position(place)
    commit, shown = position.commit, position.tables
    tables = [msgspec.to_builtins(table) for table in shown]
    where = position_document(position)
    session.out.document({"position": where, "commit": commit, "values": position.figures, "tables": tables})
    session.out.lines([place_line(position)])
    session.out.line((f"commit {commit.digest[:SHORT]} by {commit.by}, {commit.at:%Y-%m-%d %H:%M}", "dim"))
    session.out.lines([move_line(commit, position.colours), *fact_lines(commit, position.game)])
    for table in filter(lambda table: table.rows, shown):
        session.out.line("")
        session.out.table(table, position.colours)
