"""Invite somebody to a game on a server, by a link.

WHO is a seat, whose link is good once; an older one of the same seat ends. A spectator sees what everybody knows, an
auditor all of it when the game is over; what they are given may be used by all who have it. Only the host can invite.

Example::

    zim invite kilwa-7 zulu
    zim invite kilwa-7 spectator --days 7
"""

from __future__ import annotations

import click

from zimcli.command import argument, placed
from zimcli.session import Session
from zimcli.together import game_of, server
from zimcore.documents.joining import InviteAnswer

GUESTS = ("spectator", "auditor")


@placed(__doc__)
@argument("who")
@click.option("--bot", is_flag=True, help="A program is to play the seat.")
@click.option("--name", default="", metavar="NAME", help="By which a spectator or an auditor is listed.")
@click.option("--days", type=click.FloatRange(0, 3650, min_open=True), metavar="NUMBER", help="How long it is good.")
def command(session: Session, place: str, who: str, bot: bool, name: str, days: float | None) -> InviteAnswer:
    """Makes a link."""
    service, match = server(session, "invite"), game_of(place)
    from zimcore.remote.members import Guest, invite, link_of

    role: Guest = "spectator" if who == "spectator" else "auditor" if who == "auditor" else "bot" if bot else "seat"
    answer = invite(service, match, role, "" if who in GUESTS else who, name, days)
    link = link_of(service.connection.server, answer.token)
    return InviteAnswer(link=link, game=match, about=answer.about)
