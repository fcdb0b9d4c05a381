"""Votes on a seat that is out of time: by those at the other seats."""

from __future__ import annotations

from litestar import Response, get, post
from litestar.params import JSONBody

from zimcore.documents.proceedings import NewVote, VotesAnswer
from zimcore.server.access import Visitor
from zimcore.server.desk import Asked, Reply, desk_of, reply
from zimcore.server.parameters import Game, Key
from zimcore.server.problems import OF_ALL, OF_WRITES
from zimcore.service import GameService, Viewer


@get("/v1/games/{game:str}/votes", responses=OF_ALL)
async def votes(request: Asked, game: Game) -> Response[VotesAnswer]:
    """The seats that are out of time, and how the others have voted."""

    def work(service: GameService, visitor: Visitor) -> Reply:
        return reply(service.votes(game), "vote")

    return await desk_of(request).read(request, game, work)


@post("/v1/games/{game:str}/votes", responses=OF_WRITES)
async def vote(request: Asked, game: Game, data: JSONBody[NewVote], key: Key) -> Response[VotesAnswer]:
    """Votes to wait for a seat that is out of time, to give it to a program, or to end the match where it stands.

    With the last of the others who has to agree it is done.
    """

    def work(service: GameService, visitor: Visitor) -> Reply:
        visitor.check("seat", "bot")
        id_ = f"vote/{visitor.seat}/{key}"
        found = service.vote(game, data.what, data.seat, by=visitor.name, command_id=id_, viewer=Viewer(visitor.seat))
        return reply(found, "vote", 201)

    return await desk_of(request).write(request, game, work)
