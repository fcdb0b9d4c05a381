"""Replace a move, and play what came after it again.

A new line begins before the move at PLACE (the last one if no position is named); COMMAND is played there, then the
later commands up to the head, each decided anew. COMMAND may be several, with ; between them: `amend @18 "end; bid 3"`
puts an `end` before a bid; and "" leaves the move out. The old line stays as it is. The first command that no longer
stands is a conflict: it is shown with the rules that it breaks, nothing is kept, and the exit code is 1; --skip or
--stop decide otherwise. The new line is called `amend-12` if no --name is given, and is your current one from then on.

With --ask a move of yours is replaced on its own line, once the other players have accepted that (see `takeback`); what
no longer stands is left out.

Example::

    zim amend kilwa-7@18 "adore eshu" --stop
"""

from __future__ import annotations

from typing import Unpack

import click
from msgspec.structs import replace

from zimcli.command import Asking, argument, asking_options, placed
from zimcli.consent import requested
from zimcli.errors import refused
from zimcli.replays import replay_options, rewritten
from zimcli.session import Session
from zimcore.documents.history import RewriteAnswer
from zimcore.documents.proceedings import RequestsAnswer
from zimcore.game import Refused
from zimcore.service.rewriting import Keep


@placed(__doc__)
@argument("text", metavar="COMMAND")
@replay_options
@click.option("--name", default="", help="What the new line is called.")
@click.option("--ask", is_flag=True, help="Ask the others to have it so on this line.")
@asking_options
def command(
    session: Session, place: str, text: str, keep: Keep, dry_run: bool, name: str, ask: bool, **asked: Unpack[Asking]
) -> RewriteAnswer | RequestsAnswer:
    """Amends, and goes to the new line; or asks the others."""
    if ask:
        return requested(
            session, session.service.ask(place, move=text, by=session.by, viewer=session.viewer, **asked), place
        )
    before = session.current_line(place)
    replay = session.service.amend(
        place, text, by=session.by, viewer=session.viewer, name=name, keep=keep, dry_run=dry_run, **asked
    )
    if isinstance(replay, Refused):
        raise refused(text, replay)
    if replay.stored:
        session.enter(replay.position)
    answer = rewritten(replay, keep, "amend", place, text)
    is_left = replay.stored and before != replay.position.line  # asked for again, it was left before
    return replace(answer, left=before) if is_left else answer
