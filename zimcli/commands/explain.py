"""Explain whether a command is legal, and why.

If it is, what it would come to, with its facts; if not, every rule that it breaks, as the rulebook has it, what would
be legal, and exit code 1. Where that depends on cards that you can't see, it says so.

Example::

    zim explain kilwa-7 "bid 3"
"""

from __future__ import annotations

from collections.abc import Sequence

from zimcli.command import argument, placed
from zimcli.errors import HIDDEN_HINTS, answer_is_no, hidden
from zimcli.moves import canonical
from zimcli.problems import FailedError, ProblemError
from zimcli.session import Session
from zimcore.commits import Position
from zimcore.documents.play import BrokenRule, ExplainAnswer
from zimcore.documents.positions import position_document
from zimcore.documents.tables import table_documents
from zimcore.game import Refused, Rule, Table


@placed(__doc__)
@argument("words", nargs=-1, required=True, metavar="COMMAND")
def command(session: Session, place: str, words: tuple[str, ...]) -> ExplainAnswer:
    """The rules that are broken, or what the command comes to."""
    text = " ".join(words)
    here, trial = session.position(place), session.service.try_(place, [text], session.viewer)
    said = canonical(session, place, text)
    if trial.refused:
        raise FailedError(not_legal(here, said, trial.refused), no(said, trial.refused))
    if trial.hidden:
        raise hidden(said, trial.hidden)
    after = trial.positions[-1].commit
    return ExplainAnswer(
        position=position_document(here),
        explain=said,
        legal=True,
        summary=after.summary,
        facts=tuple(map(here.game.notation.describe, after.events[1:])),
        preview=table_documents(previewed(here, text)),
    )


def previewed(position: Position, text: str) -> Sequence[Table]:
    """What the command would bring, where the game can tell, and what the cards do that it names."""
    questions, names = position.game.questions, text.split()[1:]
    asked = [("preview", text.split()), ("cards", names)] if names else [("preview", text.split())]
    return [
        table
        for question, words in asked
        if question in questions.QUESTIONS
        for table in questions.ask(position.state, question, words)
    ]


def not_legal(here: Position, said: str, refused: Refused) -> ExplainAnswer:
    """The rules that are broken, each with the reason, as far as they may be known."""
    return ExplainAnswer(
        position=position_document(here),
        explain=said,
        legal=None if refused.all_hidden else False,
        broken=tuple(broken(here, refused)),
        hints=HIDDEN_HINTS if refused.all_hidden else refused.hints,
    )


def no(said: str, refused: Refused) -> ProblemError:
    """The same as an error, without the reasons: the answer has them."""
    kind, hints = ("hidden", HIDDEN_HINTS) if refused.all_hidden else ("refused", refused.hints)
    return answer_is_no(kind, said, [], hints)


def broken(here: Position, refused: Refused) -> Sequence[BrokenRule]:
    """The rules that are broken, as they stand in the rulebook, each with the reason."""
    by_code = {rule.code: rule for rule in here.game.texts.rules()}
    none = Rule("", "", "")  # a game need not have written its rules down
    found = [(refusal, by_code.get(refusal.code, none)) for refusal in refused.refusals]
    return [BrokenRule(refusal.code, refusal.reason, rule.text, rule.section, rule.source) for refusal, rule in found]
