"""Fail unless something is so.

EXPRESSION speaks of the position: zulu.vp == 7, winner == kilwa, leader() == zulu and round >= 4. It compares and
counts (+ - * // %, min, max, sum, and, or, not). Exit code 1 if it does not hold; a script stops there.

Example::

    zim expect kilwa-7 "zulu.vp >= mutapa.vp"
"""

from __future__ import annotations

import click

from zimcli.command import placed
from zimcli.completing import completes, subjects
from zimcli.errors import answer_is_no
from zimcli.render.figures import figures
from zimcli.session import Session
from zimcore.history import parse


@placed(__doc__, ignore_unknown_options=True)
@click.argument("words", nargs=-1, required=True, metavar="EXPRESSION", shell_complete=completes(subjects))
def command(session: Session, place: str, words: tuple[str, ...]) -> None:
    """Asks an expression of a position."""
    expression = parse(" ".join(words))
    values = session.position(place).figures
    holds = expression.holds(values)
    session.out.document({"expect": expression.text, "holds": holds})
    if not holds:
        why = figures(dict(expression.figures(values)))
        raise answer_is_no("not so", expression.text, [why] if why else [], ["show"])
