"""The study panel of a page: how a value came about, answers to questions of the game, and the graph of its lines."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from zimcore.bots.registry import levels
from zimcore.commits import Position
from zimcore.documents.analysis import HintAnswer
from zimcore.documents.history import WhyAnswer
from zimcore.documents.listings import LineInfo
from zimcore.documents.play import ask_game
from zimcore.documents.problems import ProblemDetails
from zimcore.documents.tables import TableDocument, table_documents
from zimcore.game import GameError, Seat, Table
from zimcore.history.history_documents import why_answer
from zimcore.server.endpoints.open_games import open_levels
from zimcore.server.endpoints.question_handlers import best_turns
from zimcore.server.pages.error_hints import with_fitting_hints
from zimcore.server.pages.page_parameters import common_line
from zimcore.server.people.access import Visitor, viewer_of, visible_tags
from zimcore.server.wire.problem_responses import ProblemError, problem_of
from zimcore.service import GameService, Viewer

WIDTH, CURVE_HEIGHT, MARGIN, BEND = 320, 30, 8, 10
"""Sizes in the graph of lines, in SVG units: its width, the height of a line, the margin, the width of a bend."""
MAX_NAME_LENGTH = 30
"""The most letters of a name in the graph."""
HINT_QUESTION, HINT_HELP = "hint", "the best turns that a program finds, and the chance to win after each"
STATISTICS_QUESTION, STATISTICS_HELP = "stats", "the sums of the game until here: points and payments by their source"
HINT_NODES = 300
"""Positions that a hint searches: about a fifth of a second."""


class StudyAnswer(msgspec.Struct, frozen=True):
    """The answer to a question: tables, a history of a value, a hint, or the problem with the question."""

    question: str
    tables: Sequence[TableDocument] = ()
    commands: Mapping[str, str] = {}  # cells of the tables that can be played: the text of the cell, and the command
    why: WhyAnswer | None = None
    hint: HintAnswer | None = None
    problem: ProblemDetails | None = None


class Curve(msgspec.Struct, frozen=True):
    """A line in the graph: its SVG path, the coordinates of its head, and where its name is written."""

    line: LineInfo
    name: str
    path: str
    x: float
    y: float
    label_x: float
    anchor: str


def study_values(
    service: GameService, visitor: Visitor, position: Position, what: str, question: str
) -> Mapping[str, Any]:
    """The values of the study panel, by the names in its template."""
    lines = [line for line in service.lines(visitor.game, Viewer(visitor.seat)) if visitor.sees(line.name)]
    is_over = visitor.members.ended or service.position(f"{visitor.game}/{common_line(visitor)}").outcome.over
    return {
        "curves": line_curves(
            [replace(line, parent=line.parent if visitor.sees(line.parent) else "") for line in lines]
        ),
        "tags": [tag for tag in visible_tags(service, visitor) if tag.line],
        "questions": questions_of(position),
        "because": explain_value(service, visitor, position, what) if what else None,
        "answered": answer_question(service, visitor, position, question) if question else None,
        "forks": visitor.role in ("seat", "bot"),
        "levels": [*levels()] if is_over else (),
        "open_levels": open_levels(),
        "redeals": service.hides(f"{visitor.game}/{common_line(visitor)}"),
        "free_name": free_name({line.name for line in lines}, visitor.seat),
    }


def questions_of(position: Position) -> Mapping[str, str]:
    """What can be asked, with its help: the game's own questions, its statistics, and a hint."""
    game_questions = position.game.questions.QUESTIONS
    return {
        **game_questions,
        **({STATISTICS_QUESTION: STATISTICS_HELP} if game_questions else {}),
        **({HINT_QUESTION: HINT_HELP} if position.game.chances else {}),
    }


def free_name(taken_names: Collection[str], seat: Seat) -> str:
    """A name for a new line of a seat: `what-if`, or with a number if the seat has a line of that name."""
    names = ("what-if", *(f"what-if-{number}" for number in range(2, len(taken_names) + 3)))
    return next(name for name in names if f"{seat}--{name}" not in taken_names)


def explain_value(service: GameService, visitor: Visitor, position: Position, what: str) -> StudyAnswer:
    """Why a square, figure or expression has its value; or the problem with `what`."""
    log = service.log(f"{position.place}@{position.commit.digest}", viewer=viewer_of(service, visitor, position.line))
    try:
        return StudyAnswer(what, why=why_answer(position, log, what))
    except GameError as error:
        return StudyAnswer(what, problem=problem_of(error))


def answer_question(service: GameService, visitor: Visitor, position: Position, question_text: str) -> StudyAnswer:
    """The answer of the game to a question, or a hint; cells that can be played now have their commands."""
    question, *words = question_text.split()
    try:
        if question == HINT_QUESTION:
            return StudyAnswer(question_text, hint=best_turns(service, visitor, position, HINT_NODES))
        if question == STATISTICS_QUESTION:
            return StudyAnswer(question_text, table_documents(statistics(service, visitor, position)))
        tables = ask_game(position, question, words)
    except (GameError, ProblemError) as error:
        game_questions = position.game.questions.QUESTIONS
        return StudyAnswer(
            question_text,
            problem=with_fitting_hints(problem_of(error), lambda hint: hint.partition(" ")[0] in game_questions),
        )
    return StudyAnswer(question_text, tables, playable_cells(position, tables))


def statistics(service: GameService, visitor: Visitor, position: Position) -> Sequence[Table]:
    """The sums of a game until a position, over the events that the visitor may see."""
    log = service.log(f"{position.place}@{position.commit.digest}", viewer=viewer_of(service, visitor, position.line))
    return position.game.questions.statistics([event for commit in log for event in commit.events])


def playable_cells(position: Position, tables: Sequence[TableDocument]) -> Mapping[str, str]:
    """The cells of tables that can be played now, each with its command: `raise g9 ...`, `move dakar · end`."""
    cells = {cell for table in tables for row in table.rows for cell in row if " " in cell}
    try:
        legal = position.legal()
        command_by_cell = {cell: next(iter(legal.texts(cell.partition(" · ")[0])), "") for cell in cells}
    except GameError:
        return {}  # it depends on hidden information
    return {cell: text for cell, text in command_by_cell.items() if text}


def line_curves(lines: Sequence[LineInfo]) -> Sequence[Curve]:
    """The lines of a game below each other, each drawn from its fork to its head."""
    longest = max([1, *(line.head for line in lines)])
    index_by_name = {line.name: number for number, line in enumerate(lines)}

    def x_of_move(number: int) -> float:
        return round(MARGIN + number / longest * (WIDTH - 2 * MARGIN), 1)

    def make_curve(number: int, line: LineInfo) -> Curve:
        y, fork_x, head_x = CURVE_HEIGHT * (number + 0.7), x_of_move(line.forked_at or 0), x_of_move(line.head)
        path = f"M{fork_x} {y}H{head_x}"
        if line.parent in index_by_name and line.forked_at is not None:
            parent_y = CURVE_HEIGHT * (index_by_name[line.parent] + 0.7)
            path = (
                f"M{fork_x} {parent_y}V{y - BEND}Q{fork_x} {y} {min(fork_x + BEND, max(head_x, fork_x))} {y}H{head_x}"
            )
        is_in_right_half = fork_x > WIDTH / 2
        name = line.name if len(line.name) <= MAX_NAME_LENGTH else line.name[: MAX_NAME_LENGTH - 1] + "…"
        return Curve(
            line,
            name,
            path,
            head_x,
            y,
            head_x - MARGIN if is_in_right_half else fork_x + MARGIN,
            "end" if is_in_right_half else "start",
        )

    return [make_curve(*numbered_line) for numbered_line in enumerate(lines)]
