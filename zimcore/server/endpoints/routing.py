"""Handlers: each answers one endpoint of the table; its route, its checks and its headers are made from that row.

A request is checked in this order, and answered with the status of the first check that fails: it is well formed (400;
428 if a required If-Match is missing), its token is valid (401; 404 for a game of others), the role may use the
endpoint (403), the visitor owns the line or seat (404, 403). Then the handler runs, in the worker of the game.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial, wraps
from inspect import Parameter, Signature
from types import ModuleType
from typing import Annotated, Any, Generic, Protocol, TypeAlias, TypedDict, TypeVar, get_args, get_type_hints
from urllib.parse import urlencode

import msgspec
from litestar import Response
from litestar.connection import ASGIConnection
from litestar.handlers import HTTPRouteHandler
from litestar.handlers.base import BaseRouteHandler
from litestar.params import JSONBody, QueryParameter
from msgspec.structs import replace

from zimcore.documents.endpoint import NO_TOKEN, AnswerT, Endpoint, RequestT
from zimcore.documents.parameter_names import FIELDS_BY_SHELL_NAME
from zimcore.documents.positions import Answer, label_answer
from zimcore.documents.query_parameters import LogQuery, PageQuery
from zimcore.server.endpoints.dispatcher import Dispatcher, Work, dispatcher_of
from zimcore.server.news.notice_kinds import NoticeKinds
from zimcore.server.people.access import Visitor, check_access, place_of, viewer_of
from zimcore.server.wire.limits import client_address
from zimcore.server.wire.parameters import PATH_PARAMETERS, IdempotencyHeader, IfMatch, LongIdempotencyHeader
from zimcore.server.wire.problem_responses import ProblemError, encode_document, problem_specs
from zimcore.server.wire.repeated_answers import LASTS_KEY
from zimcore.server.wire.replies import (
    BODY_TYPE_OPTION,
    AnyRequest,
    Reply,
    accepts_gzip,
    bearer_token,
    compress,
    expected_heads,
    is_known,
    known_etags,
    make_response,
)
from zimcore.server.wire.reply_cache import ReplyCache, study_cache
from zimcore.service import GameService, Viewer
from zimcore.service.actions import Action
from zimcore.service.records.places import suggest_names

ResultT = TypeVar("ResultT")
ItemT = TypeVar("ItemT")
BOUND_NAMES = ("gt", "ge", "lt", "le", "min_length", "max_length", "pattern", "description")
TypeAndDefault: TypeAlias = tuple[Any, Any]
PATH_PARAMETER = re.compile(r"{(\w+)}")
PATH_TYPES = {int: "int", str: "str"}
"""Litestar's names for the types of path parameters."""
QUERY_OPTION = "query"
"""The option of a handler that has the names of its query parameters."""
GENERIC_RESPONSE: Any = Response
GENERIC_BODY: Any = JSONBody
"""`Response` and `JSONBody` as generics whose type arguments are known only from the table, at run time."""


class WriteArguments(TypedDict):
    """The arguments that every write of the service takes: its author and its id."""

    by: str
    command_id: str


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """A call of an endpoint: the visitor, the service, and the parameters in the path of the address.

    `notice_kinds` are those that the operator allows. `expected_head` is the head that the client saw, None for
    any. `key` is the idempotency key, `command_id` the id made from it. `changed_games` gathers the names of games
    that the call has changed. `count_open_game()` counts an open game of the client's address, and returns 0 if it may
    begin one now, else the seconds to wait; None if the operator allows none.
    """

    service: GameService
    visitor: Visitor
    path_values: Mapping[str, Any]
    token: str
    notice_kinds: NoticeKinds = {}
    key: str = ""
    command_id: str = ""
    expected_head: str | None = None
    changed_games: list[str] = []
    count_open_game: Callable[[], float] | None = None

    @property
    def write_arguments(self) -> WriteArguments:
        """The author of a write, and the id that makes a retry recognizable."""
        return {"by": self.visitor.name, "command_id": self.command_id}

    @property
    def game(self) -> str:
        """The name of the game."""
        return str(self.path_values["game"])

    @property
    def line(self) -> str:
        """The name of the line."""
        return str(self.path_values["line"])

    @property
    def seat(self) -> str:
        """The seat of the visitor; "" for none."""
        return self.visitor.seat

    def place(self, position_text: str = "") -> str:
        """The place of the line, or of a position on it. Raises `ProblemError` if the visitor does not see it."""
        return place_of(self.visitor, self.line, position_text)

    @property
    def notes_mark(self) -> str:
        """What an ETag says of what happened around the game; "" if nothing did."""
        discussion = self.service.discussion(self.game)
        return f"-{discussion.revision}" if discussion.shares else ""

    @property
    def viewer(self) -> Viewer:
        """The viewer for the visitor on the line."""
        return viewer_of(self.service, self.visitor, self.line)


class HandlerAnswer(msgspec.Struct, Generic[AnswerT], frozen=True):
    """An answer with more than its document: the `command` to label it with, the `head` for its ETag ("" for none).

    `changed_game` names a game that was changed and is not in the address. Bytes are sent as they are.
    """

    answer: AnswerT | bytes
    command: str = ""
    head: str | None = None
    headers: Mapping[str, str] = {}
    media_type: str = ""
    changed_game: str = ""


class Handler(Generic[RequestT, AnswerT]):
    """An endpoint with the function that answers it.

    With `find_place`, the answer follows from the version of the line at that place, the request and the viewer: a
    client that has it gets 304 without it being made, and it is kept until the line changes, unless the line has
    secrets. With `make_etag`, only the ETag is known before the answer is made. With `has_notes`, the answer also says
    what happened around the game, and so does its ETag.
    """

    def __init__(
        self,
        row: Endpoint[RequestT, AnswerT],
        work: Callable[[Call, RequestT], AnswerT | HandlerAnswer[AnswerT]],
        find_place: Callable[[Call, RequestT], str] | None = None,
        make_etag: Callable[[Call, RequestT], str] | None = None,
        is_long: Callable[[RequestT], bool] = lambda _: False,
        has_notes: bool = False,
    ) -> None:
        self.row = row
        self.work = work
        self.find_place = find_place
        self.make_etag = make_etag
        self.is_long = is_long
        self.has_notes = has_notes
        self.__module__ = work.__module__  # so that another process finds it: see `__reduce__`
        self.route = make_route(row, self.respond, work)

    async def ask(
        self, request: AnyRequest, arguments: RequestT, key: str = "", if_match: str | None = None, **path_values: Any
    ) -> AnswerT:
        """Calls the endpoint from a page of this server, for the visitor who opened it. Raises `ProblemError`."""
        answer = (
            await self._run(request, path_values, arguments, key, if_match, partial(self._answer, arguments))
        ).answer
        assert not isinstance(answer, bytes)
        return answer

    async def respond(
        self, request: AnyRequest, key: str = "", if_match: str | None = None, **http_arguments: Any
    ) -> Response[Any]:
        """Answers a request: `http_arguments` are its parameters and its body (`data`). Raises `ProblemError`."""
        path_values = {name: http_arguments.pop(name) for name in self.row.parameters}
        arguments: RequestT = http_arguments["data"] if "data" in http_arguments else self.row.request(**http_arguments)
        if not self.row.reads:
            return make_response(
                await self._run(request, path_values, arguments, key, if_match, partial(self._reply, arguments))
            )
        client_etags, may_compress, reply = known_etags(request), accepts_gzip(request), None
        if self.is_long(arguments):
            work = partial(
                self.study,
                path_values=path_values,
                arguments=arguments,
                token=bearer_token(request),
                client_etags=client_etags,
                may_compress=may_compress,
            )
            reply = await dispatcher_of(request).study(request, str(path_values["game"]), work)
        if reply is None:
            make_reply = partial(self._read_reply, arguments, client_etags, may_compress, request.app.state.replies)
            reply = await self._run(request, path_values, arguments, key, if_match, make_reply)
        request.scope["state"][LASTS_KEY] = reply.lasts
        return make_response(reply, request)

    def study(
        self,
        service: GameService,
        visitor: Visitor,
        *,
        path_values: Mapping[str, Any],
        arguments: RequestT,
        token: str,
        client_etags: Sequence[str],
        may_compress: bool,
    ) -> Reply:
        """The reply to a long read, in another process. Raises `ProblemError`, `GameError`."""
        check_access(visitor, self.row, path_values, arguments)
        return self._read_reply(
            arguments,
            client_etags,
            may_compress,
            study_cache(),
            Call(service=service, visitor=visitor, path_values=path_values, token=token),
        )

    def __reduce__(self) -> str:
        return self.work.__name__  # pickled by its name in its module: another process has the same

    async def _run(
        self,
        request: AnyRequest,
        path_values: Mapping[str, Any],
        arguments: RequestT,
        key: str,
        if_match: str | None,
        answer_call: Callable[[Call], ResultT],
    ) -> ResultT:
        row, dispatcher = self.row, dispatcher_of(request)
        heads = expected_heads(if_match, is_required=row.if_match == "must")
        token = "" if row.roles == NO_TOKEN else bearer_token(request)
        changed_games = list[str]()

        def work(service: GameService, visitor: Visitor) -> ResultT:
            check_access(visitor, row, path_values, arguments)
            line = str(path_values.get("line") or getattr(arguments, "line", ""))
            buckets = dispatcher.open_game_buckets
            call = Call(
                service=service,
                visitor=visitor,
                path_values=path_values,
                token=token,
                notice_kinds=dispatcher.notifier.kinds,
                key=key,
                command_id=command_id(row, visitor, key),
                expected_head=choose_expected_head(service, visitor, line, heads),
                changed_games=changed_games,
                count_open_game=partial(buckets.take_request, client_address(request.scope)) if buckets else None,
            )
            return answer_call(call)

        result = await self._run_on_worker(dispatcher, request, str(path_values.get("game", "")), work)
        for game in filter(None, changed_games):
            dispatcher.announce_change(game)
        return result

    async def _run_on_worker(
        self, dispatcher: Dispatcher, request: AnyRequest, game: str, work: Work[ResultT]
    ) -> ResultT:
        """Runs work on the worker of the game."""
        if self.row.roles == NO_TOKEN:
            return await dispatcher.ask_without_token(request, work)
        if not game:
            return await dispatcher.ask_without_game(request, work, "questions" if self.row.reads else "moves")
        return await (dispatcher.ask if self.row.reads else dispatcher.change)(request, game, work)

    def _answer(self, arguments: RequestT, call: Call) -> HandlerAnswer[AnswerT]:
        """The answer of the function."""
        result = self.work(call, arguments)
        answer = result if isinstance(result, HandlerAnswer) else HandlerAnswer(result)
        call.changed_games.append(answer.changed_game)
        return answer

    def _reply(self, arguments: RequestT, call: Call) -> Reply:
        """The reply with an answer. It is encoded in the worker, so that the event loop does not wait."""
        handler_answer, row = self._answer(arguments, call), self.row
        answer = handler_answer.answer
        if isinstance(answer, Answer):
            answer = label_answer(answer, handler_answer.command or row.command or row.name)
        head = getattr(answer, "digest", "") if handler_answer.head is None else handler_answer.head
        headers = (
            {"Location": location_of(row.location, answer), **handler_answer.headers}
            if row.location
            else handler_answer.headers
        )
        content = encode_document(answer) if isinstance(answer, msgspec.Struct) else answer
        assert isinstance(content, bytes)
        etag = "" if row.etag == "never" else head
        return Reply(content, row.success, etag, headers, handler_answer.media_type or row.media_type)

    def _read_reply(
        self,
        arguments: RequestT,
        client_etags: Sequence[str],
        may_compress: bool,
        cache: ReplyCache[Reply],
        call: Call,
    ) -> Reply:
        """The reply to a read: 304 if the client has it, else from the cache or made, and compressed if wished."""
        compress_if_accepted = compress if may_compress else lambda reply: reply
        if self.make_etag:
            etag = self.make_etag(call, arguments)
            return (
                Reply(b"", 304, etag)
                if is_known(etag, client_etags)
                else compress_if_accepted(replace(self._reply(arguments, call), head=etag))
            )
        if self.find_place is None:
            return compress_if_accepted(self._reply(arguments, call))
        place, lasts = self.find_place(call, arguments), not call.visitor.needs_clock
        version = call.service.version(place)
        notes_mark = call.notes_mark if self.has_notes else ""
        if is_known(version.digest + notes_mark, client_etags):
            return Reply(b"", 304, version.digest + notes_mark, lasts=lasts)
        if notes_mark:
            noted_reply = self._reply(arguments, call)
            return compress_if_accepted(replace(noted_reply, head=noted_reply.head + notes_mark))
        # What is seen with a delay depends on the time as well; what shows hidden cards to one seat is never kept.
        if call.visitor.is_delayed or call.service.hides(place):
            return compress_if_accepted(self._reply(arguments, call))
        cache_key = (self.row.name, version, call.line, arguments, call.viewer, may_compress)
        reply = cache.get(cache_key)
        if reply is None:
            reply = compress_if_accepted(self._reply(arguments, call))
            # In a snapshot read both are of the same moment; else the line may have moved on in between.
            if reply.head == version.digest:
                cache.keep(cache_key, reply)
        return replace(reply, lasts=lasts)


def choose_expected_head(service: GameService, visitor: Visitor, line: str, client_heads: Sequence[str]) -> str | None:
    """The head that a write expects, None for any: of several that the client names the one where the line stands."""
    if len(client_heads) > 1 and line in visitor.visible_lines:
        head = service.version(f"{visitor.game}/{line}").digest
        return head if head in client_heads else client_heads[0]
    return client_heads[0] if client_heads else None


def next_page_header(
    row: Endpoint[Any, Any], path_values: Mapping[str, Any], arguments: msgspec.Struct
) -> dict[str, str]:
    """The Link header with the address of the next page of a list."""
    defaults = {field.name: field.default for field in msgspec.structs.fields(arguments)}
    query_values = {name: value for name, value in msgspec.structs.asdict(arguments).items() if value != defaults[name]}
    query = urlencode({name: str(value).lower() if value is True else value for name, value in query_values.items()})
    return {"Link": f'<{row.address(**path_values)}?{query}>; rel="next"'}


def page_of(
    row: Endpoint[Any, Any], path_values: Mapping[str, Any], items: Sequence[ItemT], query: PageQuery | LogQuery
) -> tuple[Sequence[ItemT], dict[str, str]]:
    """The items of a page, of all `items` of a list; and the Link header, if there are more."""
    end_index = query.since + 1 + query.limit
    headers = next_page_header(row, path_values, replace(query, since=end_index - 1)) if end_index < len(items) else {}
    return items[query.since + 1 : end_index], headers


class QueryWithPosition(Protocol):
    """The query of a question about a position of a line."""

    @property
    def at(self) -> str:
        """The position, "" for the head."""


def queried_place(call: Call, query: QueryWithPosition) -> str:
    """The place of a question about a position of a line. Raises `ProblemError` if the visitor does not see it."""
    return call.place(query.at)


def handles(
    row: Endpoint[RequestT, AnswerT],
    find_place: Callable[[Call, RequestT], str] | None = None,
    *,
    make_etag: Callable[[Call, RequestT], str] | None = None,
    is_long: Callable[[RequestT], bool] = lambda _: False,
    has_notes: bool = False,
) -> Callable[[Callable[[Call, RequestT], AnswerT | HandlerAnswer[AnswerT]]], Handler[RequestT, AnswerT]]:
    """Decorator: makes a function the handler of an endpoint. For `find_place` and `make_etag` see `Handler`.

    `is_long` says which requests take more than about 10 ms: they are answered in another process. See `studies`.
    """
    return lambda work: Handler(row, work, find_place, make_etag, is_long, has_notes)


def serve(action: Action[RequestT, AnswerT]) -> Handler[RequestT, AnswerT]:
    """The handler of an action of a feature: it runs the action for the visitor."""

    @wraps(action.work)
    def work(call: Call, request: RequestT) -> AnswerT | HandlerAnswer[AnswerT]:
        viewer = Viewer(call.seat)
        if not action.row.reads:
            return call.service.change(
                action, request, call.game, call.path_values, viewer=viewer, **call.write_arguments
            )
        answer = call.service.query(action, request, call.game, viewer)
        if not isinstance(request, PageQuery):
            return answer
        items, headers = page_of(action.row, call.path_values, getattr(answer, action.items), request)
        return HandlerAnswer(replace(answer, **{action.items: tuple(items)}), headers=headers)  # type: ignore[type-var]

    return Handler(action.row, work)


def is_always_long(_: msgspec.Struct) -> bool:
    """All requests of an endpoint are long."""
    return True


def handlers_of(module: ModuleType) -> Iterator[Handler[Any, Any]]:
    """The handlers in a module."""
    return (value for value in vars(module).values() if isinstance(value, Handler))


def command_id(row: Endpoint[Any, Any], visitor: Visitor, key: str) -> str:
    """The command id of a write, by the format of its endpoint."""
    seat, role, name = visitor.seat, visitor.role, visitor.name
    return row.command_id.format(key=key, seat=seat, seat_or_role=seat or role, name=name)


def location_of(location_format: str, answer: Any) -> str:
    """The Location of an answer, by the format of its endpoint."""
    return location_format.format_map(msgspec.structs.asdict(getattr(answer, "position", answer)))


def make_route(row: Endpoint[Any, Any], respond: Callable[..., Any], work: Callable[..., Any]) -> HTTPRouteHandler:
    """The route of an endpoint."""
    return HTTPRouteHandler(
        typed_path(row.path),
        http_method=row.method,
        status_code=row.success,
        media_type=row.media_type,
        responses=problem_specs(row),
        security=security_of(row),
        operation_id=row.name,
        opt={QUERY_OPTION: query_names(row), BODY_TYPE_OPTION: row.request},
        guards=[check_query],
    )(handler_function(respond, dict(request_parameters(row)), work, GENERIC_RESPONSE[row.answer]))


def query_names(row: Endpoint[Any, Any]) -> tuple[str, ...]:
    """The names of the query parameters of an endpoint."""
    return row.request.__struct_fields__ if row.reads else ()


async def check_query(request: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler) -> None:
    """Raises `ProblemError` for a query parameter that the endpoint does not have, or that comes twice.

    It is a guard, so that it is checked before the types of the parameters; an async one, as others run in a thread.
    """
    if not request.scope["query_string"]:
        return
    known_names: tuple[str, ...] = handler.opt[QUERY_OPTION]
    for shell_name, field in FIELDS_BY_SHELL_NAME.get(handler.opt.get(BODY_TYPE_OPTION, Any), {}).items():
        request.scope["query_string"] = re.sub(
            rf"(^|&){shell_name}=".encode(), rf"\1{field}=".encode(), request.scope["query_string"]
        )
    query_values = request.query_params
    for name in query_values:
        if name not in known_names:
            why = f"known here: {', '.join(known_names)}" if known_names else "none is known here"
            hints = [f"{each}=..." for each in suggest_names(name, known_names)]
            raise ProblemError(400, f"there is no query parameter {name[:64]!r}", why, hints)
        if len(query_values.getall(name)) > 1:
            raise ProblemError(400, f"the query parameter {name!r} comes twice", "", [f"{name}=..., once"])


def handler_function(
    respond: Callable[..., Any],
    parameter_types: Mapping[str, TypeAndDefault],
    work: Callable[..., Any],
    return_type: Any = Response,
) -> Callable[..., Any]:
    """A handler function with a signature for Litestar, and with the name and docstring of `work`.

    `parameter_types` gives the type and default of each parameter (`...` for no default).
    """

    async def litestar_handler(**http_arguments: Any) -> Any:
        return await respond(**http_arguments)

    litestar_handler.__name__, litestar_handler.__doc__ = work.__name__, work.__doc__
    litestar_handler.__annotations__ = {
        name: parameter_type for name, (parameter_type, _) in parameter_types.items()
    } | {"return": return_type}
    litestar_handler.__signature__ = Signature(  # type: ignore[attr-defined]
        [
            Parameter(name, Parameter.KEYWORD_ONLY, default=Parameter.empty if default is ... else default)
            for name, (_, default) in parameter_types.items()
        ]
    )
    return litestar_handler


def typed_path(path: str) -> str:
    """A path with the types of its parameters, as Litestar writes it.

    >>> typed_path("/v1/games/{game}/requests/{number}")
    '/v1/games/{game:str}/requests/{number:int}'
    """
    return PATH_PARAMETER.sub(
        lambda match: f"{{{match[1]}:{PATH_TYPES[get_args(PATH_PARAMETERS[match[1]])[0]]}}}", path
    )


def security_of(row: Endpoint[Any, Any]) -> list[dict[str, list[str]]] | None:
    """The OpenAPI security of an endpoint, None for the usual: a token, or nothing for a public game."""
    if row.roles == NO_TOKEN:
        return [{}]
    return None if "spectator" in row.roles else [{"token": []}]


def request_parameters(row: Endpoint[Any, Any]) -> Iterator[tuple[str, TypeAndDefault]]:
    """The parameters of a request, with their types and defaults."""
    yield "request", (AnyRequest, ...)
    for name in row.parameters:
        yield name, (PATH_PARAMETERS[name], ...)
    if row.reads:
        yield from query_parameters(row.request)
        return
    if row.has_body:
        yield "data", (GENERIC_BODY[row.request], ...)
    yield "key", (LongIdempotencyHeader if row.roles == NO_TOKEN else IdempotencyHeader, ...)
    if row.if_match != "never":
        yield "if_match", (IfMatch, None)


def query_parameters(query_type: type[msgspec.Struct]) -> Iterator[tuple[str, TypeAndDefault]]:
    """The query parameters of a struct, each with its bounds as Litestar expects them."""
    annotations = get_type_hints(query_type, include_extras=True)
    for field in msgspec.structs.fields(query_type):
        value_type, constraints = get_args(annotations[field.name])
        bounds = {name: value for name in BOUND_NAMES if (value := getattr(constraints, name)) is not None}
        default = ... if field.required else field.default
        yield field.name, (Annotated[value_type, QueryParameter(**bounds)], default)
