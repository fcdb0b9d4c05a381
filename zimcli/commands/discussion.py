"""The commands for chat, and requests between players."""

from __future__ import annotations

import click

from zimcli.session.command import argument, id_option, place_command
from zimcli.session.server_only import match_name
from zimcli.session.session import Session
from zimcore.documents.discussion import TalkAnswer


@place_command()
@argument("text", nargs=-1, required=True, metavar="TEXT")
@click.option("--note", is_flag=True, help="Write a private note instead.")
@id_option
def say(session: Session, place: str, text: tuple[str, ...], note: bool, command_id: str) -> TalkAnswer:
    """Send a chat message, or write a private note.

    Everyone who sees the game sees the message: at the table and the prompt it arrives between the moves, and `talk`
    lists it. If PLACE has a position, the message is about that position. A note (--note) is yours alone, and no export
    contains it.

    Example::

        zim say kilwa-7 well played
        zim say kilwa-7@12 --note "what if I had built e5"
    """
    message = session.service.say(
        place, " ".join(text), by=session.by, own=note, command_id=command_id, viewer=session.viewer
    )
    return TalkAnswer(match_name(place), (message,))


@place_command()
def talk(session: Session, place: str) -> TalkAnswer:
    """List the chat of a game, with your own notes.

    Example::

        zim talk kilwa-7
    """
    match = match_name(place)
    return TalkAnswer(match, tuple(session.service.talk(match, by=session.by, viewer=session.viewer)))
