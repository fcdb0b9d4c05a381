"""Import an exported line or store, or a game of another site.

A certificate becomes a new line if the store has its game, else a new game; --as names it. A whole store (--jsonl) goes
into an empty store, game by game. If it stops half way, Zim says which games are there; repeat the command to go on.
Moves that a line has already are not stored again.

Zim checks the whole file before it stores anything: size, chain of digests, and every command again. If today's rules
would give another result, the file is refused; --as-recorded stores it anyway, with a permanent mark.

Games of onlineboardgamers.com become new games: from a saved page, from its data alone, from JSON, or from a folder of
these. They keep players, times and chat; GAME@obg/57 is the position that the site shows at replay/57. Where the site
plays otherwise than the rules, Zim reads up to there; --house-rules obg reads on, by the house rules of the site.

Example::

    zim import kilwa-7.cert --as kilwa-7/from-zulu
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from itertools import chain

import click

from zimcli.output.errors import negative_answer_problem, showing_stops
from zimcli.output.files import open_for_reading
from zimcli.proofs.certificate_files import require_genuine_signatures
from zimcli.session.command import argument, plain_command
from zimcli.session.session import Session
from zimcli.study.recorded_files import recordings_in, recordings_in_folder, sheet_option, stop_text
from zimcore.documents.storage import ImportAnswer
from zimcore.game import Game, NotationError, Recording
from zimcore.service import GameService
from zimcore.toolkit.characters import decode_text
from zimcore.toolkit.file_kinds import CERTIFICATE, EXPORT, JSON, PAGE, TEXT, check_kind, kind_of
from zimcore.toolkit.progress import ReportProgress
from zimcore.toolkit.words import numbered

WANTED = "a certificate, an export or a saved game"
IMPORTED_KINDS = (CERTIFICATE, EXPORT, PAGE, JSON, TEXT)


@plain_command(__doc__)
@argument("file")
@click.option("--as", "place", default="", metavar="GAME[/LINE]", help="Name of the imported line or game.")
@click.option("--as-recorded", is_flag=True, help="Store it as it was played, with a mark.")
@sheet_option
@click.option("--any-size", is_flag=True, help="Read more than 64 MiB (for a file that you trust).")
def command(session: Session, file: str, place: str, as_recorded: bool, sheet: str, any_size: bool) -> ImportAnswer:
    """Imports a certificate, a whole store, or recorded games."""
    from zimcore.service.proofs import certificates, importing

    if os.path.isdir(file):
        return import_recordings(session, file, recordings_in_folder(session, file, sheet), place)
    try:
        with (
            open_for_reading(file, WANTED, IMPORTED_KINDS) as certificate_file,
            session.output.progress("importing") as report,
        ):
            lines = importing.limited_lines(certificate_file, any_size=any_size)
            first_line = next(lines, b"")
            all_lines: Iterable[bytes] = chain([first_line], lines)
            if first_line.startswith(certificates.CERTIFICATE_START):
                return import_certificate(session, all_lines, place, report, as_recorded=as_recorded)
            if kind_of(first_line) != EXPORT:
                content = b"".join(all_lines)
                if recordings := recordings_in(session, decode_text(content, file), sheet):
                    return import_recordings(session, file, recordings, place)
                check_kind(content, file, WANTED, [CERTIFICATE, EXPORT])
            service = session.maintenance_service("import", may_create=True)
            options = [*["--as-recorded"] * as_recorded, *["--any-size"] * any_size]
            with showing_stops(*options):
                imported = service.import_(all_lines, report, by=session.by, source=file, as_recorded=as_recorded)
    except importing.FaultyError as error:
        reasons = [f"{fault.kind}: {fault.where}: {fault.what}" for fault in error.faults]
        raise negative_answer_problem(error.kind, error.what, reasons, error.hints) from error
    return ImportAnswer(imported.entries, service.url, imported.games, imported.already)


def import_recordings(
    session: Session, file: str, recordings: Sequence[tuple[Game, Recording]], place: str
) -> ImportAnswer:
    """Stores recorded games. Says of each that is not read to its end where reading stopped."""
    if not recordings:
        raise NotationError(file, "it has no game that Zim can read", ["help import"])
    if place and len(recordings) > 1:
        raise click.UsageError("--as NAME takes one game.")
    service, position = session.maintenance_service("import", may_create=True), None
    entry_count = 0
    for game, recording in recordings:
        position = service.record(game.name, recording, place.partition("/")[0], by=session.by)
        entry_count += recording.entries
        if recording.stopped_at:
            session.show_note(f"{position.match} is read up to {stop_text(recording, file)}")
        elif recording.wrong:
            session.show_note(f"{position.match}: {numbered(len(recording.wrong), 'statement')} of the site disagree")
    if position and len(recordings) == 1:
        return ImportAnswer(position=session.position_answer(position).position)
    return ImportAnswer(entry_count, service.url, len(recordings), 0)


def import_certificate(
    session: Session, lines: Iterable[bytes], place: str, report: ReportProgress, *, as_recorded: bool
) -> ImportAnswer:
    """Verifies and stores a certificate."""
    from zimcore.service.proofs import certificates

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
