"""What is said and asked for around a game: talk, to all who see it or to oneself, and requests for takebacks."""

from __future__ import annotations

from litestar import Response, get, post, put
from litestar.params import JSONBody

from zimcore.documents.proceedings import NewRemark, NewRequest, RequestReply, RequestsAnswer, TalkAnswer
from zimcore.game import RefusedError
from zimcore.server.access import Visitor, line_of, viewer_of
from zimcore.server.desk import Asked, Reply, desk_of, expected, reply
from zimcore.server.parameters import Game, IfMatch, Key, RequestNumber
from zimcore.server.problems import OF_ALL, OF_WRITES, ProblemError, refused
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


@get("/v1/games/{game:str}/requests", responses=OF_ALL)
async def requests(request: Asked, game: Game) -> Response[RequestsAnswer]:
    """What was asked for, first to last, with what it would come to while it can be granted."""

    def work(service: GameService, visitor: Visitor) -> Reply:
        return reply(RequestsAnswer(game, tuple(service.requests(game, Viewer(visitor.seat)))), "requests")

    return await desk_of(request).read(request, game, work)


@post("/v1/games/{game:str}/requests", responses=OF_WRITES)
async def ask(
    request: Asked, game: Game, data: JSONBody[NewRequest], key: Key, if_match: IfMatch = None
) -> Response[RequestsAnswer]:
    """Asks the others for a takeback, on a line that all see; where nobody has to agree it is done at once."""

    def work(service: GameService, visitor: Visitor) -> Reply:
        visitor.check("seat", "bot")
        if bool(data.at) != bool(data.move):
            raise ProblemError(
                400, "which move, and what for", "a move that is to be another one has both: at and move"
            )
        place, viewer = line_of(visitor, data.line, data.at), viewer_of(service, visitor, data.line)
        if not viewer.own:
            raise ProblemError(403, f"nobody else sees {data.line}", "take back there what you like", ["undo"])
        try:
            asked = service.ask(
                place,
                data.steps,
                move=data.move,
                by=visitor.name,
                expected=expected(if_match) if if_match else None,
                command_id=f"{visitor.seat}/{key}",
                viewer=viewer,
            )
        except RefusedError as error:
            raise ProblemError.of(refused(data.move, error.refused)) from error
        return reply(RequestsAnswer(game, (asked,)), "takeback", 201)

    return await desk_of(request).write(request, game, work)


@put("/v1/games/{game:str}/requests/{number:int}", responses=OF_WRITES)
async def answer(
    request: Asked, game: Game, number: RequestNumber, data: JSONBody[RequestReply], key: Key
) -> Response[RequestsAnswer]:
    """Accepts a request, declines it, or withdraws one's own. With the last who has to agree it is done."""

    def work(service: GameService, visitor: Visitor) -> Reply:
        visitor.check("seat", "bot")
        found = service.answer(
            game,
            data.status,
            number,
            by=visitor.name,
            command_id=f"{visitor.seat}/{key}",
            viewer=Viewer(visitor.seat, own=True),
        )
        return reply(RequestsAnswer(game, (found,)), data.status)

    return await desk_of(request).write(request, game, work)
