"""The page that compares two positions of a game side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Annotated, Any

import msgspec
from litestar import Response, get
from litestar.params import QueryParameter

from zimcore.commits import Position
from zimcore.documents.differences import SquareDifference
from zimcore.documents.history import CompareAnswer
from zimcore.game import Board, GameError
from zimcore.history.board_differences import board_differences
from zimcore.history.history_documents import compare_answer
from zimcore.picture.replay import view_box
from zimcore.server.access import Visitor, place_of, viewer_of
from zimcore.server.dispatcher import dispatcher_of
from zimcore.server.pages import browser
from zimcore.server.pages.game_page import reload_page
from zimcore.server.pages.page_parameters import As, OnLine, line_of_match
from zimcore.server.pages.rendering import accepts, html
from zimcore.server.pages.steps import parts_of
from zimcore.server.parameters import GameName
from zimcore.server.problem_responses import ProblemError, problem_of
from zimcore.server.replies import AnyRequest, Reply
from zimcore.service import GameService
from zimcore.toolkit.svg import SIDE

Place = Annotated[str, QueryParameter(max_length=200, description="A position: main@12, what-if, @4.")]


class Side(msgspec.Struct, frozen=True):
    """One of two positions: its board as drawings, and the corners (x, y) of the squares that differ."""

    place: str
    position: Position
    box: str
    drawing: Sequence[str]
    differs: Sequence[tuple[float, float]] = ()


class Compared(msgspec.Struct, frozen=True):
    """Two positions, and their differences in figures and on the board."""

    sides: Sequence[Side]
    answer: CompareAnswer
    squares: Sequence[SquareDifference]


@get("/games/{game:str}/compare")
async def compare(
    request: AnyRequest, game: GameName, as_: As = "", a: Place = "", b: Place = "", line: OnLine = ""
) -> Response[Any]:
    """Two positions side by side, with the differences marked on each board."""
    if browser.came_from_elsewhere(request):
        return reload_page(request)
    tokens = await browser.tokens_for_game(request, game, as_)
    values = {"game": game, "as": as_ if as_ in tokens else "", "a": a, "b": b}
    work = partial(compare_reply, line=line, values=values, accepts=accepts(request))
    return await dispatcher_of(request).answer_long(request, game, work)


def compare_reply(
    service: GameService, visitor: Visitor, *, line: str, values: Mapping[str, str], accepts: str
) -> Reply:
    """The page with two positions, or with the problem; `values` are for the template."""
    on, problem, compared = line or line_of_match(visitor), None, None
    try:
        compared = compare_positions(service, visitor, on, values["a"].strip(), values["b"].strip())
    except (GameError, ProblemError) as error:
        problem = problem_of(error)
    return html(
        accepts,
        "compare.html",
        problem.status if problem else 200,
        **values,
        line=on,
        found=compared,
        problem=problem,
        places=visitor.visible_lines,
        unit=SIDE,
    )


def compare_positions(service: GameService, visitor: Visitor, line: str, a: str, b: str) -> Compared:
    """Compares the positions at two places. Raises `GameError`, `ProblemError`."""

    def at(place: str) -> tuple[str, Any]:
        name, _, number = place.partition("@")
        return place_of(visitor, name or line, number), viewer_of(service, visitor, name or line)

    places = [at(a), at(b)]
    first, second = (service.position(*each) for each in places)
    logs = [service.log(place, viewer=viewer) for place, viewer in places]
    answer = compare_answer(first, second, *logs)
    squares = [*board_differences(first.board, second.board)]

    def side(position: Position) -> Side:
        board = position.board
        where = f"{position.line}@{position.commit.number}"
        if not board:
            return Side(where, position, "", ())
        drawing = [each.part.drawing for each in parts_of(position, board)]
        return Side(where, position, view_box(board), drawing, [*corners(board, {each.square for each in squares})])

    return Compared([side(first), side(second)], answer, squares)


def corners(board: Board, squares: set[str]) -> Iterator[tuple[float, float]]:
    """The top left corners of squares, in SVG units."""
    for y, row in enumerate(board.cells):
        yield from ((x * SIDE, y * SIDE) for x, cell in enumerate(row) if cell.square in squares)
