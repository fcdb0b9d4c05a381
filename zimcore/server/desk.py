"""The desk: where what is asked is taken to the lane of its game, as who asks it may see the game."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias, TypeVar

from litestar import Response

from zimcore.game import GameError
from zimcore.server.access import STRANGER, Visitor, admitted, holder, seen_by
from zimcore.server.feeds import Feeds
from zimcore.server.lanes import Kind, Lanes
from zimcore.server.limits import who
from zimcore.server.notifier import Notifier
from zimcore.server.players import Players
from zimcore.server.problems import ProblemError
from zimcore.server.replies import Asked, Reply, bearer, response
from zimcore.service import GameService

Found = TypeVar("Found")
Work: TypeAlias = Callable[[GameService, Visitor], Found]

LINE_NAMES = re.compile(r"[\w-]*\w--[\w-]*")
"""Names of lines of one seat alone, in a text."""


class Desk:
    """What the handlers of a process share."""

    def __init__(self, lanes: Lanes, feeds: Feeds, players: Players, notifier: Notifier, at_once: int) -> None:
        self.lanes = lanes
        self.feeds = feeds
        self.players = players
        self.notifier = notifier
        self.at_once = at_once
        self._asking: Counter[str] = Counter()

    async def read(self, request: Asked, game: str, work: Work[Reply], kind: Kind = "questions") -> Response[Any]:
        """The response to a question about a game. Raises `ProblemError`."""
        return response(await self.ask(request, game, work, kind), request)

    async def ask(self, request: Asked, game: str, work: Work[Found], kind: Kind = "questions") -> Found:
        """Asks about a game, as who has the token. Raises `ProblemError`."""
        token = bearer(request)

        def seen(service: GameService) -> Found:
            visitor = admitted(service, game, token)
            return told(work, seen_by(service, visitor), visitor)

        with self.one_more(request):
            found = await self.lanes.run(kind, game, seen)
        self.players.hint(game)  # one that should have played may have been ended before it did
        return found

    async def change(self, request: Asked, game: str, work: Work[Found]) -> Found:
        """Changes something in a game, as who has the token. Raises `ProblemError`."""
        token = bearer(request)

        def checked(service: GameService) -> Found:
            visitor = admitted(service, game, token)
            visitor.check_may_write()
            return told(work, seen_by(service, visitor), visitor)

        try:
            with self.one_more(request):
                return await self.lanes.run("moves", game, checked)
        finally:
            self.changed(game)  # also where the answer took too long: it may be stored all the same

    async def alone(self, request: Asked, work: Work[Found], kind: Kind = "questions") -> Found:
        """Asks for what is of no game, as who has an account or a seat somewhere. Raises `ProblemError`.

        What goes to the lane of `moves` is to be changed.
        """
        token = bearer(request)

        def checked(service: GameService) -> Found:
            visitor = holder(service, token)
            if kind == "moves":
                visitor.check_may_write()
            return told(work, seen_by(service, visitor), visitor)

        with self.one_more(request):
            return await self.lanes.run(kind, "", checked)

    async def unknown(self, request: Asked, work: Work[Found]) -> Found:
        """Changes something as nobody in particular: who has no token yet. Raises `ProblemError`."""
        with self.one_more(request):
            return await self.lanes.run("moves", "", lambda service: work(service, STRANGER))

    def changed(self, game: str) -> None:
        """Lets all look who wait for what happens in a game."""
        self.players.hint(game, changed=True)
        self.notifier.hint(game)
        self.feeds.hint(game)

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


def told(work: Work[Found], service: GameService, visitor: Visitor) -> Found:
    """What some work finds. An error suggests names that are near: not those of lines that are another seat's."""
    try:
        return work(service, visitor)
    except GameError as error:
        error.hints = tuple(hint for hint in error.hints if all(map(visitor.sees, LINE_NAMES.findall(hint))))
        raise


def desk_of(request: Asked) -> Desk:
    """The desk of the server that a request came to."""
    desk: Desk = request.app.state.desk
    return desk
