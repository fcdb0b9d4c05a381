"""Join a game on a server, by a link.

A link is good once: it is redeemed for a token, which is kept in your folder and never shown. From then on the game is
one of the store that is the server, and you are known there by your name (--by). The token of a host, a spectator or an
auditor is kept as it is. With - the link is read from stdin, so that it stands in no list of processes.

With --key each of your commands is signed, and nobody else can play your seat, the server not either: NAME is whose key
it is (zim key), mostly yours. The setting `key` (zim config key NAME) does that for every game that you join.

Example::

    zim join https://zim.example/join#zim_link_5f3a_...
    zim --store https://zim.example play
"""

from __future__ import annotations

import sys

import click

from zimcli.command import argument, unplaced
from zimcli.session import Session
from zimcore.documents.joining import JoinAnswer


@unplaced(__doc__)
@argument("link")
@click.option(
    "--key", "signs", default="", metavar="NAME", help="Sign each command with the key of that name of yours."
)
def command(session: Session, link: str, signs: str) -> JoinAnswer:
    """Redeems a link, and keeps the token."""
    from zimcli.locations import folders, remote_library, store_url

    remote_library()
    from zimcli.keys import own
    from zimcore.remote.connection import Connection
    from zimcore.remote.members import join, parse_invitation

    invitation = parse_invitation(sys.stdin.readline() if link == "-" else link, store_url(session.store))
    signs = signs or configured()
    key = own(signs)[0] if signs and invitation.kind == "link" else ""
    made = join(Connection(invitation.server), folders(), invitation, session.by, key, signs)
    return JoinAnswer(server=made.server, game=made.game, role=made.role, seat=made.seat, by=made.by)


def configured() -> str:
    """The name of the key in the settings; "" where there is none."""
    from zimcli.config import config_file, load

    return load(config_file()).key
