"""Say something to all who see the game, or note it for yourself.

What is said is kept beside the moves: at the table and at the prompt it comes as they do, and `talk` lists it. With a
position it is about that position. A note (--note) is read by nobody else, and no export carries it.

Example::

    zim say kilwa-7 well played
    zim say kilwa-7@12 --note "what if I had built e5"
"""

from __future__ import annotations

import click

from zimcli.command import argument, id_option, placed
from zimcli.session import Session
from zimcli.together import game_of
from zimcore.documents.proceedings import TalkAnswer


@placed(__doc__)
@argument("text", nargs=-1, required=True, metavar="TEXT")
@click.option("--note", is_flag=True, help="Note it for yourself: nobody else sees it.")
@id_option
def command(session: Session, place: str, text: tuple[str, ...], note: bool, command_id: str) -> TalkAnswer:
    """Says it, and gives it as it is kept."""
    said = session.service.say(
        place, " ".join(text), by=session.by, own=note, command_id=command_id, viewer=session.viewer
    )
    return TalkAnswer(game_of(place), (said,))
