"""Questions of the game to a position, answered in tables."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from zimcli.documents import position_document
from zimcli.render.moves import place_line
from zimcli.session import Session
from zimcore.game import GameError, Seat, Table


def ask(session: Session, place: str, question: str, words: Sequence[str]) -> None:
    """Prints what the game answers. Raises `GameError` where it does not know the question."""
    position = session.service.position(place)
    rules, view = position.rules, position.view()
    if question not in rules.questions:
        raise GameError(question, f"{rules.title} does not answer that", list(rules.questions))
    found = rules.ask(position.state, question, words)
    session.out.document({"position": position_document(position, view), question: documents(found)})
    session.out.lines([place_line(position, view)])
    tables(session, found, view.colours)
    if not any(table.rows for table in found):
        session.out.message("there is nothing more to say of that; `try` shows what a command does")


def documents(found: Sequence[Table]) -> list[dict[str, object]]:
    """Tables as documents."""
    return [msgspec.to_builtins(table) for table in found]


def tables(session: Session, found: Sequence[Table], colours: dict[Seat, str]) -> None:
    """Prints tables, those that have rows, with a line between them."""
    for table in found:
        if table.rows:
            session.out.line("")
            session.out.table(table, colours)
