"""Tell a game round by round.

What each player did in a turn, in a sentence, and how everybody stood at the end of the round.

Example::

    zim story kilwa-7@r2
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from zimcli.command import placed
from zimcli.documents import position_document
from zimcli.render.palette import seat_style
from zimcli.render.spans import Line
from zimcli.session import Session
from zimcore.game import Seat
from zimcore.history import Chapter, story


@placed(__doc__)
def command(session: Session, place: str) -> None:
    """Prints a chapter for each round."""
    position = session.position(place)
    colours = position.colours
    chapters = list(story(position.game, session.log(place)))
    session.out.document({"position": position_document(position), "story": chapters})
    for chapter in chapters:
        session.out.lines(chapter_lines(chapter, colours))
        session.out.line("")
        if chapter.standings and chapter.standings.rows:
            session.out.table(chapter.standings, colours)
            session.out.line("")


def chapter_lines(chapter: Chapter, colours: Mapping[Seat, str]) -> Iterator[Line]:
    """The turns of a round, each with the numbers of its moves."""
    yield [(f"@{chapter.name}" if chapter.name else "@start", "bold cyan")]
    for turn in chapter.turns:
        style = seat_style(turn.seat, colours) if turn.seat else ""
        numbers = f"{turn.first}" if turn.first == turn.last else f"{turn.first}-{turn.last}"
        yield [(f"{numbers:>7} ", "dim"), (f" {turn.seat:<10} ", style), (f" {turn.report}", "")]
