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
from zimcore.server.access import Visitor, viewer_of, visible_tags
from zimcore.server.open_games import open_levels
from zimcore.server.pages.error_hints import fitting_hints
from zimcore.server.pages.page_parameters import line_of_match
from zimcore.server.problem_responses import ProblemError, problem_of
from zimcore.server.question_handlers import best_turns
from zimcore.service import GameService, Viewer

WIDTH, CURVE_HEIGHT, EDGE, BEND = 320, 30, 8, 10
"""Sizes in the graph of lines, in SVG units: its width, the height of a line, the margin, the width of a bend."""
MAX_NAME = 30
"""The most letters of a name in the graph."""
HINT, BEST = "hint", "the best turns that a program finds, and the chance to win after each"
STATS, SUMS = "stats", "the sums of the game until here: points and payments by their source"
NODES = 300
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
    label: float
    anchor: str


def study(service: GameService, visitor: Visitor, position: Position, why: str, ask: str) -> Mapping[str, Any]:
    """The values of the study panel, by the names in its template."""
    lines = [each for each in service.lines(visitor.game, Viewer(visitor.seat)) if visitor.sees(each.name)]
    over = visitor.members.ended or service.position(f"{visitor.game}/{line_of_match(visitor)}").outcome.over
    return {
        "lanes": line_curves(
            [replace(each, parent=each.parent if visitor.sees(each.parent) else "") for each in lines]
        ),
        "tags": [tag for tag in visible_tags(service, visitor) if tag.line],
        "questions": questions_of(position),
        "because": explain_value(service, visitor, position, why) if why else None,
        "answered": answer_question(service, visitor, position, ask) if ask else None,
        "forks": visitor.role in ("seat", "bot"),
        "levels": [*levels()] if over else (),
        "open_levels": open_levels(),
        "redeals": service.hides(f"{visitor.game}/{line_of_match(visitor)}"),
        "free_name": free_name({each.name for each in lines}, visitor.seat),
    }


def questions_of(position: Position) -> Mapping[str, str]:
    """What can be asked, with its help: the game's own questions, its statistics, and a hint."""
    own = position.game.questions.QUESTIONS
    return {**own, **({STATS: SUMS} if own else {}), **({HINT: BEST} if position.game.chances else {})}


def free_name(taken: Collection[str], seat: Seat) -> str:
    """A name for a new line of a seat: `what-if`, or with a number if the seat has a line of that name."""
    names = ("what-if", *(f"what-if-{number}" for number in range(2, len(taken) + 3)))
    return next(name for name in names if f"{seat}--{name}" not in taken)


def explain_value(service: GameService, visitor: Visitor, position: Position, what: str) -> StudyAnswer:
    """Why a square, figure or expression has its value; or the problem with `what`."""
    log = service.log(f"{position.place}@{position.commit.digest}", viewer=viewer_of(service, visitor, position.line))
    try:
        return StudyAnswer(what, why=why_answer(position, log, what))
    except GameError as error:
        return StudyAnswer(what, problem=problem_of(error))


def answer_question(service: GameService, visitor: Visitor, position: Position, ask: str) -> StudyAnswer:
    """The answer of the game to a question, or a hint; cells that can be played now have their commands."""
    question, *words = ask.split()
    try:
        if question == HINT:
            return StudyAnswer(ask, hint=best_turns(service, visitor, position, NODES))
        if question == STATS:
            return StudyAnswer(ask, table_documents(statistics(service, visitor, position)))
        tables = ask_game(position, question, words)
    except (GameError, ProblemError) as error:
        questions = position.game.questions.QUESTIONS
        return StudyAnswer(
            ask, problem=fitting_hints(problem_of(error), lambda hint: hint.partition(" ")[0] in questions)
        )
    return StudyAnswer(ask, tables, playable(position, tables))


def statistics(service: GameService, visitor: Visitor, position: Position) -> Sequence[Table]:
    """The sums of a game until a position, over the events that the visitor may see."""
    log = service.log(f"{position.place}@{position.commit.digest}", viewer=viewer_of(service, visitor, position.line))
    return position.game.questions.statistics([event for commit in log for event in commit.events])


def playable(position: Position, tables: Sequence[TableDocument]) -> Mapping[str, str]:
    """The cells of tables that can be played now, each with its command: `raise g9 ...`, `move dakar · end`."""
    cells = {cell for table in tables for row in table.rows for cell in row if " " in cell}
    try:
        legal = position.legal()
        texts = {cell: next(iter(legal.texts(cell.partition(" · ")[0])), "") for cell in cells}
    except GameError:
        return {}  # it depends on hidden information
    return {cell: text for cell, text in texts.items() if text}


def line_curves(lines: Sequence[LineInfo]) -> Sequence[Curve]:
    """The lines of a game below each other, each drawn from its fork to its head."""
    longest = max([1, *(each.head for each in lines)])
    at = {each.name: number for number, each in enumerate(lines)}

    def x(number: int) -> float:
        return round(EDGE + number / longest * (WIDTH - 2 * EDGE), 1)

    def curve(number: int, line: LineInfo) -> Curve:
        y, begins, head = CURVE_HEIGHT * (number + 0.7), x(line.forked_at or 0), x(line.head)
        path = f"M{begins} {y}H{head}"
        if line.parent in at and line.forked_at is not None:
            above = CURVE_HEIGHT * (at[line.parent] + 0.7)
            path = f"M{begins} {above}V{y - BEND}Q{begins} {y} {min(begins + BEND, max(head, begins))} {y}H{head}"
        late = begins > WIDTH / 2
        name = line.name if len(line.name) <= MAX_NAME else line.name[: MAX_NAME - 1] + "…"
        return Curve(line, name, path, head, y, head - EDGE if late else begins + EDGE, "end" if late else "start")

    return [curve(*each) for each in enumerate(lines)]
