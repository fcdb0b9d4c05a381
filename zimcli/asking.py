"""Questions of the game to a position, answered in tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import click
import msgspec

from zimcli.command import Placed
from zimcli.documents import position_document
from zimcli.output import Output
from zimcli.playing import note_hidden
from zimcli.render.moves import place_line
from zimcli.session import Session
from zimcore.game import GameError, Seat, Table


class Question(Placed):
    """Its help tells what each game answers to it."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The games that answer, and how they are asked."""
        session = ctx.find_object(Session) or Session(Output())
        question = ctx.command_path.split()[-1]
        games = [game for game in session.all_games if question in game.questions.QUESTIONS]
        with formatter.section("What the games answer"):
            formatter.write_dl([(game.title, game.questions.QUESTIONS[question]) for game in games])


def ask(session: Session, place: str, question: str, words: Sequence[str]) -> bool:
    """Prints what the game answers; whether that is anything. Raises `GameError` if it does not know the question."""
    position = session.position(place)
    game = position.game
    if question not in game.questions.QUESTIONS:
        raise GameError(question, f"{game.title} does not answer that", list(game.questions.QUESTIONS))
    found = game.questions.ask(position.state, question, words)
    session.out.document({"position": position_document(position), question: documents(found)})
    session.out.lines([place_line(position)])
    note_hidden(session, position, words)
    tables(session, found, position.colours)
    return any(table.rows for table in found)


def documents(found: Sequence[Table]) -> list[dict[str, object]]:
    """Tables as documents."""
    return [msgspec.to_builtins(table) for table in found]


def tables(session: Session, found: Sequence[Table], colours: Mapping[Seat, str]) -> None:
    """Prints tables, those that have rows, with a line between them."""
    for table in found:
        if table.rows:
            session.out.line("")
            session.out.table(table, colours)
