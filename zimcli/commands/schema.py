"""Show the shapes of documents.

What `--json` answers with has a stable shape for each command. This prints them all, as JSON Schema, and what `zim
pipe` takes; they have a version, which changes if a shape ever loses something.

Example::

    zim schema
"""

from __future__ import annotations

from zimcli.command import unplaced
from zimcli.registry import ENTRIES, answers
from zimcli.requests import NOT_HERE, shape
from zimcli.session import Session
from zimcore.documents.learn import SchemaAnswer
from zimcore.documents.schema import schema


@unplaced(__doc__)
def command(_: Session) -> SchemaAnswer:
    """The shapes of all answers, by the commands that give them."""
    return schema(answers(), {entry.name: shape(entry) for entry in ENTRIES if entry.name not in NOT_HERE})
