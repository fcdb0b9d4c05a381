"""The commands that archive and delete games, and those that copy, check and save a store."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

import click

from zimcli.output.errors import negative_answer_problem, showing_stops
from zimcli.output.files import open_for_reading
from zimcli.session.allowed_programs import check_may_run
from zimcli.session.command import (
    GameCommand,
    RetryOptions,
    argument,
    place_command,
    plain_command,
    retry_options,
    viewer_options,
)
from zimcli.session.output_files import FileToWrite, OutputFile
from zimcli.session.session import Session
from zimcli.shell.exit_codes import FailedError
from zimcore.documents.storage import BackupAnswer, PutAwayAnswer, StoreAnswer
from zimcore.service import GameService
from zimcore.service.care import maintenance
from zimcore.toolkit.file_kinds import BINARY, EMPTY, STORE
from zimcore.toolkit.words import numbered

MISSING_NAME_ERRORS = {
    "restore": "Name the backup to put in the store's place: zim db restore FILE.",
    "salvage": "Name a new store for what can be saved: zim db salvage NEW.",
    "upgrade": "Name a new file for a backup of the store: zim db upgrade NEW.",
}
"""The subcommands of `db` that take a name, each with its error if there is none."""
REMOVAL_QUESTIONS = (
    ("delete {name} for good", "delete {name}"),
    ("really delete {name} for good: a certificate would keep its moves", "export {name} --certificate {name}.cert"),
)
"""The questions before a removal, each with a command that you may want instead."""


@place_command(command_class=GameCommand)
@click.option("--back", "is_restored", is_flag=True, help="List the game again.")
@retry_options
def archive(session: Session, place: str, is_restored: bool, **options: Unpack[RetryOptions]) -> PutAwayAnswer:
    """Archive a game: it is no longer listed.

    You can still play it by its name. `zim games --archived` lists it, and --back lists it again. See `delete`.

    Example::

        zim archive kilwa-7
        zim archive kilwa-7 --back
    """
    service = session.maintenance_service("archive")
    (service.restore if is_restored else service.archive)(place, by=session.by, viewer=session.viewer, **options)
    return PutAwayAnswer(place, "listed" if is_restored else "archived")


@place_command(command_class=GameCommand)
@click.option("--back", "is_restored", is_flag=True, help="Restore the game.")
@click.option("--for-good", "is_for_good", is_flag=True, help="Remove the game for ever.")
@click.option("--yes", "yes_count", count=True, help="Answer a question of --for-good with yes (twice).")
@retry_options
def delete(
    session: Session, place: str, is_restored: bool, is_for_good: bool, yes_count: int, **options: Unpack[RetryOptions]
) -> PutAwayAnswer:
    """Delete a game; --back restores it.

    Until you restore it, the game can't be found, and a new game can't take its name. `verify` still checks its bytes.

    --for-good removes everything except a note that the game existed, and can't be undone. It works in a store in a
    file of your own, not on a server. Zim asks twice; each --yes answers one question.

    Example::

        zim delete kilwa-7
        zim delete kilwa-7 --back
        zim delete kilwa-7 --for-good --yes --yes
    """
    if is_restored and is_for_good:
        raise click.UsageError("--back can't restore a game that was removed with --for-good: use only one of them.")
    service = session.maintenance_service("delete")
    if is_for_good:
        check_may_run(session, "delete")
        require_confirmation(service, place, yes_count)
    operation = service.restore if is_restored else service.remove if is_for_good else service.delete
    operation(place, by=session.by, viewer=session.viewer, **options)
    if not is_restored:
        session.leave_game(place)
    return PutAwayAnswer(place, "listed" if is_restored else "removed" if is_for_good else "deleted")


def require_confirmation(service: GameService, place: str, yes_count: int) -> None:
    """Raises `ProblemError` with the next question, and what would be lost, until both are answered."""
    if yes_count >= len(REMOVAL_QUESTIONS):
        return
    contents = service.contents(place)
    lines_text, moves_text = numbered(contents.line_count, "line"), numbered(contents.move_count, "move")
    retry_command = f"delete {contents.name} --for-good" + " --yes" * (yes_count + 1)
    question, *hints = REMOVAL_QUESTIONS[yes_count]
    raise negative_answer_problem(
        "sure?",
        question.format(name=contents.name),
        [f"{lines_text} with {moves_text} would be gone for ever"],
        [*(hint.format(name=contents.name) for hint in hints), retry_command],
    )


@plain_command()
@argument("file", type=OutputFile())
@viewer_options
def backup(session: Session, file: FileToWrite) -> BackupAnswer:
    """Back up the whole store to a file, even while it is in use.

    The backup of a store in a file is another store: open it with `zim --store sqlite:///FILE`. The backup of a store
    on a database server is an export: read it with `zim --store NEW import FILE`. Every entry is checked before FILE
    appears.

    A backup contains all hidden cards: with games that have any, add --open.

    Don't copy the file of a store yourself while it is in use: the latest moves are in the file that ends with `-wal`
    until SQLite moves them over.

    Example::

        zim backup games-friday.db --open
    """
    service = session.maintenance_service("backup", "export PLACE --certificate FILE")
    service.check_may_copy(session.viewer, "backup")
    store = service.store
    entry_count = maintenance.backup(store, Path(file.path), replace=file.is_forced)
    return BackupAnswer(store.url, file.path, entry_count)


@plain_command()
@argument("what", type=click.Choice(["init", "check", "restore", "salvage", "upgrade"]))
@argument("new", required=False, type=OutputFile("store"))
@viewer_options
def db(session: Session, what: str, new: FileToWrite | None) -> StoreAnswer:
    """Create, check, restore, salvage or upgrade a store.

    `db init` creates the tables that are missing. A database server needs this once, before the first game; you can
    repeat it after an update. A store in a file does it by itself.

    `db check` checks every entry of every line, also of lines without a name, and lists each damaged entry with its
    stream and revision. Then it decides every command again, as `zim verify --all` does.

    `db restore FILE` checks a backup and puts it in the place of the store, which is kept beside it under another name.
    It fails while another program has the store open. On a database server, import the backup into an empty database
    instead.

    `db salvage NEW` copies all intact lines and lists of names to a new store; with games that have hidden cards, add
    --open. If it stops half way, repeat it: it goes on.

    `db upgrade NEW` seals a store of an older Zim with places, so that entries of one game can't pass for entries of
    another. It first backs the store up to the file NEW, then verifies and seals each game in one transaction. Games
    that do not verify stay as they are. No digest changes, so certificates and witnesses stay valid. If it is
    interrupted, repeat it with another file. An older Zim can't open the upgraded store. With games that have hidden
    cards, add --open.

    Example::

        ZIM_STORE=postgresql://localhost/games zim db init
        zim db check
        zim db restore games-friday.db
        zim db salvage sqlite:///saved.db
        zim db upgrade before.db
    """
    if bool(new) != (what in MISSING_NAME_ERRORS):
        raise click.UsageError(MISSING_NAME_ERRORS.get(what, f"db {what} takes no name: type zim db {what}."))
    if what == "init":
        service = session.maintenance_service("db init", may_create=True)
        service.store.create()
        return StoreAnswer(service.url)
    if what == "check":
        return check_store(session)
    assert new, "its absence is an error"
    if what == "restore":
        return restore_store(session, new.typed)
    return salvage_store(session, new) if what == "salvage" else upgrade_store(session, new)


def check_store(session: Session) -> StoreAnswer:
    """Checks every stream, and fails if one is damaged."""
    service = session.maintenance_service("db check", "verify PLACE")
    store = service.store
    store.check_file()
    with session.output.progress("checking games") as report:
        faults = service.check(report)
    if faults:
        problem_text, reasons = f"{store.url} is damaged", [fault.what for fault in faults]
        answer = StoreAnswer(store.url, faults=faults)
        raise FailedError(
            answer, negative_answer_problem("damaged", problem_text, reasons, ["db salvage sqlite:///saved.db"])
        )
    streams = store.streams()
    return StoreAnswer(
        store.url, len(streams), faults, without_place=sum(not store.is_bound(stream) for stream in streams)
    )


def restore_store(session: Session, file: str) -> StoreAnswer:
    """Puts a backup in the place of the store."""
    check_may_run(session, "db")
    service = session.maintenance_service("db restore", "import FILE", may_create=True)
    session.close_local_store()
    with open_for_reading(file, "a backup", [STORE, BINARY, EMPTY]):
        pass  # only its kind is looked at
    return StoreAnswer(service.url, restored=maintenance.restore(service.store.full_url, Path(file)))


def salvage_store(session: Session, new_store: FileToWrite) -> StoreAnswer:
    """Copies all that is intact to a new store, and fails if something is lost."""
    from zimcore.service.care import maintenance

    service = session.maintenance_service("db salvage", "export PLACE --certificate FILE")
    service.check_may_copy(session.viewer, "db salvage")
    new_store.check_named()  # again: now the old store is open, and known by all its names
    with session.output.progress("saving games") as report, showing_stops():
        salvage = maintenance.save_intact_streams(service.store, new_store.typed, report)
    new_path = new_store.path if new_store.is_file else "the new store"  # a URL may have a password
    answer = StoreAnswer(service.url, saved=salvage, new_store=new_path)
    if salvage.lost:
        stream_count = len(salvage.lost) + len(salvage.streams)
        problem_text = (
            f"{len(salvage.lost)} of {stream_count} streams could not be saved whole; the others are in the new store"
        )
        reasons = [f"they belong to {' and '.join(salvage.lost_games)}"] if salvage.lost_games else []
        reasons += [f"stream {stream}" for stream in salvage.lost]
        raise FailedError(answer, negative_answer_problem("damaged", problem_text, reasons, ["db check"]))
    return answer


def upgrade_store(session: Session, backup_file: FileToWrite) -> StoreAnswer:
    """Seals streams of an older Zim with their places, after a backup."""
    from zimcore.service.care import upgrading

    backup_file.check()
    service = session.maintenance_service("db upgrade")
    service.check_may_copy(session.viewer, "db upgrade")  # a backup comes first
    with session.output.progress("sealing games") as report:
        upgrade = upgrading.upgrade(service.store, session.kinds, Path(backup_file.path), session.by, report)
    answer = StoreAnswer(service.url, len(service.store.streams()), upgraded=upgrade)
    if upgrade.left:
        problem_text = f"{numbered(len(upgrade.left), 'stream')} of {service.url} can't be verified and sealed anew"
        reasons = [f"stream {each.stream}: {each.what}" for each in upgrade.left]
        raise FailedError(answer, negative_answer_problem("damaged", problem_text, reasons, ["db check"]))
    return answer
