"""How somebody at a seat is told what happens while they are away, by the kinds that the server allows."""

from __future__ import annotations

from collections.abc import Mapping

from litestar import Response, get, put
from litestar.params import JSONBody

from zimcore.documents.seats import NewNotices, NoticesAnswer
from zimcore.server.access import Visitor
from zimcore.server.desk import Asked, Reply, desk_of, reply
from zimcore.server.notifier import check_wanted, holes
from zimcore.server.parameters import Game, Key
from zimcore.server.problems import OF_ALL, OF_WRITES
from zimcore.service import GameService


@get("/v1/games/{game:str}/notices", responses=OF_ALL)
async def notices(request: Asked, game: Game) -> Response[NoticesAnswer]:
    """How one is told when one is not there, and how one could be."""
    kinds = desk_of(request).notifier.kinds

    def work(service: GameService, visitor: Visitor) -> Reply:
        visitor.check("seat")
        return _answer(service, visitor, kinds)

    return await desk_of(request).read(request, game, work)


@put("/v1/games/{game:str}/notices", responses=OF_WRITES)
async def want(request: Asked, game: Game, data: JSONBody[NewNotices], key: Key) -> Response[NoticesAnswer]:
    """Says how one is to be told that it is one's turn, that one is asked for something, and the end; "" for not."""
    kinds = desk_of(request).notifier.kinds

    def work(service: GameService, visitor: Visitor) -> Reply:
        visitor.check("seat")
        check_wanted(kinds, data)
        id_ = f"notices/{visitor.seat}/{key}"
        service.want_notices(game, data.kind, data.values, by=visitor.name, whose=visitor.grant.id, command_id=id_)
        return _answer(service, visitor, kinds)

    return await desk_of(request).write(request, game, work)


def _answer(service: GameService, visitor: Visitor, kinds: Mapping[str, str]) -> Reply:
    wanted = service.notices(visitor.game, visitor.grant.id)
    found = NoticesAnswer(
        visitor.game,
        wanted.kind if wanted else "",
        dict(wanted.values) if wanted else {},
        {kind: holes(url) for kind, url in kinds.items()},
    )
    return reply(found, "notices")
