"""Look up a rule.

CODE is the name of a rule, or its beginning; without one all rules are listed. Outside a session those of every game
can be looked up. One rule alone is shown with its place in the rulebook, the commands that it guards, and its tests.

Example::

    zim rules R-CRA-06
"""

from __future__ import annotations

from collections.abc import Sequence

import click
import msgspec

from zimcli.command import pass_session, unplaced
from zimcli.completing import completes, rule_codes
from zimcli.session import Session
from zimcore.game import GameError, Rule, Table


@unplaced(__doc__)
@click.argument("code", default="", shell_complete=completes(rule_codes))
@click.option("--coverage", is_flag=True, help="How many tests show each rule being kept, and refusing a command.")
@pass_session
def command(session: Session, code: str, coverage: bool) -> None:
    """Prints the rules whose code begins so."""
    known = session.all_rules
    rules = [rule for rule in known if rule.code.upper().startswith(code.upper())]
    if not rules:
        parts = dict.fromkeys(rule.code.rpartition("-")[0] for rule in known)
        raise GameError(f"no rule {code}", "the rules of the parts of the game begin " + ", ".join(parts), ["rules"])
    session.out.document({"rules": [msgspec.to_builtins(rule) for rule in rules]})
    if coverage:
        session.out.table(coverage_table(rules))
        return
    for rule in rules:
        show(session, rule, in_full=len(rules) == 1)


def show(session: Session, rule: Rule, in_full: bool) -> None:
    """Prints a rule."""
    session.out.line((f"{rule.code:<9} ", "bold yellow"), rule.text)
    if in_full:
        session.out.line(" " * 10, (f"rulebook: {rule.section}", "dim"))
        told = {"guards": rule.guards, "kept in": rule.accepting, "refuses in": rule.refusing}
        session.out.lines([(" " * 10, ""), (f"{how}: {each}", "dim")] for how, names in told.items() for each in names)


def coverage_table(rules: Sequence[Rule]) -> Table:
    """The tests of each rule, counted. A rule that guards no command has none to refuse."""
    counted = [(rule.code, len(rule.accepting), len(rule.refusing) if rule.guards else None) for rule in rules]
    rows = [(code, str(kept), "-" if refused is None else str(refused)) for code, kept, refused in counted]
    in_all = ("in all", str(sum(kept for _, kept, _ in counted)), str(sum(refused or 0 for *_, refused in counted)))
    return Table("Tests by rule", ("rule", "kept", "refuses"), (*rows, in_all))
