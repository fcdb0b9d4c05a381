"""Pictures of the board at a position: SVG for the lobby, PNG for link previews in other apps."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache, partial
from importlib.util import find_spec
from typing import Any
from urllib.parse import urlencode

import msgspec
from litestar import Response, get

from zimcore.commits import Position
from zimcore.game import Display
from zimcore.picture.overlays import SQUARE_HELP_STARTS, draw_overlay
from zimcore.picture.palette import dark_mode_style
from zimcore.picture.png import to_png
from zimcore.picture.replay import view_box
from zimcore.server.endpoints.dispatcher import dispatcher_of
from zimcore.server.endpoints.question_handlers import visible_position
from zimcore.server.pages import browser
from zimcore.server.pages.page_parameters import GameQuestion, SeatOrRole, ShownLine, ShownPosition, common_line
from zimcore.server.pages.rendering import (
    CACHED_FOREVER,
    PAGE_HEADERS,
    accepted_encodings,
    compress_reply,
    json_reply,
)
from zimcore.server.pages.steps import parts_of
from zimcore.server.people.access import Visitor
from zimcore.server.wire.parameters import GameName
from zimcore.server.wire.problem_responses import ProblemError
from zimcore.server.wire.replies import AnyRequest, Reply
from zimcore.service import GameService

IMAGE_SCALE = 0.75
"""Pixels per SVG unit of the board in a link preview."""


@get("/games/{game:str}/board.svg")
async def board_picture(
    request: AnyRequest, game: GameName, as_: SeatOrRole = "", line: ShownLine = "", at: ShownPosition = ""
) -> Response[Any]:
    """The board at a position as an SVG."""
    await browser.act_in_game(request, game, as_)
    make_reply = partial(picture_reply, line=line, position_text=at, encodings=accepted_encodings(request))
    return await dispatcher_of(request).answer_long(request, game, make_reply)


@get("/games/{game:str}/board.png")
async def board_image(
    request: AnyRequest, game: GameName, as_: SeatOrRole = "", line: ShownLine = "", at: ShownPosition = ""
) -> Response[Any]:
    """The board at a position as a PNG, for link previews."""
    await browser.act_in_game(request, game, as_)
    make_reply = partial(image_reply, line=line, position_text=at)
    return await dispatcher_of(request).answer_long(request, game, make_reply)


class DrawnOverlay(msgspec.Struct, frozen=True):
    """An overlay for a script: its title, and its SVG drawing in the units of the board."""

    title: str
    drawing: str


@get("/games/{game:str}/overlay")
async def board_overlay(
    request: AnyRequest,
    game: GameName,
    as_: SeatOrRole = "",
    line: ShownLine = "",
    at: ShownPosition = "",
    ask: GameQuestion = "",
) -> Response[Any]:
    """An overlay of the board at a position, for the inspector: `hubs d4`."""
    await browser.act_in_game(request, game, as_)
    encodings = accepted_encodings(request)
    make_reply = partial(overlay_reply, line=line, position_text=at, question=ask, encodings=encodings)
    return await dispatcher_of(request).answer_read(request, game, make_reply)


def overlay_reply(
    service: GameService, visitor: Visitor, *, line: str, position_text: str, question: str, encodings: str
) -> Reply:
    """An overlay of the board. Raises `ProblemError` if the game has no board, `GameError` for an unknown overlay."""
    position = visible_position(service, visitor, line or common_line(visitor), position_text)
    board, (name, *words) = position.board, question.split() or [""]
    if board is None:
        raise ProblemError(404, "this game has no board")
    overlay = position.game.display.overlay(position.state, name, words)
    return json_reply(encodings, DrawnOverlay(overlay.title, "".join(draw_overlay(board, overlay))))


def overlays_from_squares(display: Display) -> Sequence[str]:
    """The overlays that can be asked for a square."""
    return [name for name, help_text in display.OVERLAYS.items() if help_text.startswith(SQUARE_HELP_STARTS)]


def picture_reply(service: GameService, visitor: Visitor, *, line: str, position_text: str, encodings: str) -> Reply:
    """The board at a position as an SVG."""
    position = visible_position(service, visitor, line or common_line(visitor), position_text)
    reply = compress_reply(encodings, board_svg(position).encode(), "image/svg+xml")
    return msgspec.structs.replace(reply, headers={**reply.headers, **cache_header(visitor, position, position_text)})


def image_reply(service: GameService, visitor: Visitor, *, line: str, position_text: str) -> Reply:
    """The board at a position as a PNG."""
    position = visible_position(service, visitor, line or common_line(visitor), position_text)
    headers = {**PAGE_HEADERS, **cache_header(visitor, position, position_text)}
    return Reply(png_of(board_svg(position)), headers=headers, media_type="image/png")


def cache_header(visitor: Visitor, position: Position, position_text: str) -> dict[str, str]:
    """The header that says who may cache a picture. With a digest as its place, a picture never changes.

    If the visitor has no token, proxies may cache it too, such as those of apps that preview links.
    """
    if position_text != position.commit.digest:
        return {"Cache-Control": "no-cache"}
    return {"Cache-Control": CACHED_FOREVER.replace("public", "private") if visitor.grant.id else CACHED_FOREVER}


def board_svg(position: Position) -> str:
    """The board at a position as SVG text. Raises `ProblemError` if the game has no board."""
    board = position.board
    if board is None:
        raise ProblemError(404, "this game has no board")
    drawing = "".join(drawn_part.part.drawing for drawn_part in parts_of(position, board))
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{view_box(board)}">{dark_mode_style()}{drawing}</svg>'


@lru_cache(64)
def png_of(svg: str) -> bytes:
    """An SVG as a PNG. Raises `GameError` if the library for it is not installed."""
    return to_png(svg, IMAGE_SCALE)


def image_address(origin: str, position: Position, path: str) -> str:
    """The address of a picture of the position for link previews; "" if none can be made."""
    if position.board is None or find_spec("resvg_py") is None:
        return ""
    query = urlencode({"line": position.line, "at": position.commit.digest})
    return f"{origin}{path}/board.png?{query}"
