"""The commands that ask a game about a position: `ask`, `plan`, `reach`, `preview`. `hint` has two as options."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import click

from zimcli.output.errors import refusal_problem
from zimcli.output.output import Output
from zimcli.session.command import PlaceCommand, argument, place_command
from zimcli.session.session import Session
from zimcli.shell.exit_codes import FailedError
from zimcli.shell.registry import ASK, ENTRIES_BY_NAME, HINT, HINT_QUESTIONS
from zimcore.documents.look import AskAnswer, ReachAnswer
from zimcore.documents.play import PlanAnswer, PreviewAnswer
from zimcore.documents.positions import PositionDocument, position_document, seat_with_unseen_cards
from zimcore.documents.tables import TableDocument, table_documents
from zimcore.game import GameError, Seat, Table


class QuestionCommand(PlaceCommand):
    """A command whose help lists the games that answer it. `questions` are headings by question, if it has several."""

    questions: Mapping[str, str] = MappingProxyType({})

    def format_epilog(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Adds the games that answer, each with the words that it takes."""
        session = context.find_object(Session) or Session(Output())
        name = context.command_path.split()[-1]
        for question, heading in self.questions.items() or ((name, "Games that answer"),):
            games = [game for game in session.all_games if question in game.questions.QUESTIONS]
            with formatter.section(heading):
                formatter.write_dl([(game.title, game.questions.QUESTIONS[question]) for game in games])
        super().format_epilog(context, formatter)


def ask_game(
    session: Session, place: str, question: str, words: Sequence[str]
) -> tuple[PositionDocument, tuple[TableDocument, ...], Seat | None]:
    """The position, the answer of the game, and a seat some of whose cards are hidden, if the answer depends on them.

    Raises `GameError` if the game does not know the question.
    """
    position = session.position(place)
    game = position.game
    if question not in game.questions.QUESTIONS:
        hints = [question_hint(name) for name in game.questions.QUESTIONS]
        raise GameError(question, f"{game.title} does not answer this question", hints)
    tables = game.questions.ask(position.state, question, words)
    return position_document(position), table_documents(tables), seat_with_unseen_cards(position, words)


def question_hint(name: str) -> str:
    """What to type for a question: an option of `hint`, a command of its own, or `ask`."""
    if name in HINT_QUESTIONS:
        return f"{HINT.name} --{name}"
    return name if name in ENTRIES_BY_NAME else f"{ASK.name} {name}"


@place_command()
@argument("question", nargs=-1)
def ask(session: Session, place: str, question: tuple[str, ...]) -> AskAnswer:
    """Ask the game a question, such as what its cards do.

    QUESTION is the name of a question, followed by what it takes; without it you see the questions that the game
    answers. Most may be typed without `ask` (`hint --plan`, `hint --preview`, `reach`); a game may have more.

    Example::

        zim ask kilwa-7 cards eshu
    """
    if question:
        position, tables, unseen_seat = ask_game(session, place, question[0], question[1:])
        return AskAnswer(position, question[0], tables, unseen_seat)
    current_position = session.position(place)
    rows = tuple(current_position.game.questions.QUESTIONS.items())
    return AskAnswer(
        position_document(current_position),
        "",
        table_documents([Table("questions", ("question", "what it answers"), rows)]),
    )


@place_command(command_class=QuestionCommand)
@argument("goals", nargs=-1)
def plan(session: Session, place: str, goals: tuple[str, ...]) -> PlanAnswer:
    """Show the cheapest way to a goal, or which goals are worth it.

    GOALS are what you want to reach. With a player's name before them, Zim plans as if it were that player's turn.
    Without goals, all worthwhile ones are listed. In the answer, cattle "for good" are those that don't come back to
    the player's own cards.

    Example::

        zim plan kilwa-7@r4 kilwa
    """
    return PlanAnswer(*ask_game(session, place, "plan", goals))


@place_command(command_class=QuestionCommand)
@argument("square")
def reach(session: Session, place: str, square: str) -> ReachAnswer:
    """Show what can be reached from a square of the board.

    From SQUARE, or from the craftsman there, to every resource, craftsman and monument: with the usual range, and with
    the longest range that a god gives.

    Example::

        zim reach kilwa-7 d4
    """
    return ReachAnswer(*ask_game(session, place, "reach", [square]))


@place_command(command_class=QuestionCommand)
@argument("command", nargs=-1, metavar="[COMMAND]")
def preview(session: Session, place: str, command: tuple[str, ...]) -> PreviewAnswer:
    """Show what a command, or the end of the round, would bring.

    For a bid: the cattle left and gained if all others pass, and the place in the order. For a craftsman: VP, VR and
    cost, the monuments it serves, the resources it claims, what it makes obsolete. For raising: every purchase. Without
    COMMAND: all bids, each player's revenues by source, and the current ranking. `try` shows the position after a
    command.

    Example::

        zim preview kilwa-7 "bid 2"
    """
    return preview_answer(session, place, command)


def preview_answer(session: Session, place: str, command: Sequence[str]) -> PreviewAnswer:
    """What a command, or the end of the round, would bring. Raises `FailedError` for a command that is refused."""
    command_text = " ".join(command)
    position, tables, unseen_seat = ask_game(session, place, "preview", command_text.split())
    answer = PreviewAnswer(position, tables, command_text, unseen_seat)
    if command_text and not any(table.rows for table in tables):
        try_result = session.service.try_(place, [command_text], session.viewer)
        if try_result.refused:
            raise FailedError(answer, refusal_problem(command_text, try_result.refused))
    return answer
