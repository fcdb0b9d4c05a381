"""Games that are put away, and the store as a whole: copied, checked, saved."""

from __future__ import annotations

from pathlib import Path
from typing import Unpack

import click

from zimcli.command import (
    GameCommand,
    RetryOptions,
    argument,
    place_command,
    plain_command,
    retry_options,
    viewer_options,
)
from zimcli.errors import answer_is_no
from zimcli.exit_codes import FailedError
from zimcli.session import Session
from zimcore.documents.storage import BackupAnswer, PutAwayAnswer, StoreAnswer
from zimcore.service import GameService, maintenance

NEW = {
    "salvage": "What is saved goes to a new store: zim db salvage NEW.",
    "upgrade": "The store as it was goes to a new file first: zim db upgrade NEW.",
}
"""What of `db` takes a name, and why."""
QUESTIONS = (
    ("delete {name} for good?", "delete {name}"),
    ("delete {name} for good, really? A certificate would keep its moves", "export {name} --certificate {name}.cert"),
)
"""Each with what may be wanted instead."""


@place_command(kind=GameCommand)
@click.option("--back", is_flag=True, help="Take it out again.")
@retry_options
def archive(session: Session, place: str, back: bool, **asked: Unpack[RetryOptions]) -> PutAwayAnswer:
    """Put a game away: it is not listed any more.

    It can be played on as ever, by its name; `zim games --archived` lists it, and --back takes it out again. See
    `delete`.

    Example::

        zim archive kilwa-7
        zim archive kilwa-7 --back
    """
    service = session.keeper("archive")
    (service.restore if back else service.archive)(place, by=session.by, viewer=session.viewer, **asked)
    return PutAwayAnswer(place, "listed" if back else "archived")


@place_command(kind=GameCommand)
@click.option("--back", is_flag=True, help="Give it its name again.")
@click.option("--for-good", is_flag=True, help="Remove all that is stored of it, in a file of your own.")
@click.option("--yes", count=True, help="Answers a question of --for-good; there are two.")
@retry_options
def delete(
    session: Session, place: str, back: bool, for_good: bool, yes: int, **asked: Unpack[RetryOptions]
) -> PutAwayAnswer:
    """Delete a game: its name leads nowhere, and its bytes stay.

    With --back it has its name again. Until then nobody finds it, and no new game can have its name. What verifies a
    store goes on to verify it.

    With --for-good nothing is left but a note that there was a game of that name, and there is no way back. That is
    done in a file of your own, and in no store on a server. It is asked about twice: each --yes answers one of the
    questions.

    Example::

        zim delete kilwa-7
        zim delete kilwa-7 --back
        zim delete kilwa-7 --for-good --yes --yes
    """
    if back and for_good:
        raise click.UsageError("What is deleted for good does not come back.")
    service = session.keeper("delete")
    if for_good:
        be_sure(service, place, yes)
    do = service.restore if back else service.remove if for_good else service.delete
    do(place, by=session.by, viewer=session.viewer, **asked)
    if not back:
        session.leave_game(place)
    return PutAwayAnswer(place, "listed" if back else "removed" if for_good else "deleted")


def be_sure(service: GameService, place: str, yes: int) -> None:
    """Asks twice, and tells what there is to lose. Raises `ProblemError`."""
    if yes >= len(QUESTIONS):
        return
    there = service.contents(place)
    lines, moves = count(there.lines, "line"), count(there.moves, "move")
    again = f"delete {there.name} --for-good" + " --yes" * (yes + 1)
    what, *hints = QUESTIONS[yes]
    raise answer_is_no(
        "sure?",
        what.format(name=there.name),
        [f"{lines} with {moves} would be gone, and nothing brings them back"],
        [*(hint.format(name=there.name) for hint in hints), again],
    )


def count(number: int, what: str) -> str:
    """How many there are of something."""
    return f"{number} {what}{'s' * (number != 1)}"


@plain_command()
@argument("file")
@viewer_options
def backup(session: Session, file: str) -> BackupAnswer:
    """Copy the whole store to a file, while it is in use.

    Of a store in a file the copy is another one: `zim --store sqlite:///FILE` opens it. Of a store on a server it is
    its export: `zim --store NEW import FILE` reads it. What is copied is checked, entry by entry, before FILE is there.

    A copy has all hidden cards in it: with games that have any, say --open.

    Don't copy the file of a store yourself while it is in use: what was played last is in the file beside it that ends
    with `-wal`, until SQLite moves it over.

    Example::

        zim backup games-friday.db --open
    """
    kept = session.keeper("backup", "export PLACE --certificate FILE")
    kept.check_may_copy(session.viewer, "backup")
    store = kept.store
    return BackupAnswer(store.url, file, maintenance.backup(store, Path(file)))


@plain_command()
@argument("what", type=click.Choice(["init", "check", "salvage", "upgrade"]))
@argument("new", required=False, default="")
@viewer_options
def db(session: Session, what: str, new: str) -> StoreAnswer:
    """Look after the database of a store.

    `init` makes the tables where there are none; what is there stays. A store on a server needs that once, before the
    first game, and may be told again after an update; a file is made by the first game anyway.

    `check` goes over every entry of every line, also of those that have no name any more, and tells all that is not as
    it was stored, each with its stream and revision. Then it decides every command again, as `zim verify --all` does.

    `salvage NEW` brings every line and list of names that is intact to a new store; with games that have hidden cards,
    say --open.

    `zim db upgrade NEW` seals a store of an older Zim with places, so that rows of one game can't be taken for those of
    another.
    First it backs the store up to the file NEW. Then it verifies each game and seals it in one transaction; what does
    not verify stays as it was. No digest changes: certificates and witnesses go on to hold. If it was stopped, type it
    again with another file. An older Zim can't open the store any more. With games that have hidden cards, say --open.

    Example::

        ZIM_STORE=postgresql://localhost/games zim db init
        zim db check
        zim db salvage sqlite:///saved.db
        zim db upgrade before.db
    """
    if bool(new) != (what in NEW):
        raise click.UsageError(NEW.get(what, f"db {what} takes no name: zim db {what}."))
    if what == "init":
        kept = session.keeper("db init", making=True)
        kept.store.create()
        return StoreAnswer(kept.url)
    if what == "check":
        return check(session)
    return salvage(session, new) if what == "salvage" else upgrade(session, new)


def check(session: Session) -> StoreAnswer:
    """Goes over every stream."""
    kept = session.keeper("db check", "verify PLACE")
    store = kept.store
    with session.out.progress("checking games") as report:
        faults = kept.check(report)
    if faults:
        what, why = f"{store.url} is not as it was stored", [fault.what for fault in faults]
        answer = StoreAnswer(store.url, faults=faults)
        raise FailedError(answer, answer_is_no("damaged", what, why, ["db salvage sqlite:///saved.db"]))
    streams = store.streams()
    return StoreAnswer(
        store.url, len(streams), faults, without_place=sum(not store.is_bound(stream) for stream in streams)
    )


def salvage(session: Session, new: str) -> StoreAnswer:
    """Saves what is intact."""
    from zimcore.service import maintenance

    kept = session.keeper("db salvage", "export PLACE --certificate FILE")
    kept.check_may_copy(session.viewer, "db salvage")
    saved = maintenance.save(kept.store, new)
    answer = StoreAnswer(kept.url, saved=saved)
    if saved.lost:
        every = len(saved.lost) + len(saved.streams)
        what = f"{len(saved.lost)} of {every} streams could not be saved whole, the others are in the new store"
        raise FailedError(
            answer, answer_is_no("damaged", what, [f"stream {each}" for each in saved.lost], ["db check"])
        )
    return answer


def upgrade(session: Session, backup: str) -> StoreAnswer:
    """Seals streams of before with their place."""
    from zimcore.service import upgrading

    kept = session.keeper("db upgrade")
    kept.check_may_copy(session.viewer, "db upgrade")  # a backup comes first
    with session.out.progress("sealing games") as report:
        done = upgrading.upgrade(kept.store, session.kinds, Path(backup), session.by, report)
    answer = StoreAnswer(kept.url, len(kept.store.streams()), upgraded=done)
    if done.left:
        what = f"{len(done.left)} streams of {kept.url} are sealed as before, as they do not verify"
        why = [f"stream {each.stream}: {each.what}" for each in done.left]
        raise FailedError(answer, answer_is_no("damaged", what, why, ["db check"]))
    return answer
