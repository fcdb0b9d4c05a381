"""List what can be played now.

WORDS narrow it down: only the commands whose words begin so (`cra pot d`).

Example::

    zim legal kilwa-7 craft potter
"""

from __future__ import annotations

import sys
from itertools import islice

import click

from zimcli.command import argument, placed
from zimcli.moves import unseen
from zimcli.session import Session
from zimcore.documents.play import LegalAnswer
from zimcore.documents.positions import position_document


@placed(__doc__)
@argument("words", nargs=-1)
@click.option("--count", is_flag=True, help="Only say how many there are.")
@click.option("--most", type=click.IntRange(1, sys.maxsize), metavar="NUMBER", help="Stop after so many.")
def command(session: Session, place: str, words: tuple[str, ...], count: bool, most: int | None) -> LegalAnswer:
    """The legal commands, those that begin so."""
    position, beginning = session.position(place), " ".join(words)
    where, hidden = position_document(position), unseen(position)
    if count and not words:
        return LegalAnswer(count=position.legal().count(), position=where, unseen=hidden)
    texts = tuple(islice(position.legal().texts(beginning), most))
    listed = None if count else texts
    return LegalAnswer(count=len(texts), legal=listed, position=where, beginning=beginning, unseen=hidden)
