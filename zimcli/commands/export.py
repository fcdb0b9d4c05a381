"""Write a line or the whole store to a file.

--certificate writes one line up to a position: a file that anybody can verify without your store, sign, and import.
--jsonl writes all games, entry by entry; without a FILE, to stdout. Importing that elsewhere gives the same store.

Example::

    zim export kilwa-7/main --certificate kilwa-7.cert
    zim export --jsonl games.jsonl
"""

from __future__ import annotations

import click
import msgspec

from zimcli import files
from zimcli.command import Placed, argument, declared, viewer_options
from zimcli.session import Session
from zimcore.documents.keep import CertificateHead, ExportAnswer


class Export(Placed):
    """With `--jsonl` there is no place."""

    def placed(self, session: Session, args: list[str]) -> list[str]:
        """The arguments, with a whole place in front where one is meant."""
        return args if any(arg.startswith("--jsonl") for arg in args) else super().placed(session, args)


@declared(__doc__, Export, {})
@argument("place", required=False)
@viewer_options
@click.option("--certificate", default="", metavar="FILE", help="A certificate of the line.")
@click.option("--jsonl", is_flag=False, flag_value="-", default="", metavar="[FILE]", help="All games.")
def command(session: Session, place: str, certificate: str, jsonl: str) -> ExportAnswer | None:
    """Writes a file; where that is stdout, it is the answer."""
    if bool(certificate) == bool(jsonl):
        raise click.UsageError("What is to be written: --certificate FILE, or --jsonl?")
    if jsonl:
        files.write(jsonl, session.service.export(session.viewer))
        return None
    from zimcore.service import certificates

    issued = session.service.certificate(place, session.viewer)
    files.write(certificate, [certificates.write(issued)])
    head = msgspec.convert(issued.head, CertificateHead, from_attributes=True)
    recorded = session.service.recorded(f"{head.game}/{head.line}@{head.head}")
    return ExportAnswer(head, certificate, recorded) if certificate != "-" else None
