"""The desk: where a request is taken to the lane of its game, and comes back as the bytes of a document."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeAlias

import msgspec
from litestar import Request, Response
from litestar.datastructures import State
from litestar.exceptions import ClientException

from zimcore.documents.positions import AnyAnswer, labelled
from zimcore.game import GameError
from zimcore.server.access import Visitor, admitted, holder, seen_by
from zimcore.server.feeds import Feeds
from zimcore.server.lanes import Kind, Lanes
from zimcore.server.limits import who
from zimcore.server.notifier import Notifier
from zimcore.server.players import Players
from zimcore.server.problems import ProblemError, encoded
from zimcore.service import GameService

Asked: TypeAlias = Request[Any, Any, State]
Work: TypeAlias = Callable[[GameService, Visitor], "Reply"]

LINE_NAMES = re.compile(r"[\w-]*\w--[\w-]*")
"""Names of lines of one seat alone, in a text."""

PRIVATE = {"Cache-Control": "private, no-cache", "Vary": "Authorization"}


class JsonRequest(Request[Any, Any, State]):
    """A request, whose body may be anything."""

    async def json(self) -> Any:
        """The document in its body. Raises `ClientException` for what is none, in whatever way."""
        try:
            return await super().json()
        except (UnicodeDecodeError, RecursionError) as error:
            raise ClientException("the body is no JSON") from error


class Reply(msgspec.Struct, frozen=True):
    """What is answered: the bytes of a document, the head that it speaks of, and where what was made can be found."""

    content: bytes
    status: int = 200
    head: str = ""
    headers: Mapping[str, str] = {}
    media_type: str = "application/json"


def reply(
    answer: AnyAnswer, command: str, status: int = 200, head: str = "", headers: Mapping[str, str] | None = None
) -> Reply:
    """The reply with an answer, which says of which command it would be the answer at a terminal."""
    return Reply(encoded(labelled(answer, command)), status, head, headers or {})


class Desk:
    """What the handlers of a process share."""

    def __init__(self, lanes: Lanes, feeds: Feeds, players: Players, notifier: Notifier, at_once: int) -> None:
        self.lanes = lanes
        self.feeds = feeds
        self.players = players
        self.notifier = notifier
        self.at_once = at_once
        self._asking: Counter[str] = Counter()

    async def read(self, request: Asked, game: str, work: Work, kind: Kind = "questions") -> Response[Any]:
        """Asks about a game, as who has the token. Raises `ProblemError`."""
        token = bearer(request)

        def seen(service: GameService) -> Reply:
            visitor = admitted(service, game, token)
            return told(work, seen_by(service, visitor), visitor)

        with self.one_more(request):
            found = await self.lanes.run(kind, game, seen)
        self.players.hint(game)  # one that should have played may have been ended before it did
        if found.head and request.headers.get("if-none-match") == etag(found.head):
            return Response(b"", status_code=304, headers=_headers(found))
        return response(found)

    async def write(self, request: Asked, game: str, work: Work) -> Response[Any]:
        """Changes something in a game, as who has the token. Raises `ProblemError`."""
        token = bearer(request)

        def checked(service: GameService) -> Reply:
            visitor = admitted(service, game, token)
            visitor.check_may_write()
            return told(work, seen_by(service, visitor), visitor)

        try:
            with self.one_more(request):
                return response(await self.lanes.run("moves", game, checked))
        finally:
            self.players.hint(game, changed=True)
            self.notifier.hint(game)
            self.feeds.hint(game)  # also where the answer took too long: it may be stored all the same

    async def alone(self, request: Asked, work: Work, kind: Kind = "questions") -> Response[Any]:
        """Asks for what is of no game, as who has an account or a seat somewhere. Raises `ProblemError`."""
        token = bearer(request)

        def alone(service: GameService) -> Reply:
            visitor = holder(service, token)
            return work(seen_by(service, visitor), visitor)

        with self.one_more(request):
            return response(await self.lanes.run(kind, "", alone))

    @contextmanager
    def one_more(self, request: Asked) -> Iterator[None]:
        """Counts what somebody waits for: nobody fills a lane alone. Raises `ProblemError`."""
        asking = who(request.scope)
        if self._asking[asking] >= self.at_once:
            raise ProblemError(
                429, "too many requests at once", "", ["wait for an answer first"], headers={"Retry-After": "1"}
            )
        self._asking[asking] += 1
        try:
            yield
        finally:
            self._asking[asking] -= 1
            if not self._asking[asking]:
                del self._asking[asking]


def told(work: Work, service: GameService, visitor: Visitor) -> Reply:
    """What some work replies. An error suggests names that are near: not those of lines that are another seat's."""
    try:
        return work(service, visitor)
    except GameError as error:
        error.hints = tuple(hint for hint in error.hints if all(map(visitor.sees, LINE_NAMES.findall(hint))))
        raise


def desk_of(request: Asked) -> Desk:
    """The desk of the server that a request came to."""
    desk: Desk = request.app.state.desk
    return desk


def bearer(request: Asked) -> str:
    """The token of a request; "" if it has none. Raises `ProblemError` for another kind of authorization.

    A page has found it in a cookie (`pages/browser.py`); nothing else does.
    """
    if (chosen := request.scope["state"].get("token")) is not None:
        return str(chosen)
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme and scheme.lower() != "bearer":
        raise ProblemError(401, "this is no token", "", ["Authorization: Bearer zim_seat_..."])
    if scheme and not token:
        raise ProblemError(401, "this is no token", "it is empty", ["Authorization: Bearer zim_seat_..."])
    return token.strip()


def etag(digest: str) -> str:
    """The entity tag of a head."""
    return f'"{digest}"'


def expected(if_match: str | None) -> str | None:
    """The head that a client saw, by If-Match; None for any. Raises `ProblemError` if it does not say."""
    if if_match is None:
        hints = ['If-Match: "DIGEST", as ETag has it']
        raise ProblemError(428, "If-Match is missing", "say which head you saw", hints)
    if if_match.strip() == "*":
        return None
    digest = if_match.strip().removeprefix('"').removesuffix('"')
    if len(digest) != 32 or etag(digest) != if_match.strip() or not set(digest) <= set("0123456789abcdef"):
        raise ProblemError(400, "no ETag of a head", if_match[:64], ['If-Match: "DIGEST", as ETag has it'])
    return digest


def response(found: Reply) -> Response[Any]:
    """The response with a reply."""
    return Response(found.content, status_code=found.status, media_type=found.media_type, headers=_headers(found))


def _headers(found: Reply) -> dict[str, str]:
    tag = {"ETag": etag(found.head)} if found.head else {}
    return {**PRIVATE, **tag, **found.headers}
