"""The page that compares two positions of a game side by side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any

import msgspec
from litestar import Response, get
from litestar.params import QueryParameter

from zimcore.commits import Position
from zimcore.documents.differences import SquareDifference
from zimcore.documents.history import CompareAnswer
from zimcore.game import GameError
from zimcore.history.board_differences import board_differences
from zimcore.history.history_documents import compare_answer
from zimcore.picture.overlays import outline_of_squares
from zimcore.picture.replay import view_box
from zimcore.server.endpoints.dispatcher import dispatcher_of
from zimcore.server.pages import browser
from zimcore.server.pages.game_page import reload_page
from zimcore.server.pages.log_entries import prose
from zimcore.server.pages.page_parameters import SeatOrRole, ShownLine, common_line
from zimcore.server.pages.rendering import accepted_encodings, html_reply
from zimcore.server.pages.seat_bar import people_at
from zimcore.server.pages.steps import parts_of
from zimcore.server.people.access import Visitor, place_of, viewer_of
from zimcore.server.people.member_documents import seats_answer
from zimcore.server.wire.parameters import GameName
from zimcore.server.wire.problem_responses import ProblemError, problem_of
from zimcore.server.wire.replies import AnyRequest, Reply
from zimcore.service import GameService

ComparedPlace = Annotated[str, QueryParameter(max_length=200, description="A position: main@12, what-if, @4.")]


class ComparedSide(msgspec.Struct, frozen=True):
    """One of two positions: its board as drawings, and the top left corners (x, y) of the squares that differ."""

    place: str
    position: Position
    view_box: str
    drawings: Sequence[str]
    differing_outline: str = ""


class Comparison(msgspec.Struct, frozen=True):
    """Two positions, their differences in figures and on the board, and each move in words, by its digest."""

    sides: Sequence[ComparedSide]
    answer: CompareAnswer
    squares: Sequence[SquareDifference]
    prose: Mapping[str, str]


@get("/games/{game:str}/compare")
async def compare(
    request: AnyRequest,
    game: GameName,
    as_: SeatOrRole = "",
    a: ComparedPlace = "",
    b: ComparedPlace = "",
    line: ShownLine = "",
) -> Response[Any]:
    """Two positions side by side, with the differences marked on each board."""
    if browser.came_from_elsewhere(request):
        return reload_page(request)
    tokens = await browser.act_in_game(request, game, as_)
    template_values = {"game": game, "as": as_ if as_ in tokens else "", "a": a, "b": b}
    make_reply = partial(
        compare_reply, line=line, template_values=template_values, encodings=accepted_encodings(request)
    )
    return await dispatcher_of(request).answer_long(request, game, make_reply)


def compare_reply(
    service: GameService, visitor: Visitor, *, line: str, template_values: Mapping[str, str], encodings: str
) -> Reply:
    """The page with two positions, or with the problem."""
    line_name, problem, comparison = line or common_line(visitor), None, None
    try:
        comparison = compare_positions(
            service, visitor, line_name, template_values["a"].strip(), template_values["b"].strip()
        )
    except (GameError, ProblemError) as error:
        problem = problem_of(error)
    return html_reply(
        encodings,
        "compare.html",
        problem.status if problem else 200,
        **template_values,
        line=line_name,
        comparison=comparison,
        problem=problem,
        places=visitor.visible_lines,
        people=people_at(
            seats_answer(service, visitor.game, visitor.members).seats,
            comparison.sides[0].position if comparison else None,
        ),
    )


def compare_positions(
    service: GameService, visitor: Visitor, line: str, first_place_text: str, second_place_text: str
) -> Comparison:
    """Compares the positions at two places. Raises `GameError`, `ProblemError`."""

    def place_and_viewer(place_text: str) -> tuple[str, Any]:
        line_name, _, position_text = place_text.partition("@")
        return place_of(visitor, line_name or line, position_text), viewer_of(service, visitor, line_name or line)

    places_and_viewers = [place_and_viewer(first_place_text), place_and_viewer(second_place_text)]
    first_position, second_position = (service.position(place, viewer) for place, viewer in places_and_viewers)
    logs = [service.log(place, viewer=viewer) for place, viewer in places_and_viewers]
    answer = compare_answer(first_position, second_position, *logs)
    square_differences = [*board_differences(first_position.board, second_position.board)]

    def make_side(position: Position) -> ComparedSide:
        board = position.board
        place_text = f"{position.line}@{position.commit.number}"
        if not board:
            return ComparedSide(place_text, position, "", ())
        drawings = [drawn_part.part.drawing for drawn_part in parts_of(position, board)]
        return ComparedSide(
            place_text,
            position,
            view_box(board),
            drawings,
            outline_of_squares(board, {difference.square for difference in square_differences}),
        )

    prose_by_digest = {commit.digest: prose(commit) for log in logs for commit in log}
    sides = [make_side(first_position), make_side(second_position)]
    return Comparison(sides, answer, square_differences, prose_by_digest)
