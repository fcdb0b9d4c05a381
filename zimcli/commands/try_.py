"""Show what commands would do, and play none.

Example::

    zim try kilwa-7 "bid 3"
"""

from __future__ import annotations

from zimcli.command import argument, placed
from zimcli.errors import hidden, refused
from zimcli.moves import each_of
from zimcli.session import Session
from zimcore.documents.play import TrialAnswer
from zimcore.documents.positions import commit_documents, position_document
from zimcore.history import balance, counted, differences


@placed(__doc__)
@argument("commands", nargs=-1, required=True, metavar="COMMAND...")
def command(session: Session, place: str, commands: tuple[str, ...]) -> TrialAnswer:
    """The facts, and what changes for each player."""
    before, texts = session.position(place).figures, tuple(each_of(session, place, commands))
    trial = session.service.try_(place, texts, session.viewer)
    if trial.refused:
        raise refused(texts[len(trial.positions)], trial.refused)
    if trial.hidden:
        raise hidden(texts[len(trial.positions)], trial.hidden)
    end = trial.positions[-1]
    commits = [position.commit for position in trial.positions]
    changed = tuple(differences(before, end.figures))
    return TrialAnswer(
        tried=commit_documents(commits, end.game),
        position=position_document(end),
        changes=changed,
        balance=balance(changed, commits[0].seat, end.game.display.MONEY, counted(before)),
    )
