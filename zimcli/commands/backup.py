"""Copy the whole store to a file, while it is in use.

Of a store in a file the copy is another one: `zim --store sqlite:///FILE` opens it. Of a store on a server it is its
export: `zim --store NEW import FILE` reads it. What is copied is checked, entry by entry, before FILE is there.

Don't copy the file of a store yourself while it is in use: what was played last is in the file beside it that ends with
`-wal`, until SQLite moves it over.

Example::

    zim backup games-friday.db
"""

from __future__ import annotations

from pathlib import Path

from zimcli.command import argument, unplaced
from zimcli.session import Session
from zimcore.documents.keep import BackupAnswer


@unplaced(__doc__)
@argument("file")
def command(session: Session, file: str) -> BackupAnswer:
    """Writes the file."""
    store = session.service.store
    return BackupAnswer(store.url, file, store.backup(Path(file)))
