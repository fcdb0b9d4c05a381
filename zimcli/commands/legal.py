"""List what can be played now.

WORDS narrow it down: only the commands whose words begin so (`cra pot d`). Without words it says how many there are of
each kind where they are many; --all lists them. With --sample one of all that is legal is drawn, without listing the
others: for a program that plays at random. The same number draws the same.

Example::

    zim legal kilwa-7 craft potter
"""

from __future__ import annotations

import sys
from collections import Counter
from itertools import islice

import click

from zimcli.command import argument, place_command
from zimcli.playing import random_command
from zimcli.session import Session
from zimcore.documents.play import LegalAnswer
from zimcore.documents.positions import position_document, unseen

MAX_LISTED = 24
"""Commands that are listed without being asked for."""


@place_command(__doc__)
@argument("words", nargs=-1)
@click.option("--count", is_flag=True, help="Only say how many there are.")
@click.option("--all", "all_", is_flag=True, help="List all, however many there are.")
@click.option("--most", type=click.IntRange(1, sys.maxsize), metavar="NUMBER", help="Stop after this many.")
@click.option("--sample", type=int, metavar="NUMBER", help="Draw one of them.")
def command(
    session: Session, place: str, words: tuple[str, ...], count: bool, all_: bool, most: int | None, sample: int | None
) -> LegalAnswer:
    """The legal commands, those that begin so, or one that is drawn; a document has all of them in any case."""
    position, beginning = session.position(place), " ".join(words)
    where, hidden = position_document(position), unseen(position)
    if sample is not None:
        if words or count or most:
            raise click.UsageError("--sample draws one of all that is legal.")
        found = random_command(position, sample)
        one = () if found is None else (found,)
        return LegalAnswer(count=len(one), legal=one, position=where, unseen=hidden)
    if count and not words:
        return LegalAnswer(count=position.legal().count(), position=where, unseen=hidden)
    texts = tuple(islice(position.legal().texts(beginning), most))
    listed = None if count else texts
    summed = not (words or all_ or most or count) and len(texts) > MAX_LISTED
    kinds = dict(Counter(map(kind, texts))) if summed else {}
    return LegalAnswer(count=len(texts), legal=listed, position=where, beginning=beginning, unseen=hidden, kinds=kinds)


def kind(text: str) -> str:
    """What a command is counted as: its first word, and what that is about unless it is a square or a number.

    >>> kind("craft potter d4-d5"), kind("build d4"), kind("bid 3")
    ('craft potter', 'build', 'bid')
    """
    verb, *rest = text.split()
    return f"{verb} {rest[0]}" if rest and rest[0].replace("_", "").isalpha() else verb
