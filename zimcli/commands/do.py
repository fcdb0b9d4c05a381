"""Play commands, one after the other.

Each COMMAND is played at the head of the line, in the notation of the game; a seat in front of it is checked. It stops
at the first that is refused; those before it stand. In a session a command of the game needs no `do`.

With --expect it plays only if the head is still the commit that you saw, else the exit code is 3. With --id the same
again plays nothing twice and gives the same answer, whatever was played since; another command, or somebody else, with
that ID is a conflict. A line that is named in full is still meant the second time, when you may be on another one.

Example::

    zim do kilwa-7 "bid 3" "zulu: pass"
"""

from __future__ import annotations

from typing import Unpack

from zimcli.command import Asking, argument, asking_options, placed
from zimcli.moves import play
from zimcli.problems import FailedError
from zimcli.session import Session
from zimcore.commits import Position
from zimcore.documents.play import PlayAnswer
from zimcore.documents.positions import commit_documents, position_document


@placed(__doc__)
@argument("texts", nargs=-1, required=True, metavar="COMMAND...")
@asking_options
def command(session: Session, place: str, texts: tuple[str, ...], **asked: Unpack[Asking]) -> PlayAnswer:
    """Plays each command; if one fails, those before it stay played and are shown."""
    positions: list[Position] = []
    try:
        for position in play(session, place, texts, **asked):
            positions += [position]
    except BaseException as error:
        if positions:
            raise FailedError(answer(positions), error) from error
        raise
    return answer(positions)


def answer(positions: list[Position]) -> PlayAnswer:
    """The commands that were played, and where they lead."""
    commits = commit_documents(position.commit for position in positions)
    return PlayAnswer(commits, position_document(positions[-1]))
