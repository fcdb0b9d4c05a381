"""Write a line or the whole store to a file.

--certificate writes one line up to a position: a file that anybody can verify without your store, sign, and import.
--certificates writes one for each line of every game into a folder: kilwa-7.main.cert.
--jsonl writes all games, entry by entry; without a FILE, to stdout. Importing that elsewhere gives the same store.

Example::

    zim export kilwa-7/main --certificate kilwa-7.cert
    zim export --jsonl games.jsonl
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
import msgspec

from zimcli import files
from zimcli.command import Placed, argument, declared, viewer_options
from zimcli.session import Session
from zimcore.documents.keep import CertificateHead, ExportAnswer, ExportsAnswer


class Export(Placed):
    """With `--jsonl` there is no place."""

    def placed(self, session: Session, args: list[str]) -> list[str]:
        """The arguments, with a whole place in front where one is meant."""
        return (
            args
            if any(arg.startswith(("--jsonl", "--certificates")) for arg in args)
            else super().placed(session, args)
        )


@declared(__doc__, Export, {})
@argument("place", required=False)
@viewer_options
@click.option("--certificate", default="", metavar="FILE", help="A certificate of the line.")
@click.option("--certificates", "folder", default="", metavar="DIR", help="Certificates of all lines.")
@click.option("--jsonl", is_flag=False, flag_value="-", default="", metavar="[FILE]", help="All games.")
def command(
    session: Session, place: str, certificate: str, folder: str, jsonl: str
) -> ExportAnswer | ExportsAnswer | None:
    """Writes a file; where that is stdout, it is the answer."""
    if sum(map(bool, (certificate, folder, jsonl))) != 1:
        raise click.UsageError("What is to be written: --certificate FILE, --certificates DIR, or --jsonl?")
    if folder:
        return ExportsAnswer(tuple(every_line(session, Path(folder))))
    if jsonl:
        files.write(jsonl, session.service.export(session.viewer))
        return None
    from zimcore.service import certificates

    issued = session.service.certificate(place, session.viewer)
    files.write(certificate, [certificates.write(issued)])
    head = msgspec.convert(issued.head, CertificateHead, from_attributes=True)
    recorded = session.service.recorded(f"{head.game}/{head.line}@{head.head}")
    return ExportAnswer(head, certificate, recorded) if certificate != "-" else None


def every_line(session: Session, folder: Path) -> Iterator[ExportAnswer]:
    """Writes a certificate of each line of every game."""
    from zimcore.service import certificates

    folder.mkdir(parents=True, exist_ok=True)
    games = session.service.games()
    with session.out.progress("writing certificates") as report:
        for done, game in enumerate(games, 1):
            for line in session.service.lines(game.name):
                file = str(folder / f"{game.name}.{line.name}.cert")
                issued = session.service.certificate(f"{game.name}/{line.name}", session.viewer)
                files.write(file, [certificates.write(issued)])
                yield ExportAnswer(msgspec.convert(issued.head, CertificateHead, from_attributes=True), file)
            report(done, len(games))
