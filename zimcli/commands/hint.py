"""Show the best turn now, and why.

What a strong player would whisper: whole turns, or bids, with the chance to win after each, what that changes in the
game's terms, and the best two of other kinds. Chances were learned from games of bots; they are of somebody who plays
on as bots do. Nothing is played. It looks at what the seat to move may see. At the table and the prompt F6 asks for
it.

A game that was begun with help=no has no hints, and no analysis, before it is over: see `new`.

Example::

    zim hint kilwa-7
"""

from __future__ import annotations

import click

from zimcli.command import placed
from zimcli.session import Session
from zimcore.documents.analysis import HintAnswer


@placed(__doc__)
@click.option("--most", type=click.IntRange(1, 100), metavar="NUMBER", default=3, help="So many turns (3).")
@click.option("--nodes", type=click.IntRange(1, 100_000_000), metavar="NUMBER", help="Positions to look at (2000).")
def command(session: Session, place: str, most: int, nodes: int | None) -> HintAnswer:
    """The best turns of whose turn it is."""
    from zimcore.analysis.hint import NODES, hint_answer

    session.check_helps(place)
    position = session.position(place)
    with session.out.progress(f"thinking for {position.mover}, positions") as report:
        return hint_answer(position, nodes or NODES, most, report)
