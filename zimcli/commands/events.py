"""List the facts of a line.

Example::

    zim events kilwa-7@-1 --json
"""

from __future__ import annotations

import msgspec

from zimcli.command import placed
from zimcli.session import Session
from zimcore.documents.history import EventsAnswer
from zimcore.documents.positions import Fact, position_document


@placed(__doc__)
def command(session: Session, place: str) -> EventsAnswer:
    """Every event on the way to a place; as a document, in the form in which it is stored."""
    position = session.position(place)
    describe = position.game.notation.describe
    facts = [(commit.number, event) for commit in session.log(place) for event in commit.events]
    return EventsAnswer(
        events=tuple({"number": number, **msgspec.to_builtins(event)} for number, event in facts),
        facts=tuple(Fact(number, describe(event)) for number, event in facts),
        position=position_document(position),
    )
