"""Look up a rule.

CODE is the name of a rule, or its beginning; without one all rules are listed. Outside a session those of every game
can be looked up. One rule alone is shown with its place in the rulebook and the commands that it guards.

Example::

    zim rules R-CRA-06
"""

from __future__ import annotations

from zimcli.command import argument, unplaced
from zimcli.session import Session
from zimcore.documents.learn import RulesAnswer
from zimcore.game import GameError


@unplaced(__doc__)
@argument("code", default="")
def command(session: Session, code: str) -> RulesAnswer:
    """The rules whose code begins so."""
    known = session.all_rules
    rules = tuple(rule for rule in known if rule.code.upper().startswith(code.upper()))
    if not known:
        raise GameError("rules", f"{session.played.title} has none to be looked up", ["legal", "help"])
    if not rules:
        parts = dict.fromkeys(rule.code.rpartition("-")[0] for rule in known)
        raise GameError(f"no rule {code}", "the rules of the parts of the game begin " + ", ".join(parts), ["rules"])
    return RulesAnswer(rules)
