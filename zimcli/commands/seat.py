"""Bind a seat to a key: each of its commands is signed then.

KEY is a public key, or the name of somebody whose key is trusted (zim key list); without one it is yours. Signed are
the game, the position, the seat, the command and its id, by whoever types it: nobody else can play that seat any more,
and whoever holds the store can't make up a move of it that `verify` would not find. It is for good, for all lines.
`zim new keys=zulu:anna,kilwa:ben` binds seats from the start.

A seat that has a key is given another one by the same words. Both keys sign that: the old one is yours, or was put
away by `zim key --new`. From there on the new one signs, and what is played already stays as it was signed. If the old
key is lost, --lost binds the seat anew without it; `verify` says so for ever, as whoever has the store could do that.

A line whose name has -- in it (`zulu--what-if`) is a seat's own, to try things: nobody signs there.

Example::

    zim seat kilwa-7 zulu
"""

from __future__ import annotations

import click

from zimcli import keys
from zimcli.command import argument, id_option, placed
from zimcli.session import Session
from zimcore.documents.positions import PositionAnswer


@placed(__doc__)
@argument("seat")
@argument("key", required=False, default="")
@click.option("--lost", is_flag=True, help="The key that the seat had is lost: bind it anew, which proves less.")
@id_option
def command(session: Session, place: str, seat: str, key: str, lost: bool, command_id: str) -> PositionAnswer:
    """Binds a seat."""
    public = keys.public_key_of(key or session.by, session.by)
    by, viewer = session.by, session.viewer
    bound = session.service.bind(place, seat, public, by=by, lost=lost, viewer=viewer, command_id=command_id)
    return session.arrived(bound)
