"""Play the commands of another line here.

SOURCE is a move (what-if@7) or several (what-if@4..7, both included; what-if@r4..r5 is all of round 4). They are played
at the head of the line, all at once. The first that does not stand here is a conflict, as in `amend`.

Example::

    zim pick kilwa-7/what-if main@r4..r5
"""

from __future__ import annotations

from typing import Unpack

from zimcli.command import Asking, argument, asking_options, placed
from zimcli.replays import replay_options, rewritten
from zimcli.session import Session
from zimcore.documents.history import RewriteAnswer
from zimcore.service.rewriting import Keep


@placed(__doc__)
@argument("source")
@replay_options
@asking_options
def command(
    session: Session, place: str, source: str, keep: Keep, dry_run: bool, **asked: Unpack[Asking]
) -> RewriteAnswer:
    """Picks commands."""
    source = session.on_a_line(session.whole(source, place))
    asked["expected"] = asked["expected"] or session.seen(place) or ""
    replay = session.service.pick(
        place, source, by=session.by, viewer=session.viewer, keep=keep, dry_run=dry_run, **asked
    )
    if replay.stored:
        session.saw(replay.position)
    return rewritten(replay, keep, "pick", place, source)
