"""Sign a certificate.

It is verified first. Signed is every byte of its commits, the kind of game and the version of its rules. Several
players may sign, one after the other, each with a key of their own (zim key).

Example::

    zim sign kilwa-7.cert --seat zulu
"""

from __future__ import annotations

from pathlib import Path

import click

from zimcli import files, keys
from zimcli.certificates import documents, read, required
from zimcli.command import argument, unplaced
from zimcli.session import Session
from zimcore.documents.keep import SignAnswer
from zimcore.game import GameError


@unplaced(__doc__)
@argument("file")
@click.option("--seat", default="", metavar="SEAT", help="Who you played.")
@click.option("--key", "key_file", default="", metavar="FILE", help="Your key, if it is not where zim key keeps it.")
def command(session: Session, file: str, seat: str, key_file: str) -> SignAnswer:
    """Adds a signature to a certificate."""
    from zimcore.service import certificates, signatures

    certificate = read(file)
    required(certificate, session.kinds)
    seats = certificates.seats(certificate, session.kinds)
    if seat and seat not in seats:
        why = f"nobody plays {seat} in {certificate.head.game}"
        raise GameError(f"--seat {seat}", why, [f"sign {file} --seat {each}" for each in seats])
    key = keys.load(Path(key_file) if key_file else keys.key_file(session.by))
    certificate = signatures.signed(certificate, key, session.by, seat)
    files.write(file, [certificates.write(certificate)])
    found = documents(certificate.signatures)
    return SignAnswer(found, file, found[-1])
