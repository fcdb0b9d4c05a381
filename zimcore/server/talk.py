"""Talk: what is said around a game, to all who see it or to oneself."""

from __future__ import annotations

from litestar import Response, get, post
from litestar.params import JSONBody

from zimcore.documents.proceedings import NewRemark, TalkAnswer
from zimcore.server.access import Visitor, line_of
from zimcore.server.desk import Asked, Reply, desk_of, reply
from zimcore.server.parameters import Game, Key
from zimcore.server.problems import OF_ALL, OF_WRITES, ProblemError
from zimcore.service import GameService, Viewer
from zimcore.service.visibility import TABLE


@get("/v1/games/{game:str}/talk", responses=OF_ALL)
async def talk(request: Asked, game: Game) -> Response[TalkAnswer]:
    """What was said, first to last, with one's own notes."""

    def work(service: GameService, visitor: Visitor) -> Reply:
        if visitor.seat:
            found = service.talk(game, by=visitor.name, whose=visitor.grant.id, viewer=Viewer(visitor.seat))
        else:  # nobody else has notes: the name of a token is no proof of who somebody is
            found = service.proceedings(game).talk
        return reply(TalkAnswer(game, tuple(found)), "talk")

    return await desk_of(request).read(request, game, work)


@post("/v1/games/{game:str}/talk", responses=OF_WRITES)
async def say(request: Asked, game: Game, data: JSONBody[NewRemark], key: Key) -> Response[TalkAnswer]:
    """Says something to all, or notes it for oneself. For who has a seat, and for the host."""

    def work(service: GameService, visitor: Visitor) -> Reply:
        visitor.check("seat", "bot", "host")
        place = line_of(visitor, data.line, data.at)
        if data.own and not visitor.seat:
            raise ProblemError(403, "notes are for who has a seat", "a host may have many a player's name")
        if data.at and not data.own and visitor.owns(data.line):
            raise ProblemError(403, f"nobody else sees {data.line}", "it is yours alone", ["own: true", "share it"])
        said = service.say(
            place,
            data.text,
            by=visitor.name,
            own=data.own,
            whose=visitor.grant.id,
            command_id=f"{visitor.seat or visitor.role}/{key}",
            viewer=Viewer(visitor.seat) if visitor.seat else TABLE,
        )
        return reply(TalkAnswer(game, (said,)), "say", 201)

    return await desk_of(request).write(request, game, work)
