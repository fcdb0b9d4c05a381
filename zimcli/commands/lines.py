"""List the lines of a game.

Example::

    zim lines kilwa-7
"""

from __future__ import annotations

import msgspec

from zimcli.command import placed
from zimcli.session import Session
from zimcore.game import Table
from zimcore.service import LineInfo


@placed(__doc__)
def command(session: Session, place: str) -> None:
    """Prints one line of play a line; the current one has a star."""
    lines = session.service.lines(place)
    session.out.document({"lines": [msgspec.to_builtins(line) for line in lines]})
    session.out.table(Table("", ("", "line", "moves", "digest", "from", "status"), tuple(map(row, lines))))


def row(line: LineInfo) -> tuple[str, ...]:
    """A line as it is listed."""
    origin = f"{line.parent or 'a forgotten line'}@{line.forked_at}" if line.forked_at is not None else ""
    return "*" if line.current else "", line.name, f"@{line.head}", line.digest[:8], origin, line.status
