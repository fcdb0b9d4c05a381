"""The dispatcher: takes each request to the worker of its game, and runs it as the visitor who sent it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from http import HTTPStatus
from typing import Any, TypeAlias, TypeVar

from litestar import Response

from event_store import EventStoreError
from zimcore.game import GameError
from zimcore.server.endpoints.bot_players import BotPlayers, NamesVersion, names_version_of
from zimcore.server.news.feeds import FeedFormat, Feeds
from zimcore.server.news.notifier import Notifier
from zimcore.server.people.access import STRANGER, Visitor, answer_visitor, authenticate, authenticate_anywhere
from zimcore.server.wire.limits import Buckets, client_address, client_key_of, key_of_token
from zimcore.server.wire.problem_responses import ProblemError
from zimcore.server.wire.replies import AnyRequest, Reply, bearer_token, make_response, unchecked_token
from zimcore.server.work.fair_queue import Payer
from zimcore.server.work.payers import Payers
from zimcore.server.work.studies import Studies
from zimcore.server.work.study_process import Question, StudyReply
from zimcore.server.work.workers import WorkerPool, WorkKind
from zimcore.service import GameService

ResultT = TypeVar("ResultT")
Work: TypeAlias = Callable[[GameService, Visitor], ResultT]


class Dispatcher:
    """What the handlers of a process share: workers, feeds, bots and notifications."""

    def __init__(
        self,
        workers: WorkerPool,
        studies: Studies | None,
        feeds: Feeds,
        bot_players: BotPlayers,
        notifier: Notifier,
        max_requests_at_once: int,
        open_game_buckets: Buckets | None = None,
    ) -> None:
        self.workers = workers
        self.studies = studies
        self.feeds = feeds
        self.bot_players = bot_players
        self.notifier = notifier
        self.max_requests_at_once = max_requests_at_once
        self.open_game_buckets = open_game_buckets
        self.payers = Payers()
        self.feeds.learn_payer = self.payers.remember_visitor
        self._open_requests_by_client: Counter[str] = Counter()

    async def answer_read(
        self, request: AnyRequest, game: str, work: Work[Reply], kind: WorkKind = "questions"
    ) -> Response[Any]:
        """Answers a read of a game, as an HTTP response. Raises `ProblemError`."""
        return make_response(await self.ask(request, game, work, kind), request)

    async def ask(self, request: AnyRequest, game: str, work: Work[ResultT], kind: WorkKind = "questions") -> ResultT:
        """Runs a read of a game for the visitor with the request's token. Raises `ProblemError`."""
        token = bearer_token(request)

        def run_as_visitor(service: GameService) -> ResultT:
            visitor = authenticate(service, game, token)
            self.payers.remember_visitor(token, visitor)
            return answer_visitor(service, visitor, work)

        with self.count_request(request):
            result = await self.workers.run(kind, game, run_as_visitor, self.payer(request))
        self.bot_players.wake(game)  # a bot may still have to move, if its server stopped before it played
        return result

    async def answer_long(self, request: AnyRequest, game: str, work: Work[Reply]) -> Response[Any]:
        """Answers a read of a game that takes long, as an HTTP response; for `work` see `study`."""
        reply = await self.study(request, game, work)
        if reply is None:
            reply = await self.ask(request, game, work)
        return make_response(reply, request)

    async def study(self, request: AnyRequest, game: str, work: Work[Reply]) -> Reply | None:
        """The reply to a read that takes long, from another process; None if a worker has to answer it.

        `work` can be pickled: it has no request and no service in it. Raises `ProblemError`.
        """
        if not self.studies:
            return None
        token, payer = bearer_token(request), self.payer(request)
        with self.count_request(request):
            study_result = await run_while_connected(request, self.studies.answer(Question(game, token, work), payer))
        if not isinstance(study_result, StudyReply):
            return None
        self.payers.remember(token, study_result.payer)
        self.bot_players.wake(game)
        return study_result.reply

    async def change(self, request: AnyRequest, game: str, work: Work[ResultT]) -> ResultT:
        """Runs a write in a game for the visitor with the request's token. Raises `ProblemError`."""
        token = bearer_token(request)
        names_version: NamesVersion | None = None  # unknown, so that the bots look

        def run_as_writer(service: GameService) -> ResultT:
            nonlocal names_version
            visitor = authenticate(service, game, token)
            self.payers.remember_visitor(token, visitor)
            visitor.check_may_write()
            result = answer_visitor(service, visitor, work)
            with suppress(GameError, EventStoreError):
                names_version = names_version_of(service, game)
            return result

        may_be_stored = True  # after a timeout, too
        try:
            with self.count_request(request):
                return await self.workers.run("moves", game, run_as_writer, self.payer(request))
        except ProblemError as error:
            may_be_stored = error.details.status >= HTTPStatus.INTERNAL_SERVER_ERROR
            raise
        finally:
            if may_be_stored:  # a look at the game costs as much as a move: a flood of refused ones must not cause it
                self.announce_change(game, names_version)

    async def ask_without_game(self, request: AnyRequest, work: Work[ResultT], kind: WorkKind = "questions") -> ResultT:
        """Runs work that belongs to no game, for any valid token. Raises `ProblemError`.

        Work of kind `moves` is a write, and needs a token that may write.
        """
        token = bearer_token(request)

        def run_as_holder(service: GameService) -> ResultT:
            visitor = authenticate_anywhere(service, token)
            self.payers.remember_visitor(token, visitor)
            if kind == "moves":
                visitor.check_may_write()
            return answer_visitor(service, visitor, work)

        with self.count_request(request):
            return await self.workers.run(kind, "", run_as_holder, self.payer(request))

    async def ask_without_token(self, request: AnyRequest, work: Work[ResultT]) -> ResultT:
        """Runs a write for a client without a token. Raises `ProblemError`."""
        with self.count_request(request):
            return await self.workers.run("moves", "", lambda service: work(service, STRANGER), self.payer(request))

    async def run_for_page(
        self, request: AnyRequest, game: str, work: Callable[[GameService], ResultT], token: str = ""
    ) -> ResultT:
        """Runs a read for a page; the work itself checks what the browser may see, by `token` or others."""
        with self.count_request(request):
            return await self.workers.run("questions", game, work, self.payer(request, token))

    async def listen(
        self, request: AnyRequest, game: str, line: str, feed_format: FeedFormat, last_id: str
    ) -> AsyncIterator[bytes]:
        """The messages of a feed, after the id `last_id`: see `Feeds.listen`. Raises `ProblemError`."""
        token = bearer_token(request)
        self.bot_players.wake(game)
        client = key_of_token(token, request.scope)
        return await self.feeds.listen(game, line, token, client, feed_format, last_id, self.payer(request))

    def payer(self, request: AnyRequest, token: str = "") -> Payer:
        """Who pays for a request: by a token, by default the one it acts with, or by its address."""
        return self.payers.find(token or unchecked_token(request), client_address(request.scope))

    def announce_change(self, game: str, names_version: NamesVersion | None = None) -> None:
        """Wakes the bots, notifications and feeds that wait for a change in a game."""
        self.bot_players.wake(game, changed=True, names_version=names_version)
        self.notifier.wake(game)
        self.feeds.announce_change(game)

    @contextmanager
    def count_request(self, request: AnyRequest) -> Iterator[None]:
        """Counts a visitor's open requests: one visitor can't fill a worker alone. Raises `ProblemError`."""
        client = client_key_of(request.scope)
        if self._open_requests_by_client[client] >= self.max_requests_at_once:
            raise ProblemError(
                429, "too many requests at once", "", ["wait for an answer first"], headers={"Retry-After": "1"}
            )
        self._open_requests_by_client[client] += 1
        try:
            yield
        finally:
            self._open_requests_by_client[client] -= 1
            if not self._open_requests_by_client[client]:
                del self._open_requests_by_client[client]


async def run_while_connected(request: AnyRequest, work: Coroutine[Any, Any, ResultT]) -> ResultT:
    """The result of work for a client. If the client closes the connection first, cancels it: raises `ProblemError`."""
    work_task, disconnect_task = asyncio.create_task(work), asyncio.create_task(wait_for_disconnect(request))
    try:
        await asyncio.wait((work_task, disconnect_task), return_when=asyncio.FIRST_COMPLETED)
        if not work_task.done():
            raise ProblemError(499, "the client closed the connection", "it does not wait for the answer")
        return work_task.result()
    finally:
        work_task.cancel()
        disconnect_task.cancel()


async def wait_for_disconnect(request: AnyRequest) -> None:
    """Waits until the client of a request without a body closes the connection."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def dispatcher_of(request: AnyRequest) -> Dispatcher:
    """The dispatcher of the server that received a request."""
    dispatcher: Dispatcher = request.app.state.dispatcher
    return dispatcher
