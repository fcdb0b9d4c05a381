"""Show what is in reach of a place on the board.

From SQUARE, or from the craftsman that stands there, to every resource, craftsman and monument: with the usual range
and with the longest that a god gives.

Example::

    zim reach kilwa-7 d4
"""

from __future__ import annotations

from zimcli.command import argument, placed
from zimcli.questions import Question, ask
from zimcli.session import Session
from zimcore.documents.look import ReachAnswer


@placed(__doc__, Question)
@argument("square")
def command(session: Session, place: str, square: str) -> ReachAnswer:
    """What can be got at."""
    return ReachAnswer(*ask(session, place, "reach", [square]))
