"""Show who sits where in a game on a server.

With --tokens the host sees which links and tokens are good, by their ids; --revoke makes one good for nothing.

Example::

    zim seats kilwa-7
"""

from __future__ import annotations

import click

from zimcli.command import placed
from zimcli.session import Session
from zimcli.together import game_of, server
from zimcore.documents.seats import SeatsAnswer, TokensAnswer


@placed(__doc__)
@click.option("--tokens", "tokens_", is_flag=True, help="The links and tokens that are good, for the host.")
@click.option("--revoke", default="", metavar="ID", help="Make a link or a token good for nothing.")
def command(session: Session, place: str, tokens_: bool, revoke: str) -> SeatsAnswer | TokensAnswer:
    """The seats, and who plays them."""
    service, match = server(session, "seats"), game_of(place)
    from zimcore.remote import members

    if revoke:
        return TokensAnswer(tuple(members.revoke(service, match, revoke)))
    if tokens_:
        return TokensAnswer(tuple(members.tokens(service, match)))
    return members.seats(service, match)
