"""The router of all pages, with static files, rules and error pages."""

from __future__ import annotations

from typing import Annotated, Any

from litestar import Request, Response, Router, get
from litestar.params import PathParameter
from litestar.response import Redirect

from zimcore.server.pages import board_pictures, form_handlers, game_page, join_page, league_pages, lobby, rules_page
from zimcore.server.pages.chance_series import chances
from zimcore.server.pages.compare_page import compare
from zimcore.server.pages.error_hints import page_problem
from zimcore.server.pages.form_parsing import new_form_key
from zimcore.server.pages.rendering import (
    CACHED_FOREVER,
    HTML_TYPE,
    MEDIA_TYPE_BY_SUFFIX,
    PAGE_HEADERS,
    files_version,
    render_template,
    static_files,
)
from zimcore.server.wire.problem_responses import ProblemError, headers_of
from zimcore.server.wire.replies import AnyRequest


@get("/static/{version:str}/{name:str}", sync_to_thread=False)
def static(
    request: AnyRequest,
    version: Annotated[str, PathParameter(max_length=20)],
    name: Annotated[str, PathParameter(max_length=40)],
) -> Response[bytes]:
    """A static file. Its address changes with its content, so browsers may cache it."""
    del version
    file = static_files().get(name)
    if file is None:
        raise ProblemError(404, "there is no such file")
    headers = {
        "Cache-Control": CACHED_FOREVER,
        "Vary": "Accept-Encoding",
        "Cross-Origin-Resource-Policy": "same-origin",
    }
    accepts_gzip = "gzip" in request.headers.get("accept-encoding", "")
    if accepts_gzip:
        headers["Content-Encoding"] = "gzip"
    return Response(file.gzipped_content if accepts_gzip else file.content, media_type=file.media_type, headers=headers)


@get("/favicon.ico", sync_to_thread=False)
def favicon() -> Redirect:
    """Redirects to the icon, for browsers that request it without reading a page."""
    return Redirect(f"/static/{files_version()}/icon.svg")


@get("/worker.js", sync_to_thread=False)
def worker() -> Response[bytes]:
    """The script that shows notices while no page is open. Its address stays the same, so browsers ask if it is new."""
    headers = {"Cache-Control": "no-cache", "Cross-Origin-Resource-Policy": "same-origin"}
    return Response(static_files()["worker.js"].content, media_type=MEDIA_TYPE_BY_SUFFIX[".js"], headers=headers)


def answer_page(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    """The response for an error: a page, or part of one for a script."""
    problem = page_problem(error)
    template = "problem.html" if "zim-part" in request.headers else "sorry.html"
    values = {"problem": problem, "key": new_form_key()}
    headers = {**PAGE_HEADERS, **headers_of(error)}
    return Response(
        render_template(template, **values).encode(), status_code=problem.status, media_type=HTML_TYPE, headers=headers
    )


PAGES = Router(
    "/",
    route_handlers=[
        *(
            game_page.show,
            game_page.line_steps,
            game_page.feed,
            game_page.certificate,
            game_page.replay,
            board_pictures.board_picture,
            board_pictures.board_image,
            board_pictures.board_overlay,
            compare,
            chances,
        ),
        *form_handlers.form_routes(),
        *(
            join_page.join,
            join_page.redeem,
            join_page.about_link,
            join_page.open_game,
            join_page.play_program,
            lobby.begin,
            lobby.give,
            lobby.sit,
        ),
        *(league_pages.leagues, league_pages.open_league, league_pages.league, league_pages.change_league),
        league_pages.take_seat,
        *(static, favicon, worker, rules_page.rules, rules_page.rule_page, rules_page.rule_picture),
    ],
    exception_handlers={Exception: answer_page},
    include_in_schema=False,
)
