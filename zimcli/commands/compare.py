"""Show how two lines or positions differ.

Round by round from where they parted: what each played, the figures that differ at its end, what of their money the
players paid and got in it, and the squares on which not the same stands. At the end stands what that made of each
player. In a session A is the current line if only B is named; B may be a short name beside A.

Example::

    zim compare kilwa-7/main what-if
"""

from __future__ import annotations

from zimcli.command import argument, placed
from zimcli.session import Session
from zimcore.documents.history import CompareAnswer, RoundDifference
from zimcore.documents.positions import commit_documents, position_document
from zimcore.game import GameError
from zimcore.history import compare
from zimcore.history.compare import Round


@placed(__doc__)
@argument("other", metavar="B")
def command(session: Session, place: str, other: str) -> CompareAnswer:
    """Compares two places."""
    a = session.position(place)
    beside = session.on_a_line(session.whole(other, f"{a.match}/{a.line}"))
    b = session.position(beside)
    if a.game is not b.game:
        raise GameError(f"{a.match} and {b.match}", f"one plays {a.game.title}, the other {b.game.title}", ["games"])
    found = compare(a.game, session.log(place), session.log(beside))
    return CompareAnswer(
        a=position_document(a),
        b=position_document(b),
        parted=found.parted.number if found.parted else None,
        only_a=commit_documents(found.only_a),
        only_b=commit_documents(found.only_b),
        rounds=tuple(map(round_difference, found.rounds)),
        differences=found.differences,
    )


def round_difference(found: Round) -> RoundDifference:
    """A round, whose moves are named by their numbers."""
    return RoundDifference(
        name=found.name,
        a=tuple(commit.number for commit in found.a),
        b=tuple(commit.number for commit in found.b),
        figures=found.figures,
        paid=found.paid,
        squares=found.squares,
    )
