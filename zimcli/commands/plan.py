"""Show the cheapest way to something, or what is worth doing.

GOALS are what is to be reached; a player's name before them asks for that player, as if it were that player's turn.
Without any all is listed that is worth it. Cattle "for good" are those that do not come back to one's own cards.

Example::

    zim plan kilwa-7@r4 kilwa
"""

from __future__ import annotations

from zimcli.command import argument, placed
from zimcli.questions import Question, ask
from zimcli.session import Session
from zimcore.documents.play import PlanAnswer


@placed(__doc__, Question)
@argument("goals", nargs=-1)
def command(session: Session, place: str, goals: tuple[str, ...]) -> PlanAnswer:
    """Plans and their price."""
    return PlanAnswer(*ask(session, place, "plan", goals))
