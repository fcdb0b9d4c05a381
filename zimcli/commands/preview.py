"""Show what a command, or the end of the round, would bring.

For a bid: the cattle left and gained if all others pass, and the place in the order. For a craftsman: VP, VR and cost,
whom it serves, the resources that it claims, what it makes obsolete. For raising: every purchase. Without COMMAND: all
bids, the revenues of each player by source, and the ranking as it stands. What a command does is shown by `try`.

Example::

    zim preview kilwa-7 "bid 2"
"""

from __future__ import annotations

from zimcli.command import argument, placed
from zimcli.errors import refused
from zimcli.problems import FailedError
from zimcli.questions import Question, ask
from zimcli.session import Session
from zimcore.documents.play import PreviewAnswer


@placed(__doc__, Question)
@argument("words", nargs=-1, metavar="[COMMAND]")
def command(session: Session, place: str, words: tuple[str, ...]) -> PreviewAnswer:
    """What one would get."""
    text = " ".join(words)
    position, found, unseen = ask(session, place, "preview", text.split())
    answer = PreviewAnswer(position, found, text, unseen)
    if text and not any(table.rows for table in found):
        trial = session.service.try_(place, [text], session.viewer)
        if trial.refused:
            raise FailedError(answer, refused(text, trial.refused))
    return answer
