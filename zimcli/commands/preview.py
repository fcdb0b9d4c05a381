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
from zimcli.errors import refused
from zimcli.session import Session


@placed(__doc__, Question)
@click.argument("words", nargs=-1, metavar="[COMMAND]")
def command(session: Session, place: str, words: tuple[str, ...]) -> None:
    """Prints what one would get."""
    text = " ".join(words)
    if ask(session, place, "preview", text.split()):
        return
    trial = session.service.try_(place, [text] if text else [], session.viewer)
    if trial.refused:
        raise refused(text, trial.refused)
    what = "`try` shows what it does" if text else "the game is over, or has not begun"
    session.out.message(f"there is nothing more to tell: {what}")
