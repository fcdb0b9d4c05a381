"""Look up a rule, or search for a word.

CODE is the name of a rule, or its beginning; any other WORD is searched for in the rules, on the cards and in the help
of the commands. Without one all rules are listed. Outside a session those of every game are looked up. One rule alone
is shown with its place in the rulebook and the commands that it guards; a reading also with the words that it reads,
and how else these can be read.

Example::

    zim rules R-CRA-06
"""

from __future__ import annotations

from zimcli.command import argument, unplaced
from zimcli.registry import ENTRIES
from zimcli.session import Session
from zimcli.topics import cards_of, cards_with, rules_with, topics
from zimcore.documents.learn import RulesAnswer
from zimcore.documents.tables import table_documents
from zimcore.game import GameError
from zimcore.service.places import alike


@unplaced(__doc__)
@argument("words", nargs=-1, metavar="[CODE|WORD...]")
def command(session: Session, words: tuple[str, ...]) -> RulesAnswer:
    """The rules whose code begins so, or everything with a word."""
    code, known = " ".join(words), session.all_rules
    if not known:
        raise GameError("rules", f"{session.played.title} has none to be looked up", ["legal", "help"])
    rules = tuple(rule for rule in known if rule.code.upper().startswith(code.upper()))
    return RulesAnswer(rules) if rules else searched(session, code.lower())


def searched(session: Session, word: str) -> RulesAnswer:
    """Rules, cards and commands with a word."""
    known = session.all_rules
    if "-" in word:
        parts = dict.fromkeys(rule.code.rpartition("-")[0] for rule in known)
        raise GameError(f"no rule {word}", "the rules of the parts of the game begin " + ", ".join(parts), ["rules"])
    answer = RulesAnswer(
        tuple(rules_with(known, word.replace("_", " "))),
        table_documents(
            cards_of(session, word) or cards_with(session, word.replace(" ", "_")) or cards_with(session, word)
        ),
        {entry.name: entry.help for entry in ENTRIES if word in f"{entry.name} {entry.help.lower()}"},
    )
    if answer == RulesAnswer(()):
        hints = [f"rules {each}" for each in alike(word, topics(known))] or ["rules", "help"]
        raise GameError(f"nothing about {word}", "it is in no rule, on no card and in no command's help", hints)
    return answer
