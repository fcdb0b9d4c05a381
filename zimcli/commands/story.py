"""Tell a game round by round.

What each player did in a turn, in a sentence, and how everybody stood at the end of the round.

Example::

    zim story kilwa-7@r2
"""

from __future__ import annotations

from zimcli.command import placed
from zimcli.session import Session
from zimcore.documents.history import StoryAnswer
from zimcore.history.answers import story_answer


@placed(__doc__)
def command(session: Session, place: str) -> StoryAnswer:
    """A chapter for each round."""
    return story_answer(session.position(place), session.log(place))
