"""Examine a store or a server for faults in its configuration.

Each finding says what is wrong, why it matters, and what to type. In a store Zim checks whether it can write, who else
may read, free space, journal, PostgreSQL's role and settings, NOTIFY, old seals, clock and versions. --backup FILE
compares the store with its last backup. --processes N is how many `zim serve` processes need connections to the
database.

--url examines a server from outside: TLS, clock, /health, /metrics, headers, and whether its proxy passes a feed on at
once. To test the feed, Zim uses a game that you joined there; --game names another.

Zim changes nothing, and each check has a time limit. Zim lists what it could not check. Exits with 1 if there are
problems; remarks do not count. `zim db check` checks the stored moves themselves.

Example::

    zim doctor --backup friday.db
    zim doctor --url https://zim.example
"""

from __future__ import annotations

import click
from msgspec.structs import replace

from zimcli.output.errors import negative_answer_problem
from zimcli.session.command import plain_command
from zimcli.session.session import Session
from zimcli.shell.exit_codes import FailedError
from zimcli.shell.installation import install_hint
from zimcore.documents.health import DoctorAnswer, HealthFinding
from zimcore.remote import is_remote, remote_library
from zimcore.toolkit.words import numbered


@plain_command(__doc__)
@click.option("--url", default="", metavar="URL", help="Examine this server instead of the store.")
@click.option(
    "--backup", "backup_file", default="", metavar="FILE", help="The last backup of the store, to compare it with."
)
@click.option("--game", default="", metavar="NAME", help="With --url: the game whose feed to test.")
@click.option(
    "--processes",
    "process_count",
    type=click.IntRange(1, 10_000),
    metavar="N",
    help="How many processes share the database.",
)
@click.option(
    "--direct",
    envvar="ZIM_DIRECT",
    default="",
    metavar="URL",
    help="The database without a connection pool in between, as for zim serve (ZIM_DIRECT).",
)
def command(
    session: Session, url: str, backup_file: str, game: str, process_count: int | None, direct: str
) -> DoctorAnswer:
    """Examines the store or the server. Raises `FailedError` if there are problems."""
    address = session.address
    url = url or (address if is_remote(address) else "")
    if backup_file == "-":
        raise click.UsageError("--backup takes the name of a file: a database can't be read from stdin.")
    if url and (backup_file or process_count):
        raise click.UsageError("--backup and --processes are about a store: run zim doctor where the store is.")
    if game and not url:
        raise click.UsageError("--game is about a server: add --url https://HOST.")
    answer = examine_server(url, game) if url else examine_local_store(address, backup_file, process_count or 0, direct)
    answer = replace(answer, findings=tuple(map(with_install_hints, answer.findings)))
    if count := len(answer.problems):
        problem_text = f"{numbered(count, 'problem')} with {answer.about}"
        raise FailedError(answer, negative_answer_problem("unhealthy", problem_text))
    return answer


def with_install_hints(finding: HealthFinding) -> HealthFinding:
    """The finding with hints to install something as it is typed where Zim was installed as it was here."""
    return replace(finding, hints=tuple(map(install_hint, finding.hints)))


def examine_local_store(store: str, backup_file: str, process_count: int, direct: str) -> DoctorAnswer:
    """Examines the store at a URL. Don't open it before: that would tidy away what a crashed program left."""
    from zimcore.service.health import store_health

    return store_health.examine_store(store, backup_file, process_count, direct)


def examine_server(url: str, game: str) -> DoctorAnswer:
    """Examines a server, with the tokens that the user has for it."""
    remote_library()  # its error says what to install
    from zimcore.remote import server_health
    from zimcore.remote.client_files import Folders

    return server_health.examine_server(url, Folders.of_user(), game)
