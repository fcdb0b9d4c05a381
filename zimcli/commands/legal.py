"""List what can be played now.

WORDS narrow it down: only the commands whose words begin so (`cra pot d`).

Example::

    zim legal kilwa-7 craft potter
"""

from __future__ import annotations

import sys
from itertools import islice

import click

from zimcli.command import placed
from zimcli.completing import completes, words_of_commands
from zimcli.playing import note_hidden
from zimcli.session import Session


@placed(__doc__)
@click.argument("words", nargs=-1, shell_complete=completes(words_of_commands))
@click.option("--count", is_flag=True, help="Only say how many there are.")
@click.option("--most", type=click.IntRange(1, sys.maxsize), metavar="NUMBER", help="Stop after so many.")
def command(session: Session, place: str, words: tuple[str, ...], count: bool, most: int | None) -> None:
    """Prints the legal commands, one a line."""
    position = session.position(place)
    note_hidden(session, position)
    if count and not words:
        session.out.line(str(position.legal().count()))
        session.out.document({"count": position.legal().count()})
        return
    texts = list(islice(position.legal().texts(" ".join(words)), most))
    session.out.document({"count": len(texts)} if count else {"count": len(texts), "legal": texts})
    session.out.lines([(text, "")] for text in ([str(len(texts))] if count else texts))
    if not texts:
        session.out.message(f"nothing that begins so is legal: {position.status}")
