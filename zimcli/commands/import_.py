"""Import an exported line or store.

A certificate becomes a new line if the store has its game, else a new game; --as names it. A whole store (--jsonl) goes
into an empty store, game by game. If it stops half way, Zim says which games are there; repeat the command to go on.
Moves that a line has already are not stored again.

Zim checks the whole file before it stores anything: size, chain of digests, and every command again. If today's rules
would give another result, the file is refused; --as-recorded stores it anyway, with a permanent mark.

Example::

    zim import kilwa-7.cert --as kilwa-7/from-zulu
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import chain

import click

from zimcli.certificate_files import require_genuine_signatures
from zimcli.command import argument, plain_command
from zimcli.errors import negative_answer_problem, showing_stops
from zimcli.files import open_for_reading
from zimcli.session import Session
from zimcore.documents.storage import ImportAnswer
from zimcore.game import NotationError
from zimcore.service import GameService
from zimcore.toolkit.progress import ReportProgress

CERTIFICATE_START = b'{"zim":"certificate'


@plain_command(__doc__)
@argument("file")
@click.option("--as", "place", default="", metavar="GAME[/LINE]", help="Name of the imported line or game.")
@click.option("--as-recorded", is_flag=True, help="Store it as it was played, with a mark.")
@click.option("--any-size", is_flag=True, help="Read more than 64 MiB (for a file that you trust).")
def command(session: Session, file: str, place: str, as_recorded: bool, any_size: bool) -> ImportAnswer:
    """Imports a certificate or a whole store."""
    from zimcore.service import importing

    try:
        with open_for_reading(file) as certificate_file, session.output.progress("importing") as report:
            lines = importing.limited_lines(certificate_file, any_size=any_size)
            first_line = next(lines, b"")
            if not first_line.strip():
                raise NotationError(file, "the file is empty", ["help import"])
            all_lines = chain([first_line], lines)
            if first_line.startswith(CERTIFICATE_START):
                return import_certificate(session, all_lines, place, report, as_recorded=as_recorded)
            service = session.maintenance_service("import", may_create=True)
            options = [*["--as-recorded"] * as_recorded, *["--any-size"] * any_size]
            with showing_stops(*options):
                imported = service.import_(all_lines, report, by=session.by, source=file, as_recorded=as_recorded)
    except importing.FaultyError as error:
        reasons = [f"{fault.kind}: {fault.where}: {fault.what}" for fault in error.faults]
        raise negative_answer_problem(error.kind, error.what, reasons, error.hints) from error
    return ImportAnswer(imported.entries, service.url, imported.games, imported.already)


def import_certificate(
    session: Session, lines: Iterable[bytes], place: str, report: ReportProgress, *, as_recorded: bool
) -> ImportAnswer:
    """Verifies and stores a certificate."""
    from zimcore.service import certificates

    certificate = certificates.read_lines(lines)
    require_genuine_signatures(certificate)
    service, viewer = session.maintenance_service("import", may_create=True), session.viewer
    lines_before = {
        f"{match}/{line}"
        for match in (certificate.header.game, place)
        if match
        for line in existing_lines(service, match)
    }
    position = service.adopt(certificate, place, by=session.by, as_recorded=as_recorded, report=report, viewer=viewer)
    deviation = service.recorded_deviation(f"{position.match}/{position.line}")
    if position.place in lines_before:
        session.show_note(f"all of it is here already, on {position.place}: nothing was stored")
    return ImportAnswer(position=session.position_answer(position).position, recorded=deviation)


def existing_lines(service: GameService, match: str) -> Collection[str]:
    """The lines that a game has before anything is imported; none if there is no such game."""
    return service.line_names(match) if service.has_game(match) else ()
