"""What a form of a game's page changes: each asks the endpoint that it is for, and leads back to the page.

What can be filled in is what the endpoint is given; a script may name any of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from litestar import Response
from litestar.handlers import HTTPRouteHandler
from litestar.response import Redirect

from event_store import StoreError
from zimcore.game import GameError
from zimcore.server import games, lines, rewriting, talk
from zimcore.server.access import Visitor
from zimcore.server.desk import desk_of
from zimcore.server.pages import browser
from zimcore.server.pages.forms import Form, filled, read
from zimcore.server.pages.games import Look, PartOf, address, match_of, page
from zimcore.server.pages.hints import of_page
from zimcore.server.pages.rendering import HEADERS
from zimcore.server.parameters import IN_PATH
from zimcore.server.problems import ProblemError
from zimcore.server.replies import Asked, Reply, etag
from zimcore.server.routing import Handler, endpoint, typed_path
from zimcore.service import GameService


class Change(NamedTuple):
    """A form: where it is sent, what it asks, what it says beside its fields, and where it leads.

    It stays on its line, goes to the one that the answer is about, or back to the match. Where it does not depend on
    the head `of` its line, it may have moved on.
    """

    path: str
    asks: Handler[Any, Any]
    says: Mapping[str, Any] = {}
    to: Literal["line", "answer", "match"] = "line"
    of_head: bool = True


FORMS = (
    Change("/games/{game}/moves", lines.play),
    Change("/games/{game}/undo", lines.move_head, {"steps": -1}),
    Change("/games/{game}/talk", talk.say),
    Change("/games/{game}/requests", talk.ask),
    Change("/games/{game}/requests/{number}", talk.answer),
    Change("/games/{game}/orders", talk.give),
    Change("/games/{game}/orders/{order}", talk.take_back),
    Change("/games/{game}/votes", talk.vote),
    Change("/games/{game}/terms", games.terms),
    Change("/games/{game}/lines", lines.fork, to="answer", of_head=False),
    Change("/games/{game}/share", lines.rename, {"shared": True}, to="answer"),
    Change("/games/{game}/forget", rewriting.forget, to="match"),
)


def form_route(form: Change) -> HTTPRouteHandler:
    """The route to which a form is sent."""

    async def submit(request: Asked, part: str, **path: Any) -> Response[Any]:
        return await changed(request, form, path, part)

    named = {name: (IN_PATH[name], ...) for name in ("game", "number", "order") if f"{{{name}}}" in form.path}
    hints = {"request": (Asked, ...), **named, "part": (PartOf, "")}
    return HTTPRouteHandler(typed_path(form.path), http_method="POST")(endpoint(submit, hints, form.asks.work))


async def changed(request: Asked, form: Change, path: Mapping[str, Any], part: str) -> Response[Any]:
    """Does what a form says; then the page of the game, or else the page with what is wrong."""
    browser.check_own(request)
    sent, game = await read(request), path["game"]
    as_, line = sent.get("as", ""), sent.get("line", "")
    known = await browser.acting(request, game, as_)
    try:
        to = await done(request, form, path, sent, line or await match_of(request, game))
    except (ProblemError, GameError, StoreError) as error:
        problem, say = of_page(error), sent.get("move", "")

        def work(service: GameService, visitor: Visitor) -> Reply:
            # What the rules say of a move is found again, with their words; anything else is told as it is.
            look = Look(line=line, say=say if problem.kind == "refused" else "", part=part)
            return page(request, service, visitor, known, look, problem)

        return await desk_of(request).read(request, game, work)
    if part:
        return Response(b"", status_code=204, headers=HEADERS)
    return Redirect(address(game, as_, {"line": line, "answer": to, "match": ""}[form.to]), status_code=303)


async def done(request: Asked, form: Change, path: Mapping[str, Any], sent: Form, line: str) -> str:
    """Asks what a form says on a line; the line that the answer is about, where it is about one."""
    row, there = form.asks.row, {**path, "line": line}
    given = filled(row.given, {**sent, "line": line}, **form.says)
    seen = etag(sent.get("head", "")) if form.of_head and row.if_match != "never" else None
    answer = await form.asks.ask(request, given, sent["key"], seen, **{name: there[name] for name in row.parameters})
    return str(getattr(getattr(answer, "position", None), "line", ""))


ROUTES = tuple(map(form_route, FORMS))
