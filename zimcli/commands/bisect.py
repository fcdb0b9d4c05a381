"""Find the first move after which something holds.

EXPRESSION speaks of a position, as in `expect`. Every move on the way is looked at, so that the answer is exact also
for what comes and goes. The chance of a seat to win is zulu.chance, from 0 to 1. Exit code 1 if it never comes true.

Example::

    zim bisect kilwa-7 "zulu.vp > kilwa.vp"
"""

from __future__ import annotations

from zimcli.command import argument, placed
from zimcli.errors import answer_is_no
from zimcli.problems import FailedError
from zimcli.render.figures import figures
from zimcli.session import Session
from zimcore.documents.history import BisectAnswer
from zimcore.history.answers import bisect_answer


@placed(__doc__, ignore_unknown_options=True)
@argument("words", nargs=-1, required=True, metavar="EXPRESSION")
def command(session: Session, place: str, words: tuple[str, ...]) -> BisectAnswer:
    """Finds the moves after which it was another, with the figures before and after them."""
    expression = " ".join(words)
    answer = bisect_answer(session.position(place), session.log(place), expression, session.looks(expression, place))
    if not answer.first and not answer.at_start:
        raise FailedError(answer, answer_is_no("never", answer.bisect, [figures(answer.end)], ["show"]))
    return answer
