"""Look after the database of a store.

`init` makes the tables where there are none; what is there stays. A store on a server needs that once, before the
first game; a file is made by the first game anyway.

Example::

    ZIM_STORE=postgresql://localhost/games zim db init
"""

from __future__ import annotations

import click

from zimcli.command import argument, unplaced
from zimcli.session import Session
from zimcore.documents.keep import StoreAnswer


@unplaced(__doc__)
@argument("what", type=click.Choice(["init"]))
def command(session: Session, what: str) -> StoreAnswer:
    """Makes the tables."""
    del what  # there is only one thing to be done
    store = session.service.store
    store.create()
    return StoreAnswer(store.url)
