"""Vote what is to be done about a seat that is out of time.

The others wait for it (it has its pace once more), give it to a bot, or end the match as it stands: that is done
with the last of them who votes the same. Who plays after all has lost nothing. Without a choice it shows the votes.

Example::

    zim vote kilwa-7 wait --as lozi
"""

from __future__ import annotations

from typing import cast

import click

from zimcli.command import argument, id_option, placed
from zimcli.session import Session
from zimcli.together import game_of
from zimcore.documents.proceedings import VotesAnswer, VoteWhat


@placed(__doc__)
@argument("what", type=click.Choice(["wait", "bot", "end"]), required=False)
@argument("seat", required=False)
@id_option
def command(session: Session, place: str, what: str | None, seat: str | None, command_id: str) -> VotesAnswer:
    """Votes, or shows how the others have voted."""
    match = game_of(place)
    if not what:
        return session.service.votes(match)
    chosen = cast("VoteWhat", what)
    return session.service.vote(match, chosen, seat or "", by=session.by, command_id=command_id, viewer=session.viewer)
