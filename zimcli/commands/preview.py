"""Show what a command, or the end of the round, would bring.

For a bid: the cattle left and gained if all others pass, and the place in the order. For a craftsman: VP, VR and cost,
whom it serves, the resources that it claims, what it makes obsolete. For raising: every purchase. Without COMMAND: all
bids, the revenues of each player by source, and the ranking as it stands. What a command does is shown by `try`.

Example::

    zim preview kilwa-7 "bid 2"
"""

from __future__ import annotations

import click

from zimcli.asking import Question, ask
from zimcli.command import placed
from zimcli.session import Session


@placed(__doc__, Question)
@click.argument("words", nargs=-1, metavar="[COMMAND]")
def command(session: Session, place: str, words: tuple[str, ...]) -> None:
    """Prints what one would get."""
    ask(session, place, "preview", " ".join(words).split())
