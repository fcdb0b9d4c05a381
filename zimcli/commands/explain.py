"""Explain whether a command is legal, and why.

If it is, what it would come to, with its facts; if not, every rule that it breaks, as the rulebook has it, and what
would be legal. Where that depends on cards that you can't see, it says so.

Example::

    zim explain kilwa-7 "craft potter d4-d5"
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from zimcli.asking import documents, tables
from zimcli.command import placed
from zimcli.completing import completes, whole_commands
from zimcli.documents import position_document
from zimcli.errors import HIDDEN_HINTS
from zimcli.playing import canonical
from zimcli.render.moves import fact_lines
from zimcli.session import Session
from zimcore.game import Game, Refused, Rule, Table
from zimcore.service import Position


@placed(__doc__)
@click.argument("words", nargs=-1, required=True, metavar="COMMAND", shell_complete=completes(whole_commands))
def command(session: Session, place: str, words: tuple[str, ...]) -> None:
    """Prints the rules that are broken, or what the command comes to."""
    text = " ".join(words)
    before, trial = session.position(place), session.service.try_(place, [text], session.viewer)
    said = canonical(session, place, text)
    document: dict[str, Any] = {"position": position_document(before), "explain": said, "legal": not trial.refused}
    if trial.refused and trial.refused.untold:
        document["legal"] = None
    if trial.refused:
        session.out.document(document | broken_document(before.game, trial.refused))
        show_broken(session, said, trial.refused, before.game)
        return
    after, found = trial.positions[-1], previewed(before, text)
    facts = [before.game.notation.describe(event) for event in after.commit.events[1:]]
    session.out.document(document | {"summary": after.commit.summary, "facts": facts, "preview": documents(found)})
    session.out.line(("legal: ", "bold green"), (said, "bold"), (f"  {after.commit.summary}", "italic dim"))
    session.out.lines(fact_lines(after.commit, before.game))
    tables(session, found, before.colours)


def previewed(position: Position, text: str) -> Sequence[Table]:
    """What the command would bring, where the game can tell."""
    return (
        position.game.questions.ask(position.state, "preview", text.split())
        if "preview" in position.game.questions.QUESTIONS
        else []
    )


def broken(game: Game, refused: Refused) -> list[tuple[Rule, str]]:
    """The rules that are broken, each with the reason."""
    by_code = {rule.code: rule for rule in game.texts.rules()}
    return [(by_code[refusal.code], refusal.reason) for refusal in refused.refusals]


def broken_document(game: Game, refused: Refused) -> dict[str, Any]:
    """The same as a document."""
    found = [
        {"code": rule.code, "reason": reason, "text": rule.text, "section": rule.section}
        for rule, reason in broken(game, refused)
    ]
    return {"broken": found, "hints": HIDDEN_HINTS if refused.untold else refused.hints}


def show_broken(session: Session, said: str, refused: Refused, game: Game) -> None:
    """Prints each rule: the reason here, its text, where it stands."""
    verdict, hints = ("hidden: ", HIDDEN_HINTS) if refused.untold else ("not legal: ", refused.hints)
    session.out.line((verdict, "bold red"), (said, "bold"))
    for rule, reason in broken(game, refused):
        session.out.line((f"  {rule.code:<10}", "yellow"), reason)
        session.out.line(" " * 12, (f"the rule: {rule.text}", "dim"))
        session.out.line(" " * 12, (f"rulebook: {rule.section}", "dim"))
    if hints:
        session.out.line(("  try: ", "dim"), (" · ".join(hints), "cyan"))
