"""Ask what a game has an answer to.

QUESTION is its name and what it takes; without one zim lists those that the game answers. Most have commands of their
own (`plan`, `reach`, `preview`); a game may know others.

Example::

    zim ask kilwa-7 cards eshu
"""

from __future__ import annotations

from zimcli.command import argument, placed
from zimcli.questions import ask
from zimcli.session import Session
from zimcore.documents.look import AskAnswer
from zimcore.documents.positions import position_document
from zimcore.documents.tables import table_documents
from zimcore.game import Table


@placed(__doc__)
@argument("question", nargs=-1)
def command(session: Session, place: str, question: tuple[str, ...]) -> AskAnswer:
    """The answer, or what may be asked."""
    if question:
        position, answer, unseen = ask(session, place, question[0], question[1:])
        return AskAnswer(position, question[0], answer, unseen)
    here = session.position(place)
    rows = tuple(here.game.questions.QUESTIONS.items())
    return AskAnswer(
        position_document(here), "", table_documents([Table("questions", ("question", "what it answers"), rows)])
    )
