"""Find the first move after which something holds.

EXPRESSION speaks of a position, as in `expect`. Every move on the way is looked at, so that the answer is exact also
for what comes and goes. Exit code 1 if it never comes true.

Example::

    zim bisect kilwa-7 "zulu.vp > kilwa.vp"
"""

from __future__ import annotations

from zimcli.command import argument, placed
from zimcli.errors import answer_is_no
from zimcli.problems import FailedError
from zimcli.render.figures import figures
from zimcli.session import Session
from zimcore.documents.history import BisectAnswer, TurningPoint
from zimcore.documents.positions import position_document
from zimcore.history import bisect, parse
from zimcore.history.bisect import Answer


@placed(__doc__, ignore_unknown_options=True)
@argument("words", nargs=-1, required=True, metavar="EXPRESSION")
def command(session: Session, place: str, words: tuple[str, ...]) -> BisectAnswer:
    """Finds the moves after which it was another, with the figures before and after them."""
    position = session.position(place)
    found = bisect(position.game, session.log(place), parse(" ".join(words)))
    answer = BisectAnswer(
        bisect=found.expression,
        at_start=found.at_start.holds,
        at_end=found.at_end.holds,
        first=turning_point(*found.first) if found.first else None,
        turns=tuple(turning_point(before, after) for before, after in found.turns),
        position=position_document(position),
        start=found.at_start.figures,
        end=found.at_end.figures,
    )
    if not found.first and not found.at_start.holds:
        raise FailedError(answer, answer_is_no("never", found.expression, [figures(answer.end)], ["show"]))
    return answer


def turning_point(before: Answer, after: Answer) -> TurningPoint:
    """A commit after which it was another."""
    commit = after.commit
    return TurningPoint(
        number=commit.number,
        digest=commit.digest,
        seat=commit.seat,
        text=commit.text,
        holds=after.holds,
        before=before.figures,
        after=after.figures,
        summary=commit.summary,
        by=commit.by,
        marks=commit.marks,
    )
