"""Show the key with which you sign.

It is made when it is first asked for, one for each name that you type under (--by). What is shown is the public half:
give it to those who are to check your signatures. The other half stays in a file of your own, which --passphrase
encrypts: you are asked for a new passphrase now, and again when you sign. Scripts give it in ZIM_KEY_PASSPHRASE.

Example::

    zim key
"""

from __future__ import annotations

import click

from zimcli import keys
from zimcli.command import unplaced
from zimcli.session import Session
from zimcore.documents.keep import KeyAnswer


@unplaced(__doc__)
@click.option("--passphrase", is_flag=True, help="Encrypt the key with a new passphrase.")
def command(session: Session, passphrase: bool) -> KeyAnswer:
    """Makes the key if there is none, and shows its public half."""
    from zimcore.service import signatures

    path = keys.key_file(session.by)
    new = not path.exists()
    key = signatures.new_key() if new else keys.load(path)
    if new or passphrase:
        keys.keep(path, key, keys.asked_for("New passphrase", twice=True) if passphrase else "", new=new)
    return KeyAnswer(session.by, signatures.public_key(key), str(path))
