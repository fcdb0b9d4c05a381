"""Show the shapes of documents.

What `--json` answers with has a stable shape for each command. This prints them all, as JSON Schema; they have a
version, which changes if a shape ever loses something.

Example::

    zim schema
"""

from __future__ import annotations

from zimcli.command import unplaced
from zimcli.registry import answers
from zimcli.session import Session
from zimcore.documents.learn import SchemaAnswer
from zimcore.documents.schema import schema


@unplaced(__doc__)
def command(_: Session) -> SchemaAnswer:
    """The shapes of all answers, by the commands that give them."""
    return schema(answers())
