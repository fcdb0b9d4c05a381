"""Look up a rule.

CODE is the name of a rule, or its beginning; without one all rules are listed. Outside a session those of every game
can be looked up. One rule alone is shown with its place in the rulebook and the commands that it guards.

Example::

    zim rules R-CRA-06
"""

from __future__ import annotations

import click
import msgspec

from zimcli.command import pass_session, unplaced
from zimcli.completing import completes, rule_codes
from zimcli.session import Session
from zimcore.game import GameError, Rule


@unplaced(__doc__)
@click.argument("code", default="", shell_complete=completes(rule_codes))
@pass_session
def command(session: Session, code: str) -> None:
    """Prints the rules whose code begins so."""
    known = session.all_rules
    rules = [rule for rule in known if rule.code.upper().startswith(code.upper())]
    if not rules:
        parts = dict.fromkeys(rule.code.rpartition("-")[0] for rule in known)
        raise GameError(f"no rule {code}", "the rules of the parts of the game begin " + ", ".join(parts), ["rules"])
    session.out.document({"rules": [msgspec.to_builtins(rule) for rule in rules]})
    for rule in rules:
        show(session, rule, in_full=len(rules) == 1)


def show(session: Session, rule: Rule, in_full: bool) -> None:
    """Prints a rule."""
    session.out.line((f"{rule.code:<9} ", "bold yellow"), rule.text)
    if in_full:
        session.out.line(" " * 10, (f"rulebook: {rule.section}", "dim"))
        session.out.lines([(" " * 10, ""), (f"guards: {each}", "dim")] for each in rule.guards)
