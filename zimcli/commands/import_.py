"""Read what was exported.

A certificate becomes a new line of the game if the store has it, or else a new game; --as says what it is called. What
a line has already is not stored again. A whole store (--jsonl) goes into an empty one, game by game; an import that
broke off is gone on with by the same command.

All of a file is checked before any of it is stored: its size, the chain of digests, and every command is decided again.
What today's rules would not give is refused; --as-recorded stores it all the same, with a mark that stays.

Example::

    zim import kilwa-7.cert --as kilwa-7/from-zulu
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from itertools import chain

import click

from zimcli.certificate_files import required_signatures
from zimcli.command import argument, plain_command
from zimcli.errors import answer_is_no
from zimcli.files import reading
from zimcli.session import Session
from zimcore.documents.storage import ImportAnswer
from zimcore.service import GameService

CERTIFICATE = b'{"zim":"certificate'


@plain_command(__doc__)
@argument("file")
@click.option("--as", "place", default="", metavar="GAME[/LINE]", help="What it is to be called.")
@click.option("--as-recorded", is_flag=True, help="Store it by the rules that it was played by, and mark it.")
@click.option("--any-size", is_flag=True, help="Read more than 64 MiB: for a file of your own.")
def command(session: Session, file: str, place: str, as_recorded: bool, any_size: bool) -> ImportAnswer:
    """Imports a certificate or a whole store."""
    from zimcore.service import importing

    try:
        with reading(file) as opened, session.out.progress("importing") as report:
            lines = importing.lines_of(opened, any_size=any_size)
            first = next(lines, b"")
            whole = chain([first], lines)
            if first.startswith(CERTIFICATE):
                return certificate(session, whole, place, report, as_recorded=as_recorded)
            kept = session.keeper("import", making=True)
            entries = kept.import_(whole, report, by=session.by, as_recorded=as_recorded)
    except importing.FaultyError as error:
        why = [f"{fault.kind}: {fault.where}: {fault.what}" for fault in error.faults]
        raise answer_is_no(error.kind, error.what, why, error.hints) from error
    return ImportAnswer(entries=entries, store=kept.url)


def certificate(
    session: Session, lines: Iterable[bytes], place: str, report: Callable[[int, int], None], *, as_recorded: bool
) -> ImportAnswer:
    """Verifies a certificate, and stores it."""
    from zimcore.service import certificates

    read = certificates.read_lines(lines)
    required_signatures(read)
    service, viewer = session.keeper("import", making=True), session.viewer
    before = {f"{match}/{line}" for match in (read.head.game, place) if match for line in lines_before(service, match)}
    position = service.adopt(read, place, by=session.by, as_recorded=as_recorded, report=report, viewer=viewer)
    recorded = service.recorded_deviation(f"{position.match}/{position.line}")
    if position.place in before:
        session.note(f"all of it is here already, on {position.place}: nothing was stored")
    return ImportAnswer(position=session.position_answer(position).position, recorded=recorded)


def lines_before(service: GameService, match: str) -> Collection[str]:
    """The lines that a game has before anything is imported; none if there is no such game."""
    return service.line_names(match) if service.has_game(match) else ()
