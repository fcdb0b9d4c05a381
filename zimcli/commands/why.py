"""Show what made something so, newest first.

SUBJECT is a square (d7), a figure (kilwa.cattle, kilwa.vr, kilwa.potter.price) or any other expression over a
position. Each line is an event after which it was another: for cattle that is the ledger of an account, with the
balance after each posting.

Example::

    zim why kilwa-7 kilwa.cattle @20
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import click
import msgspec

from zimcli.command import placed
from zimcli.completing import completes, subjects
from zimcli.documents import position_document
from zimcli.places import names_a_place
from zimcli.render.figures import shown
from zimcli.render.palette import seat_style
from zimcli.render.spans import Line
from zimcli.session import Session
from zimcore.game import Game, Seat
from zimcore.history import Posting, Why, why


@placed(__doc__, ignore_unknown_options=True)
@click.argument("words", nargs=-1, required=True, metavar="SUBJECT [PLACE]", shell_complete=completes(subjects))
def command(session: Session, place: str, words: tuple[str, ...]) -> None:
    """Prints the events that made it so."""
    if len(words) > 1 and names_a_place(words[-1]):
        place, words = session.whole(words[-1], place), words[:-1]
    position = session.position(place)
    found = why(position.game, session.log(place), " ".join(words))
    session.out.document(document(found, position.game) | {"position": position_document(position)})
    where = f"{position.match} {position.line} @{position.commit.number}"
    session.out.line((where, "bold"), (" · ", "dim"), f"{found.subject} is {shown(found.value)}")
    session.out.lines(posting_lines(found, position.game, position.colours))


def posting_lines(found: Why, game: Game, colours: Mapping[Seat, str]) -> Iterator[Line]:
    """One line a posting: the move, whose it was, the change and what it came to, and the event."""
    rows = [(posting, changed(posting)) for posting in found.postings]
    width = max((len(text) for _, text in rows), default=0)
    for posting, text in rows:
        seat = posting.commit.seat
        style = seat_style(seat, colours) if seat else ""
        yield [
            (f"{posting.commit.number:>4} ", "dim"),
            (f" {seat:<10} ", style),
            (f" {text:<{width}}", "bold"),
            (f"  {game.notation.describe(posting.event)}", ""),
        ]


def changed(posting: Posting) -> str:
    """`+2 = 7` for a number, `→ gu` for anything else."""
    if posting.change is None:
        return f"→ {shown(posting.after)}"
    return f"{posting.change:+d} = {posting.after}"


def document(found: Why, game: Game) -> dict[str, Any]:
    """The answer as a document: the postings with the move, the event as it is stored and as it is told."""
    postings = [
        {
            "number": posting.commit.number,
            "digest": posting.commit.digest,
            "seat": posting.commit.seat,
            "event": msgspec.to_builtins(posting.event),
            "told": game.notation.describe(posting.event),
            "before": posting.before,
            "after": posting.after,
            "change": posting.change,
        }
        for posting in found.postings
    ]
    return {"why": found.subject, "value": found.value, "postings": postings}
