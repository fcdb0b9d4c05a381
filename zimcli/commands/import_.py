"""Read what was exported.

A certificate is verified, and becomes a new line of the game if the store has it, or else a new game; --as says what
it is called. A whole store (--jsonl) goes into an empty one; an import that broke off is gone on with by the same
command.

Example::

    zim import kilwa-7.cert --as kilwa-7/from-zulu
"""

from __future__ import annotations

from itertools import chain

import click

from zimcli.certificates import required
from zimcli.command import argument, unplaced
from zimcli.files import reading
from zimcli.session import Session
from zimcore.documents.keep import ImportAnswer

CERTIFICATE = b'{"zim":"certificate'


@unplaced(__doc__)
@argument("file")
@click.option("--as", "place", default="", metavar="GAME[/LINE]", help="What it is to be called.")
def command(session: Session, file: str, place: str) -> ImportAnswer:
    """Imports a certificate or a whole store."""
    with reading(file) as lines:
        first = lines.readline()
        if first.startswith(CERTIFICATE):
            return certificate(session, first + lines.read(), place)
        with session.out.progress("importing") as report:
            entries = session.service.import_(chain([first], lines), report)
    return ImportAnswer(entries=entries, store=session.service.store.url)


def certificate(session: Session, data: bytes, place: str) -> ImportAnswer:
    """Verifies a certificate, and stores it."""
    from zimcore.service import certificates

    read = certificates.read(data)
    required(read, session.kinds, today=False)
    arrived = session.arrived(session.service.adopt(read, place, by=session.by, viewer=session.viewer))
    return ImportAnswer(position=arrived.position)
