"""Delete a game: its name leads nowhere, and its bytes stay.

With --back it has its name again. Until then nobody finds it, and no new game can have its name.
What verifies a store goes on to verify it.

With --for-good nothing is left but a note that there was a game of that name, and there is no way back. That is done
in a file of your own, and in no store on a server. It is asked about twice: each --yes answers one of the questions.

Example::

    zim delete kilwa-7
    zim delete kilwa-7 --back
    zim delete kilwa-7 --for-good --yes --yes
"""

from __future__ import annotations

from typing import Unpack

import click

from zimcli.command import Asking, OfAGame, asking_options, placed
from zimcli.errors import answer_is_no
from zimcli.session import Session
from zimcore.documents.keep import PutAwayAnswer


@placed(__doc__, OfAGame)
@click.option("--back", is_flag=True, help="Give it its name again.")
@click.option("--for-good", is_flag=True, help="Remove all that is stored of it, in a file of your own.")
@click.option("--yes", count=True, help="Answers a question of --for-good; there are two.")
@asking_options
def command(
    session: Session, place: str, back: bool, for_good: bool, yes: int, **asked: Unpack[Asking]
) -> PutAwayAnswer:
    """Deletes a game, removes it, or gives it back."""
    if back and for_good:
        raise click.UsageError("What is deleted for good does not come back.")
    service = session.service
    if for_good:
        be_sure(session, place, yes)
    do = service.restore if back else service.remove if for_good else service.delete
    do(place, by=session.by, viewer=session.viewer, **asked)
    if not back:
        session.left(place)
    return PutAwayAnswer(place, "listed" if back else "removed" if for_good else "deleted")


def be_sure(session: Session, place: str, yes: int) -> None:
    """Asks twice, and tells what there is to lose. Raises `ProblemError`."""
    if yes >= len(QUESTIONS):
        return
    there = session.service.contents(place)
    lines, moves = count(there.lines, "line"), count(there.moves, "move")
    again = f"delete {there.name} --for-good" + " --yes" * (yes + 1)
    what, *hints = QUESTIONS[yes]
    raise answer_is_no(
        "sure?",
        what.format(name=there.name),
        [f"{lines} with {moves} would be gone, and nothing brings them back"],
        [*(hint.format(name=there.name) for hint in hints), again],
    )


QUESTIONS = (
    ("delete {name} for good?", "delete {name}"),
    ("delete {name} for good, really? A certificate would keep its moves", "export {name} --certificate {name}.cert"),
)
"""Each with what may be wanted instead."""


def count(number: int, what: str) -> str:
    """How many there are of something."""
    return f"{number} {what}{'s' * (number != 1)}"
