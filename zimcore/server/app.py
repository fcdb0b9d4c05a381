"""The Litestar application: all routes, their limits and their OpenAPI."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
from litestar import Litestar, Request, Response, get
from litestar.datastructures import State
from litestar.openapi import ResponseSpec
from litestar.response import Stream

from zimcore import features
from zimcore.documents import endpoints
from zimcore.documents.feed_message import FeedMessage
from zimcore.documents.seats import Health, Links
from zimcore.server.endpoints import (
    copy_handlers,
    discussion_handlers,
    game_handlers,
    league_handlers,
    line_handlers,
    open_games,
    question_handlers,
    rewriting_handlers,
    seat_handlers,
)
from zimcore.server.endpoints.bot_players import BotPlayers
from zimcore.server.endpoints.dispatcher import Dispatcher, dispatcher_of
from zimcore.server.endpoints.routing import QUERY_OPTION, check_query, handlers_of, query_names, typed_path
from zimcore.server.news.feeds import SSE, FeedFormat, Feeds, check_cursor
from zimcore.server.news.notice_kinds import NoticeKinds
from zimcore.server.news.notifier import Notifier
from zimcore.server.openapi import API_VERSION, answer_openapi
from zimcore.server.pages.lobby import lobby
from zimcore.server.pages.routes import PAGES, answer_page
from zimcore.server.pages.steps import news_of
from zimcore.server.wire.host_header import check_host
from zimcore.server.wire.limits import Buckets, RateLimits, limit_requests
from zimcore.server.wire.methods import Application
from zimcore.server.wire.monitoring import Metrics, monitor_requests
from zimcore.server.wire.parameters import AfterMessageId, GameName, LastEventId, LineName
from zimcore.server.wire.problem_responses import COMMON_PROBLEMS, answer_problem, problem_specs
from zimcore.server.wire.repeated_answers import SentAnswer, repeat_answers
from zimcore.server.wire.replies import AnyRequest, JsonRequest, Reply
from zimcore.server.wire.reply_cache import ReplyCache
from zimcore.server.work.fair_queue import Payer
from zimcore.server.work.studies import Studies
from zimcore.server.work.workers import PATIENCE_SECONDS, OpenService, WorkerPool
from zimcore.service import GameService

HEALTH_PAYER = Payer("/health", "")
"""Pays for health checks, which take their turns even if many clients without a token ask for more than their share."""
FEED_FORMATS: tuple[FeedFormat, ...] = (SSE, "application/x-ndjson")
DAY_SECONDS = 86400
POSTGRES_PREFIXES = ("postgresql://", "postgres://")


class Settings(msgspec.Struct, frozen=True):
    """The settings of a server.

    `move_workers` and `question_workers` are numbers of workers; `study_processes` is that of processes for long
    questions: with 0 workers answer these, too. `patience` is how many seconds a request waits for its answer,
    `beat_seconds` the time between heartbeats of a feed, `poll_seconds` that between its looks into the store.
    `notice_kinds` are the kinds of notices to absent players. `analyses_folder` has the analyses of finished games.
    With `is_lan` browsers keep their tokens without TLS. The server answers only to its `host_names` and to addresses
    of this machine and of private networks; with None to any.
    With `open_play` people without an account begin games against programs: see `open_games`.
    With a connection pool before PostgreSQL, `direct_url` is the URL past it, to signal and listen.
    """

    move_workers: int = 2
    question_workers: int = 2
    study_processes: int = 0
    patience: float = PATIENCE_SECONDS
    beat_seconds: float = 7.0
    poll_seconds: float = 1.0
    limits: RateLimits = RateLimits()
    notice_kinds: NoticeKinds = {}
    analyses_folder: Path | None = None
    is_lan: bool = False
    host_names: tuple[str, ...] | None = None
    direct_url: str = ""
    open_play: bool = False


DEFAULTS = Settings()


@get("/", operation_id="root", security=[{}])
async def root(request: AnyRequest) -> Response[Links]:
    """The name and version of the server, with links to its parts; for a browser the lobby."""
    if "text/html" in request.headers.get("accept", ""):
        return await lobby(request)
    links = {
        "games": "/v1/games",
        "leagues": "/v1/leagues",
        "openapi": "/v1/openapi.json",
        "health": "/health",
        "metrics": "/metrics",
    }
    return Response(Links("zim", API_VERSION, links), headers={"Vary": "Accept"})


def answer_error(request: Request[Any, Any, Any], error: Exception) -> Response[bytes]:
    """The response for an error: a page for a browser outside `/v1`, else a problem document."""
    wants_page = "text/html" in request.headers.get("accept", "") and not request.url.path.startswith("/v1")
    response = answer_page(request, error) if wants_page else answer_problem(request, error)
    error.__traceback__ = None  # a bug is logged by now; its frames hold the error, as in `Worker._run_job`
    return response


@get("/health", operation_id="health", security=[{}], responses={503: COMMON_PROBLEMS[503]})
async def health(request: AnyRequest) -> Response[Health]:
    """Whether the store can be read, and its file is still the one that was opened."""

    def check_store(service: GameService) -> None:
        service.has_game("")
        service.store.check_file()

    await dispatcher_of(request).workers.run("moves", "", check_store, HEALTH_PAYER)
    return Response(Health("ok", "readable"), headers={"Cache-Control": "no-store"})


@get("/metrics", operation_id="metrics", security=[{}], media_type="text/plain")
async def metrics(request: AnyRequest) -> Response[str]:
    """Metrics in the format of Prometheus. Let your proxy restrict access: this endpoint needs no token."""
    server_metrics: Metrics = request.app.state.metrics
    text: Any = server_metrics.text()
    return Response(text, media_type="text/plain; version=0.0.4")


@get(
    typed_path(endpoints.FEED.path),
    operation_id=endpoints.FEED.name,
    opt={QUERY_OPTION: query_names(endpoints.FEED)},
    guards=[check_query],
    responses={
        200: ResponseSpec(
            FeedMessage,
            description="Messages, as an endless stream.",
            media_type=FEED_FORMATS[1],
            generate_examples=False,
        ),
        **problem_specs(endpoints.FEED),
    },
)
async def feed(
    request: AnyRequest,
    game: GameName,
    line: LineName,
    after: AfterMessageId = "",
    last_event_id: LastEventId = "",
) -> Stream:
    """The events of a line as they happen: Server-Sent Events, or lines of JSON for a client that accepts them."""
    feed_format = FEED_FORMATS["application/x-ndjson" in request.headers.get("accept", "")]
    check_cursor(last_event_id or after)
    messages = await dispatcher_of(request).listen(request, game, line, feed_format, last_event_id or after)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no", "Vary": "Authorization, Accept"}
    return Stream(messages, media_type=feed_format, headers=headers)


HANDLER_MODULES = (
    game_handlers,
    seat_handlers,
    league_handlers,
    open_games,
    line_handlers,
    rewriting_handlers,
    copy_handlers,
    discussion_handlers,
    question_handlers,
)
"""The modules whose handlers answer the endpoints of the table."""
ROUTE_HANDLERS: Sequence[Any] = (
    *(root, health, metrics, answer_openapi, feed, PAGES),
    *(handler.route for module in (*HANDLER_MODULES, *features.modules("server")) for handler in handlers_of(module)),
)


def make_app(open_service: OpenService, settings: Settings = DEFAULTS, store_address: str = "") -> Application:
    """The application on a store, which each worker opens for itself.

    With the `store_address`, processes of its own answer long questions. On PostgreSQL, server processes signal
    each other which games have changed.
    """
    limits = settings.limits
    workers = WorkerPool(open_service, settings.move_workers, settings.question_workers, settings.patience)
    has_shared_store = store_address and not store_address.startswith("memory:")
    studies = (
        Studies(store_address, settings.study_processes, settings.patience)
        if has_shared_store and settings.study_processes
        else None
    )
    open_game_buckets = (
        Buckets(open_games.MAX_GAMES_PER_DAY / DAY_SECONDS, open_games.MAX_GAMES_PER_DAY, time.monotonic)
        if settings.open_play
        else None
    )
    feeds = Feeds(
        workers,
        beat_seconds=settings.beat_seconds,
        poll_seconds=settings.poll_seconds,
        max_listeners=limits.max_feeds,
        max_per_client=limits.max_feeds_per_client,
    )
    feeds.draw_news = news_of

    def worked_seconds() -> Mapping[str, float]:
        return {**workers.worked_seconds(), "studies": studies.worked_seconds if studies else 0.0}

    server_metrics = Metrics(
        lambda: workers.waiting_count,
        lambda: feeds.listener_count,
        lambda: studies.waiting_count if studies else 0,
        worked_seconds,
    )

    sent_answers = ReplyCache[SentAnswer]()
    event_loops = list[asyncio.AbstractEventLoop]()

    def on_bot_move(game: str) -> None:
        event_loops[0].call_soon_threadsafe(feeds.announce_change, game)
        notifier.wake(game)

    bot_players = BotPlayers(open_service, on_bot_move)
    notifier = Notifier(open_service, settings.notice_kinds, feeds.is_listening)

    @asynccontextmanager
    async def lifespan(_: Litestar) -> AsyncIterator[None]:
        event_loops.append(asyncio.get_running_loop())
        signal_task = start_signals(store_address, feeds, settings.direct_url)
        yield
        if signal_task:
            signal_task.cancel()
        bot_players.close()
        notifier.close()
        feeds.close()
        if studies:
            await studies.close()
        workers.close()

    return Application(
        ROUTE_HANDLERS,
        lifespan=[lifespan],
        state=State(
            {
                "dispatcher": Dispatcher(
                    workers, studies, feeds, bot_players, notifier, limits.max_open_requests, open_game_buckets
                ),
                "metrics": server_metrics,
                "replies": ReplyCache[Reply](),
                "sent_answers": sent_answers,
                "analyses": settings.analyses_folder,
                "lan": settings.is_lan,
                "limits": limits,
            }
        ),
        exception_handlers={Exception: answer_error},
        middleware=[
            monitor_requests(server_metrics),
            check_host(settings.host_names),
            limit_requests(limits),
            repeat_answers(workers.store_version, sent_answers),
        ],
        request_class=JsonRequest,
        request_max_body_size=limits.max_body_bytes,
        logging_config=None,
        debug=False,
    )


def start_signals(store_address: str, feeds: Feeds, direct_url: str = "") -> asyncio.Task[None] | None:
    """The task that sends hints of changed games to other processes, and passes theirs to the feeds.

    None if the store is not on PostgreSQL.
    """
    if not store_address.startswith(POSTGRES_PREFIXES):
        return None
    from event_store.backends.signals import SignalChannel

    signal_channel = SignalChannel(store_address, feeds.wake_feeds, direct_url=direct_url)
    feeds.send_signal = signal_channel.send
    return asyncio.create_task(signal_channel.run())
