"""Fail unless something is so.

EXPRESSION speaks of the position: zulu.vp == 7, winner == kilwa, leader() == zulu and round >= 4. It compares and
counts (+ - * // %, min, max, sum, and, or, not). Exit code 1 if it does not hold; a script stops there.

Example::

    zim expect kilwa-7 "zulu.vp >= mutapa.vp"
"""

from __future__ import annotations

from zimcli.command import argument, placed
from zimcli.errors import answer_is_no
from zimcli.problems import FailedError
from zimcli.render.figures import figures
from zimcli.session import Session
from zimcore.documents.keep import ExpectAnswer
from zimcore.documents.positions import position_document
from zimcore.history import parse


@placed(__doc__, ignore_unknown_options=True)
@argument("words", nargs=-1, required=True, metavar="EXPRESSION")
def command(session: Session, place: str, words: tuple[str, ...]) -> ExpectAnswer:
    """Asks an expression of a position."""
    position, expression = session.position(place), parse(" ".join(words))
    values = session.looks(expression.text, place)(position.game, position.state)
    found = dict(expression.figures(values))
    answer = ExpectAnswer(expression.text, expression.holds(values), found, position_document(position))
    if not answer.holds:
        why = figures(found)
        raise FailedError(answer, answer_is_no("not so", expression.text, [why] if why else [], ["show"]))
    return answer
