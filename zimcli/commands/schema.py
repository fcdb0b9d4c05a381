"""Show the shapes of documents.

What `--json` answers with has a stable shape for each command. This prints them all, as JSON Schema; they have a
version, which changes if a shape ever loses something.

Example::

    zim schema
"""

from __future__ import annotations

import msgspec

from zimcli.command import pass_session, unplaced
from zimcli.session import Session
from zimcli.shapes import schema


@unplaced(__doc__)
@pass_session
def command(session: Session) -> None:
    """Prints the schema; as a document on one line."""
    found = schema()
    session.out.document(found)
    session.out.lines([(line, "")] for line in msgspec.json.format(msgspec.json.encode(found)).decode().splitlines())
