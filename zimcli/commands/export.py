"""Write a line or the whole store to a file.

--certificate writes one line up to a position: a file that other people can verify without your store, sign, and
import. --certificates writes one for each line of every game into a folder: kilwa-7.main.cert. If lines are damaged,
their names are listed and the exit code is 1. A seat's private lines are left out where a seat with a key has not
signed.

--jsonl writes all games, entry by entry; without FILE, to stdout. Importing that elsewhere gives the same store, chat
included. Private notes are not exported.

--tables writes games, commits, events, payments, standings by round and chances into a folder, one CSV file each
(--parquet: Parquet, extra `tables`). It takes the places that you name, or all games, each on its current line. What is
hidden from you is left out. docs/tables.md explains the columns.

Example::

    zim export kilwa-7/main --certificate kilwa-7.cert
    zim export --jsonl games.jsonl
    zim export --tables tables kilwa-7
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import click
import msgspec

from zimcli.output.errors import negative_answer_problem
from zimcli.session.command import PlaceCommand, argument, declare_command, viewer_options
from zimcli.session.output_files import FileToWrite, OutputFile
from zimcli.session.session import Session
from zimcli.shell.exit_codes import FailedError
from zimcore.documents.storage import CertificateHead, ExportAnswer, ExportsAnswer, TablesAnswer
from zimcore.game import GameError, NotationError
from zimcore.service import DamagedError
from zimcore.toolkit.words import numbered


class ExportCommand(PlaceCommand):
    """Takes no place with `--jsonl`, and several with `--tables`."""

    def with_place(self, session: Session, args: list[str]) -> list[str]:
        """The arguments, with a place and its line in front if the options need one.

        Raises `NotationError` for a file without an option that says what to write.
        """
        if any(arg.startswith("--tables") for arg in args):
            return args
        typed_arguments = [args[index] for index in self.argument_indexes(args)]
        if len(typed_arguments) > 1 or any(place.endswith((".cert", ".jsonl")) for place in typed_arguments):
            file = next((place for place in typed_arguments if "." in place), typed_arguments[-1])
            other_places = [place for place in typed_arguments if place != file] or ["kilwa-7"]
            hints = (
                [f"export --jsonl {file}"]
                if file.endswith(".jsonl")
                else [f"export {other_places[0]} --certificate {file}"]
            )
            raise NotationError(
                " ".join(["export", *typed_arguments]), f"an option has to say what to write to {file}", hints
            )
        return (
            args
            if any(arg.startswith(("--jsonl", "--certificates")) for arg in args)
            else super().with_place(session, args)
        )


@declare_command(__doc__, ExportCommand, {})
@argument("place", required=False)
@argument("places", nargs=-1)
@viewer_options
@click.option(
    "--certificate", "certificate_file", type=OutputFile(), metavar="FILE", help="Write a certificate of the line."
)
@click.option(
    "--certificates",
    "certificates_folder",
    type=OutputFile("folder"),
    metavar="DIR",
    help="Write certificates of all lines.",
)
@click.option(
    "--jsonl",
    "jsonl_file",
    is_flag=False,
    flag_value="-",
    type=OutputFile(),
    metavar="[FILE]",
    help="Write all games.",
)
@click.option(
    "--tables",
    "tables_folder",
    type=OutputFile("folder"),
    metavar="DIR",
    help="Write tables of all games, or of some.",
)
@click.option("--parquet", "writes_parquet", is_flag=True, help="With --tables: write Parquet instead of CSV.")
def command(
    session: Session,
    place: str,
    places: tuple[str, ...],
    certificate_file: FileToWrite | None,
    certificates_folder: FileToWrite | None,
    jsonl_file: FileToWrite | None,
    tables_folder: FileToWrite | None,
    writes_parquet: bool,
) -> ExportAnswer | ExportsAnswer | TablesAnswer | None:
    """Writes files. Returns None for `--jsonl`, and for a certificate that is written to stdout."""
    if sum(map(bool, (certificate_file, certificates_folder, jsonl_file, tables_folder))) != 1:
        raise click.UsageError("Say what to write: --certificate FILE, --certificates DIR, --jsonl, or --tables DIR.")
    if (places or writes_parquet) and not tables_folder:
        raise click.UsageError("Only --tables DIR takes several places and --parquet.")
    if place and (jsonl_file or certificates_folder):
        raise click.UsageError(
            f"Only --certificate and --tables take a place: this writes all games. Leave {place} out."
        )
    if tables_folder:
        from zimcli.study.table_files import write_tables

        return write_tables(session, tables_folder, [place, *places] if place else [], parquet=writes_parquet)
    if certificates_folder:
        return write_all_certificates(session, certificates_folder)
    if jsonl_file:
        jsonl_rows = session.maintenance_service("export --jsonl", "export PLACE --certificate FILE").export(
            session.viewer
        )
        jsonl_file.write(jsonl_rows)
        return None
    assert certificate_file, "one of them is given"
    from zimcore.service.proofs import certificates

    line_certificate = session.service.certificate(place, session.viewer)
    certificate_file.write([certificates.to_bytes(line_certificate)])
    certificate_head = msgspec.convert(line_certificate.header, CertificateHead, from_attributes=True)
    deviation_text = session.service.recorded_deviation(
        f"{certificate_head.game}/{certificate_head.line}@{certificate_head.head}"
    )
    return (
        None if certificate_file.path == "-" else ExportAnswer(certificate_head, certificate_file.path, deviation_text)
    )


def write_all_certificates(session: Session, folder: FileToWrite) -> ExportsAnswer:
    """Writes a certificate of each line of every game. Raises `FailedError` if some lines are damaged.

    Raises `OutputError` before anything is written if one of the files exists.
    """
    from zimcore.service.proofs.certificates import UnsignedError

    places_by_game = {game: list(line_places(session, game)) for game in session.service.game_names()}
    for place, read_error in chain.from_iterable(places_by_game.values()):
        if not read_error:
            certificate_file(place, folder).check()
    folder.make_folder()
    answers = list[ExportAnswer]()
    damaged_lines = list(session.local_service.damaged_names() if session.local_service else ())
    with session.output.progress("writing certificates") as report:
        for count, places in enumerate(places_by_game.values(), 1):
            for place, read_error in places:
                if read_error:
                    damaged_lines.append(f"{place}: {read_error}")
                    continue
                try:
                    answers.append(write_certificate(session, place, folder))
                except UnsignedError:  # a private line, whose moves are not signed
                    continue
                except (DamagedError, GameError) as error:
                    damaged_lines.append(f"{place}: {error}")
            report(count, len(places_by_game))
    answer = ExportsAnswer(tuple(answers))
    if damaged_lines:
        problem_text = f"{numbered(len(damaged_lines), 'line')} could not be written"
        raise FailedError(
            answer, negative_answer_problem("damaged", problem_text, damaged_lines, ["db check", "db salvage NEW"])
        )
    return answer


def line_places(session: Session, game: str) -> Iterator[tuple[str, str]]:
    """Pairs of a place and an error: each line of a game with "", or the game alone, if its lines can't be read."""
    try:
        yield from ((f"{game}/{line}", "") for line in session.service.line_names(game))
    except (DamagedError, GameError) as error:
        yield game, str(error)


def certificate_file(place: str, folder: FileToWrite) -> FileToWrite:
    """The file in a folder for the certificate of a line."""
    return folder.inside(f"{place.replace('/', '.')}.cert")


def write_certificate(session: Session, place: str, folder: FileToWrite) -> ExportAnswer:
    """Writes the certificate of a line."""
    from zimcore.service.proofs import certificates

    file = certificate_file(place, folder)
    certificate = session.service.certificate(place, session.viewer)
    file.write([certificates.to_bytes(certificate)])
    return ExportAnswer(msgspec.convert(certificate.header, CertificateHead, from_attributes=True), file.path)
