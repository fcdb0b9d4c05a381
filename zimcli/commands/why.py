"""Show what made something so, newest first.

SUBJECT is a square (d7), a figure (kilwa.cattle, kilwa.vr, kilwa.potter.price) or any other expression over a
position. Each line is an event after which it was another: for cattle that is the ledger of an account, with the
balance after each posting.

Example::

    zim why kilwa-7 kilwa.cattle @20
"""

from __future__ import annotations

import msgspec

from zimcli.command import argument, placed
from zimcli.places import names_a_place
from zimcli.session import Session
from zimcore.documents.history import Posting, WhyAnswer
from zimcore.documents.positions import position_document
from zimcore.game import Game
from zimcore.history import why
from zimcore.history.why import Posting as Found


@placed(__doc__, ignore_unknown_options=True)
@argument("words", nargs=-1, required=True, metavar="SUBJECT [PLACE]")
def command(session: Session, place: str, words: tuple[str, ...]) -> WhyAnswer:
    """The events that made it so."""
    if len(words) > 1 and names_a_place(words[-1]):
        place, words = session.on_a_line(session.whole(words[-1], place)), words[:-1]
    position = session.position(place)
    found = why(position.game, session.log(place), " ".join(words))
    postings = tuple(posting(each, position.game) for each in found.postings)
    return WhyAnswer(found.subject, found.value, postings, position_document(position))


def posting(found: Found, game: Game) -> Posting:
    """An event with its commit, as it is stored and in words."""
    return Posting(
        number=found.commit.number,
        digest=found.commit.digest,
        seat=found.commit.seat,
        event=msgspec.to_builtins(found.event),
        told=game.notation.describe(found.event),
        before=found.before,
        after=found.after,
        change=found.change,
    )
