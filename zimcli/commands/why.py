"""Show what made something so, newest first.

SUBJECT is a square (d7), a figure (kilwa.cattle, kilwa.vr, kilwa.potter.price) or any other expression over a
position. Each line is an event after which it was another: for cattle that is the ledger of an account, with the
balance after each posting. Of a chance to win (zulu.chance) it tells which terms of the position make it, and the
turns after which it was quite another.

Example::

    zim why kilwa-7 kilwa.cattle @20
"""

from __future__ import annotations

from zimcli.command import argument, placed
from zimcli.places import names_a_place
from zimcli.session import Session
from zimcore.documents.analysis import WhyChanceAnswer
from zimcore.documents.history import WhyAnswer
from zimcore.history.answers import why_answer


@placed(__doc__, ignore_unknown_options=True)
@argument("words", nargs=-1, required=True, metavar="SUBJECT [PLACE]")
def command(session: Session, place: str, words: tuple[str, ...]) -> WhyAnswer | WhyChanceAnswer:
    """The events that made it so."""
    if len(words) > 1 and names_a_place(words[-1]):
        place, words = session.on_a_line(session.whole(words[-1], place)), words[:-1]
    position, commits, subject = session.position(place), session.log(place), " ".join(words)
    if ".chance" in subject:
        from zimcore.analysis.reasons import seat_of, why_chance

        if seat := seat_of(subject, position.seats):
            session.check_helps(place)
            return why_chance(position, commits, seat)
    return why_answer(position, commits, subject)
