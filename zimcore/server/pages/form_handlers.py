"""Form handlers of a game's page: each calls an endpoint, and redirects to the page.

A form may have any field of the endpoint's request body.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

from litestar import Response
from litestar.handlers import HTTPRouteHandler
from litestar.response import Redirect

from event_store import StoreError
from zimcore import features
from zimcore.game import GameError
from zimcore.server.endpoints import discussion_handlers, game_handlers, line_handlers, rewriting_handlers
from zimcore.server.endpoints.dispatcher import dispatcher_of
from zimcore.server.endpoints.routing import Handler, handler_function, typed_path
from zimcore.server.pages import browser
from zimcore.server.pages.error_hints import page_problem
from zimcore.server.pages.form_parsing import Form, fill_body, read_form
from zimcore.server.pages.game_page import PageView, find_common_line, make_page, page_address
from zimcore.server.pages.page_parameters import PagePart
from zimcore.server.pages.rendering import PAGE_HEADERS
from zimcore.server.people.access import Visitor
from zimcore.server.wire.parameters import PATH_PARAMETERS
from zimcore.server.wire.problem_responses import ProblemError
from zimcore.server.wire.replies import AnyRequest, Reply, etag
from zimcore.service import GameService


class FormAction(NamedTuple):
    """A form: its path, the handler it calls, values besides its fields, and the line to show afterwards.

    `shown_line` is the line of the form, that of the answer, or the common line, which all players play. With
    `requires_head` the form fails if the head of its line has moved on. With `gives_up_seat` the browser forgets the
    token of the seat, and shows the lobby.
    """

    path: str
    handler: Handler[Any, Any]
    fixed_values: Mapping[str, Any] = {}
    shown_line: Literal["line", "answer", "common"] = "line"
    requires_head: bool = True
    gives_up_seat: bool = False


FORM_ACTIONS = (
    FormAction("/games/{game}/moves", line_handlers.play),
    FormAction("/games/{game}/undo", line_handlers.move_head, {"steps": -1}),
    FormAction("/games/{game}/talk", discussion_handlers.say),
    FormAction("/games/{game}/orders", discussion_handlers.add_order),
    FormAction("/games/{game}/orders/{order}", discussion_handlers.take_back_order),
    FormAction("/games/{game}/notices", discussion_handlers.set_notices, requires_head=False),
    FormAction("/games/{game}/terms", game_handlers.terms),
    FormAction("/games/{game}/lines", line_handlers.fork, shown_line="answer", requires_head=False),
    FormAction("/games/{game}/share", line_handlers.rename, {"shared": True}, shown_line="answer"),
    FormAction("/games/{game}/forget", rewriting_handlers.forget, shown_line="common"),
)


def form_routes() -> Iterator[HTTPRouteHandler]:
    """The routes of all forms, with those of the features."""
    forms_of_features = (form_action for module in features.modules("server") for form_action in module.FORMS)
    yield from map(form_route, (*FORM_ACTIONS, *forms_of_features))


def form_route(form_action: FormAction) -> HTTPRouteHandler:
    """The route to which a form is sent."""

    async def submit(request: AnyRequest, part: str, **path: Any) -> Response[Any]:
        return await handle_form(request, form_action, path, part)

    path_types = {
        name: (PATH_PARAMETERS[name], ...) for name in ("game", "number", "order") if f"{{{name}}}" in form_action.path
    }
    parameter_types = {"request": (AnyRequest, ...), **path_types, "part": (PagePart, "")}
    return HTTPRouteHandler(typed_path(form_action.path), http_method="POST")(
        handler_function(submit, parameter_types, form_action.handler.work)
    )


async def handle_form(
    request: AnyRequest, form_action: FormAction, path_values: Mapping[str, Any], page_part: str
) -> Response[Any]:
    """Handles a form: redirects to the page of the game, or shows the page with the problem.

    A script of the page sends a `page_part`: its answer is empty, or that part of the page with the problem.
    """
    browser.check_same_origin(request)
    fields, game = await read_form(request), path_values["game"]
    as_, line = fields.get("as", ""), fields.get("line", "")
    tokens = await browser.act_in_game(request, game, as_, is_required=bool(as_))
    try:
        answer_line = await call_endpoint(
            request, form_action, path_values, fields, line or await find_common_line(request, game)
        )
    except (ProblemError, GameError, StoreError) as error:
        page_request, problem, move_text = (
            browser.page_request(request, game),
            page_problem(error),
            fields.get("move", ""),
        )

        def show_problem(service: GameService, visitor: Visitor) -> Reply:
            # For a refused move the page computes the reasons again, with the texts of the rules.
            view = PageView(line=line, typed=move_text if problem.kind == "refused" else "", part=page_part)
            return make_page(page_request, service, visitor, tokens, view, problem)

        return await dispatcher_of(request).answer_read(request, game, show_problem)
    if form_action.gives_up_seat:
        reply = Redirect("/", status_code=303, headers=PAGE_HEADERS)
        reply.set_cookie(browser.expired_cookie(request, tokens[as_]))
        return reply
    if page_part:
        return Response(b"", status_code=204, headers=PAGE_HEADERS)
    return Redirect(
        page_address(game, as_, {"line": line, "answer": answer_line, "common": ""}[form_action.shown_line]),
        status_code=303,
    )


async def call_endpoint(
    request: AnyRequest, form_action: FormAction, path_values: Mapping[str, Any], fields: Form, line: str
) -> str:
    """Calls the endpoint of a form on a line; returns the line that the answer is about, "" for none."""
    row, parameters = form_action.handler.row, {**path_values, "line": line}
    body = fill_body(row.request, {**fields, "line": line}, **form_action.fixed_values)
    head_tag = etag(fields.get("head", "")) if form_action.requires_head and row.if_match != "never" else None
    answer = await form_action.handler.ask(
        request, body, fields["key"], head_tag, **{name: parameters[name] for name in row.parameters}
    )
    return str(getattr(getattr(answer, "position", None), "line", ""))
