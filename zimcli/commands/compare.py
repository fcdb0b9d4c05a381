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
from zimcore.documents.history import CompareAnswer
from zimcore.history.answers import compare_answer


@placed(__doc__)
@argument("other", metavar="B")
def command(session: Session, place: str, other: str) -> CompareAnswer:
    """Compares two places."""
    a = session.position(place)
    beside = session.on_a_line(session.whole(other, f"{a.match}/{a.line}"))
    return compare_answer(a, session.position(beside), session.log(place), session.log(beside))
