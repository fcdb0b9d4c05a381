"""Step back; nothing is lost.

What is undone stays in the line: `redo` plays it again, `log --all` shows it. With --op it is not a move that is
undone but an operation, the last one or the one with that ID (`log --ops` lists them): the head goes back to where it
stood before it, names of lines are what they were. That is an operation too, so --op twice changes nothing. On which
line others are only they say: with --op they stay there.

In a game with hidden cards a card that was drawn or turned over can't be unseen: going back over it needs --open.

Example::

    zim undo kilwa-7 2
"""

from __future__ import annotations

from typing import Unpack

import click

from zimcli.command import Asking, argument, asking_options, placed
from zimcli.session import Session
from zimcore.documents.positions import PositionAnswer


@placed(__doc__)
@argument("steps", type=click.IntRange(1), default=1)
@click.option("--op", "operation", is_flag=False, flag_value="", metavar="[ID]", help="Undo an operation instead.")
@asking_options
def command(session: Session, place: str, steps: int, operation: str | None, **asked: Unpack[Asking]) -> PositionAnswer:
    """Moves the head back."""
    if operation is None:
        return session.arrived(session.service.undo(place, steps, by=session.by, viewer=session.viewer, **asked))
    position = session.service.take_back(place, operation, by=session.by, viewer=session.viewer, **asked)
    session.follow(place, position)
    return session.arrived(position)
