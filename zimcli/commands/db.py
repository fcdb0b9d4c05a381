"""Look after the database of a store.

`init` makes the tables where there are none; what is there stays. A store on a server needs that once, before the
first game, and may be told again after an update; a file is made by the first game anyway.

`check` goes over every entry of every line, also of those that have no name any more, and tells all that is not as it
was stored, each with its stream and revision. Then it decides every command again, as `zim verify --all` does.

`salvage NEW` brings every line and list of names that is intact to a new store.

Example::

    ZIM_STORE=postgresql://localhost/games zim db init
    zim db check
    zim db salvage sqlite:///saved.db
"""

from __future__ import annotations

import click

from zimcli.command import argument, unplaced
from zimcli.errors import answer_is_no
from zimcli.problems import FailedError
from zimcli.session import Session
from zimcore.documents.keep import StoreAnswer


@unplaced(__doc__)
@argument("what", type=click.Choice(["init", "check", "salvage"]))
@argument("new", required=False, default="")
def command(session: Session, what: str, new: str) -> StoreAnswer:
    """Does one of these things; a fault is a failure."""
    if bool(new) != (what == "salvage"):
        raise click.UsageError("What is saved goes to a new store: zim db salvage NEW.")
    if what == "init":
        session.making.store.create()
        return StoreAnswer(session.service.store.url)
    return check(session) if what == "check" else salvage(session, new)


def check(session: Session) -> StoreAnswer:
    """Goes over every stream."""
    store = session.service.store
    with session.out.progress("checking games") as report:
        faults = session.service.check(report)
    if faults:
        what, why = f"{store.url} is not as it was stored", [fault.what for fault in faults]
        answer = StoreAnswer(store.url, faults=faults)
        raise FailedError(answer, answer_is_no("damaged", what, why, ["db salvage sqlite:///saved.db"]))
    return StoreAnswer(store.url, len(store.streams()), faults)


def salvage(session: Session, new: str) -> StoreAnswer:
    """Saves what is intact."""
    from zimcore.service import upkeep

    saved = upkeep.save(session.service.store, new)
    answer = StoreAnswer(session.service.store.url, saved=saved)
    if saved.lost:
        every = len(saved.lost) + len(saved.streams)
        what = f"{len(saved.lost)} of {every} streams could not be saved whole, the others are in the new store"
        raise FailedError(
            answer, answer_is_no("damaged", what, [f"stream {each}" for each in saved.lost], ["db check"])
        )
    return answer
