"""Show the key with which you sign.

It is made when it is first asked for, one for each name that you type under (--by). What is shown is the public half:
give it to those who are to check your signatures. The other half stays in a file of your own.

Example::

    zim key
"""

from __future__ import annotations

from zimcli import keys
from zimcli.command import pass_session, unplaced
from zimcli.session import Session


@unplaced(__doc__)
@pass_session
def command(session: Session) -> None:
    """Makes the key if there is none, and prints its public half."""
    from zimcore.service import signatures

    path = keys.key_file(session.by)
    if not path.exists():
        keys.make(path, signatures.new_key())
    public = signatures.public_key(keys.load(path))
    session.out.document({"by": session.by, "key": public, "file": str(path)})
    session.out.line((session.by, "bold"), f"  ed25519 {public}  {path}")
