"""Bind a seat to a key: each of its commands is signed then.

KEY is a public key, or the name of somebody whose key is trusted (zim key list); without one it is yours. Signed are
the game, the position, the seat, the command and its id, by whoever types it: nobody else can play that seat any more,
and whoever holds the store can't make up a move of it that `verify` would not find. It is for good, for all lines.
`zim new keys=zulu:anna,kilwa:ben` binds seats from the start.

Example::

    zim seat kilwa-7 zulu
"""

from __future__ import annotations

from zimcli import keys
from zimcli.command import argument, id_option, placed
from zimcli.session import Session
from zimcore.documents.positions import PositionAnswer


@placed(__doc__)
@argument("seat")
@argument("key", required=False, default="")
@id_option
def command(session: Session, place: str, seat: str, key: str, command_id: str) -> PositionAnswer:
    """Binds a seat."""
    public = keys.public_key_of(key or session.by, session.by)
    by, viewer = session.by, session.viewer
    return session.arrived(session.service.bind(place, seat, public, by=by, viewer=viewer, command_id=command_id))
