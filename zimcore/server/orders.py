"""Standing orders: what a seat wants played when its turn comes. They are nobody else's to see."""

from __future__ import annotations

from litestar import Response, delete, get, post
from litestar.params import JSONBody

from zimcore.documents.proceedings import NewOrder, OrdersAnswer
from zimcore.server.access import Visitor
from zimcore.server.desk import Asked, Reply, desk_of, reply
from zimcore.server.parameters import Game, Key, OrderNumber
from zimcore.server.problems import OF_ALL, OF_WRITES
from zimcore.service import GameService, Viewer


@get("/v1/games/{game:str}/orders", responses=OF_ALL)
async def orders(request: Asked, game: Game) -> Response[OrdersAnswer]:
    """What one has ordered ahead, what has become of it, and what can be ordered."""

    def work(service: GameService, visitor: Visitor) -> Reply:
        visitor.check("seat", "bot")
        return reply(service.orders(game, visitor.seat, Viewer(visitor.seat)), "orders")

    return await desk_of(request).read(request, game, work)


@post("/v1/games/{game:str}/orders", responses=OF_WRITES)
async def give(request: Asked, game: Game, data: JSONBody[NewOrder], key: Key) -> Response[OrdersAnswer]:
    """Orders ahead what is to be played when one's turn comes; where that is now, it is played now."""

    def work(service: GameService, visitor: Visitor) -> Reply:
        visitor.check("seat", "bot")
        seat, viewer, id_ = visitor.seat, Viewer(visitor.seat), f"order/{visitor.seat}/{key}"
        found = service.order(game, data.text, by=visitor.name, seat=seat, command_id=id_, viewer=viewer)
        return reply(found, "orders", 201)

    return await desk_of(request).write(request, game, work)


@delete("/v1/games/{game:str}/orders/{number:int}", status_code=200, responses=OF_WRITES)
async def take_back(request: Asked, game: Game, number: OrderNumber, key: Key) -> Response[OrdersAnswer]:
    """Takes an order back: it plays nothing more."""

    def work(service: GameService, visitor: Visitor) -> Reply:
        visitor.check("seat", "bot")
        seat, viewer, id_ = visitor.seat, Viewer(visitor.seat), f"no order/{visitor.seat}/{key}"
        found = service.take_back_order(game, number, by=visitor.name, seat=seat, command_id=id_, viewer=viewer)
        return reply(found, "orders")

    return await desk_of(request).write(request, game, work)
