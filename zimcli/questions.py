"""Questions that a game answers about a position, in tables."""

from __future__ import annotations

from collections.abc import Sequence

import click

from zimcli.command import Placed
from zimcli.output import Output
from zimcli.registry import ASK, BY_NAME
from zimcli.session import Session
from zimcore.documents.positions import PositionDocument, position_document, unseen
from zimcore.documents.tables import TableDocument, table_documents
from zimcore.game import GameError, Seat


class Question(Placed):
    """A command whose help lists what each game answers to it."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Adds the games that answer, and how they are asked."""
        session = ctx.find_object(Session) or Session(Output())
        question = ctx.command_path.split()[-1]
        games = [game for game in session.all_games if question in game.questions.QUESTIONS]
        with formatter.section("What the games answer"):
            formatter.write_dl([(game.title, game.questions.QUESTIONS[question]) for game in games])


def ask(
    session: Session, place: str, question: str, words: Sequence[str]
) -> tuple[PositionDocument, tuple[TableDocument, ...], Seat | None]:
    """The position, the answer of the game, and a seat some of whose cards are hidden, if the answer depends on them.

    Raises `GameError` if the game does not know the question.
    """
    position = session.position(place)
    game = position.game
    if question not in game.questions.QUESTIONS:
        hints = [name if name in BY_NAME else f"{ASK.name} {name}" for name in game.questions.QUESTIONS]
        raise GameError(question, f"{game.title} does not answer that", hints)
    found = game.questions.ask(position.state, question, words)
    return position_document(position), table_documents(found), unseen(position, words)
