"""The application: all resources, their limits and their description."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
from litestar import Litestar, Response, get
from litestar.datastructures import State
from litestar.openapi import ResponseSpec
from litestar.response import Stream

from zimcore.documents import endpoints
from zimcore.documents.seats import FeedMessage, Health, Links
from zimcore.server import copies, games, lines, questions, rewriting, seating, talk
from zimcore.server.desk import Desk, desk_of
from zimcore.server.feeds import SSE, Feeds, Form
from zimcore.server.lanes import PATIENCE, Lanes, Open
from zimcore.server.limits import Limits, limited, who
from zimcore.server.notifier import Notifier
from zimcore.server.openapi import VERSION, config
from zimcore.server.pages.lobby import lobby
from zimcore.server.pages.routes import PAGES
from zimcore.server.parameters import After, Game, LastEventId, Line
from zimcore.server.players import Players
from zimcore.server.problems import OF_ALL, answer_problem, problems_of
from zimcore.server.replies import Asked, JsonRequest, bearer
from zimcore.server.routing import handlers_of, typed_path
from zimcore.server.watch import Figures, watched
from zimcore.service import GameService

FORMS: tuple[Form, ...] = (SSE, "application/x-ndjson")
BEHIND = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
}
"""Headers of every response; a page has its own policy."""


class Settings(msgspec.Struct, frozen=True):
    """How a server runs: its lanes, how long a request waits, the beat of its feeds and how often they look.

    `notices` are the kinds by which those are told who are away: see `notifier`. In `analyses` is kept what was thought
    of games that are over. In a `lan` browsers keep their seats without TLS.
    """

    moves: int = 2
    questions: int = 2
    patience: float = PATIENCE
    beat: float = 7.0
    poll: float = 1.0
    limits: Limits = Limits()
    notices: Mapping[str, str] = {}
    analyses: Path | None = None
    lan: bool = False


USUAL = Settings()


@get("/", security=[{}])
async def root(request: Asked) -> Response[Links]:
    """What this is, and where its parts are; for a browser the games as a page."""
    if "text/html" in request.headers.get("accept", ""):
        return await lobby(request)
    links = {"games": "/v1/games", "openapi": "/v1/openapi.json", "health": "/health", "metrics": "/metrics"}
    return Response(Links("zim", VERSION, links), headers={"Vary": "Accept"})


@get("/health", security=[{}], responses={503: OF_ALL[503]})
async def health(request: Asked) -> Response[Health]:
    """Whether the store can be read."""

    def work(service: GameService) -> None:
        service.has_game("")

    await desk_of(request).lanes.run("moves", "", work)
    return Response(Health("ok", "readable"), headers={"Cache-Control": "no-store"})


@get("/metrics", security=[{}], media_type="text/plain")
async def metrics(request: Asked) -> Response[str]:
    """Figures for a monitor, as Prometheus reads them. A proxy keeps them to those who operate the server."""
    figures: Figures = request.app.state.figures
    text: Any = figures.text()
    return Response(text, media_type="text/plain; version=0.0.4")


@get(
    typed_path(endpoints.FEED.path),
    responses={
        200: ResponseSpec(
            FeedMessage, description="Messages, without an end.", media_type=FORMS[1], generate_examples=False
        ),
        **problems_of(endpoints.FEED),
    },
)
async def feed(
    request: Asked,
    game: Game,
    line: Line,
    after: After = "",
    last: LastEventId = "",
) -> Stream:
    """What happens on a line, as it happens: Server-Sent Events, or lines of JSON for who accepts those."""
    form = FORMS["application/x-ndjson" in request.headers.get("accept", "")]
    feeds = desk_of(request).feeds
    desk_of(request).players.hint(game)
    messages = await feeds.listen(game, line, bearer(request), who(request.scope), form, last or after)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no", "Vary": "Authorization, Accept"}
    return Stream(messages, media_type=form, headers=headers)


MODULES = (games, seating, lines, rewriting, copies, talk, questions)
"""Those that have handlers; what they handle is in the table of endpoints."""
HANDLERS: Sequence[Any] = (
    *(root, health, metrics, feed, PAGES),
    *(each.route for module in MODULES for each in handlers_of(module)),
)


def make_app(open_: Open, settings: Settings = USUAL, address: str = "") -> Litestar:
    """The application over a store, which each lane opens for itself.

    With the store's address, if that is on a PostgreSQL, processes hint to each other what has happened.
    """
    limits = settings.limits
    lanes = Lanes(open_, settings.moves, settings.questions, settings.patience)
    feeds = Feeds(lanes, beat=settings.beat, poll=settings.poll, most=limits.feeds, each=limits.feeds_each)
    figures = Figures(lambda: lanes.waiting, lambda: feeds.open)

    loops = list[asyncio.AbstractEventLoop]()

    def played(game: str) -> None:
        loops[0].call_soon_threadsafe(feeds.hint, game)
        notifier.hint(game)

    players = Players(open_, played)
    notifier = Notifier(open_, settings.notices, feeds.looks)

    @asynccontextmanager
    async def lifespan(_: Litestar) -> AsyncIterator[None]:
        loops.append(asyncio.get_running_loop())
        hints = hinting(address, feeds)
        yield
        if hints:
            hints.cancel()
        players.close()
        notifier.close()
        feeds.close()
        lanes.close()

    return Litestar(
        HANDLERS,
        lifespan=[lifespan],
        state=State(
            {
                "desk": Desk(lanes, feeds, players, notifier, limits.at_once),
                "figures": figures,
                "analyses": settings.analyses,
                "lan": settings.lan,
            }
        ),
        exception_handlers={Exception: answer_problem},
        middleware=[watched(figures), limited(limits)],
        request_class=JsonRequest,
        request_max_body_size=limits.body,
        response_headers=BEHIND,
        openapi_config=config(),
        logging_config=None,
        debug=False,
    )


def hinting(address: str, feeds: Feeds) -> asyncio.Task[None] | None:
    """The task that tells other processes what happens here, and feeds what happens there."""
    if not address.startswith(("postgresql://", "postgres://")):
        return None
    from event_store.backends.hints import Hints

    hints = Hints(address, feeds.look)
    feeds.tell = hints.tell
    return asyncio.create_task(hints.run())
