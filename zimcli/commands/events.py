"""List the facts of a line.

Example::

    zim events kilwa-7@-1 --json
"""

from __future__ import annotations

import msgspec

from zimcli.command import placed
from zimcli.session import Session


@placed(__doc__)
def command(session: Session, place: str) -> None:
    """Prints every event on the way to a place; as a document, in the form in which it is stored."""
    position = session.position(place)
    facts = [(commit.number, event) for commit in session.log(place) for event in commit.events]
    session.out.document({"events": [{"number": number, **msgspec.to_builtins(event)} for number, event in facts]})
    for number, event in facts:
        session.out.line((f"{number:>4}  ", "dim"), position.game.notation.describe(event))
