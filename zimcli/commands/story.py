"""Tell a game round by round.

What each player did in a turn, in a sentence, and how everybody stood at the end of the round. Where the game was
analysed (see `analyse`) it tells the turning points, what was given away, and how the chances went.

Example::

    zim story kilwa-7@r2
"""

from __future__ import annotations

from msgspec.structs import replace

from zimcli.analyses import documents, known
from zimcli.command import placed
from zimcli.session import Session
from zimcore.documents.history import StoryAnswer
from zimcore.history.answers import story_answer


@placed(__doc__)
def command(session: Session, place: str) -> StoryAnswer:
    """A chapter for each round."""
    position, commits = session.position(place), session.log(place)
    judged = documents(position.game, commits, known(session, position.game, place, commits))
    return replace(story_answer(position, commits), judged=judged)
