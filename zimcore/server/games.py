"""Games: those that one takes part in, and new ones."""

from __future__ import annotations

from collections.abc import Sequence

from litestar import Response, get, post, put
from litestar.params import JSONBody
from msgspec.structs import asdict, replace

from zimcore.documents.keep import GamesAnswer
from zimcore.documents.listings import GameInfo
from zimcore.documents.positions import PositionAnswer, position_document
from zimcore.documents.seats import GameAnswer, NewGame, SeatsAnswer, Terms
from zimcore.game import UnknownError
from zimcore.server.access import Visitor
from zimcore.server.desk import Asked, Reply, desk_of, reply
from zimcore.server.members import seats_answer
from zimcore.server.parameters import Game, Key
from zimcore.server.players import seated
from zimcore.server.problems import OF_ALL, OF_WRITES, ProblemError
from zimcore.service import GameService, Viewer
from zimcore.service.memberships import GameHosted, MemberEvent, Members, TermsSet
from zimcore.service.proceedings import agreed_on
from zimcore.service.terms import agreed
from zimcore.service.visibility import TABLE

MOST_GAMES = 1000
"""Games that a host may begin."""
NOT_HERE = {
    "seed": ("a seed can't be chosen here", "whoever knows it knows what is dealt"),
    "components": ("a file can't be named here", "the one of that name on the server would be read"),
}
"""Options of games that only somebody at the server's own keyboard may give, and why."""


@get("/v1/games", responses=OF_ALL)
async def games(request: Asked) -> Response[GamesAnswer]:
    """The games that one's token is good for: of a host all that they have begun."""

    def work(service: GameService, visitor: Visitor) -> Reply:
        names = [visitor.game] if visitor.game else service.hosted(visitor.name)
        return reply(GamesAnswer(tuple(listed(service, visitor, names))), "games")

    return await desk_of(request).alone(request, work)


@post("/v1/games", responses=OF_WRITES)
async def begin(request: Asked, data: JSONBody[NewGame], key: Key) -> Response[PositionAnswer]:
    """Begins a game, of which one is the host."""
    desk = desk_of(request)

    def work(service: GameService, visitor: Visitor) -> Reply:
        check_may_begin(service, visitor, data)
        try:
            position = service.new(
                data.kind,
                data.options,
                name=data.name,
                by=visitor.name,
                served=hosted(visitor, data),
                agreed=agreed_on(data.takebacks, helps=data.help),
                bots=seated(data.bots, service.game_of(data.kind)) if data.bots else {},
                command_id=f"{visitor.name}/{key}",
                viewer=TABLE,
            )
        except UnknownError as error:
            if data.name and service.has_game(data.name):
                raise ProblemError(409, error.what, "", error.hints, kind="name-taken") from error
            raise
        where = {"Location": f"/v1/games/{position.match}"}
        answer = PositionAnswer(position_document(position))
        desk.players.hint(position.match, changed=True)
        return reply(answer, "new", 201, position.commit.digest, where)

    return await desk.alone(request, work, "moves")


@post("/v1/tables", responses=OF_WRITES)
async def open_table(request: Asked, data: JSONBody[NewGame], key: Key) -> Response[SeatsAnswer]:
    """Opens a table: the game is dealt when all have sat down, by what each has added to the seed."""

    def work(service: GameService, visitor: Visitor) -> Reply:
        check_may_begin(service, visitor, data)
        name = service.open_table(
            data.kind,
            data.options,
            name=data.name,
            by=visitor.name,
            served=hosted(visitor, data),
            agreed=agreed_on(data.takebacks, helps=data.help),
            bots=seated(data.bots, service.game_of(data.kind)) if data.bots else {},
            command_id=f"{visitor.name}/{key}",
        )
        answer = seats_answer(service, name, service.members(name))
        return reply(answer, "seats", 201, headers={"Location": f"/v1/games/{name}"})

    return await desk_of(request).alone(request, work, "moves")


@post("/v1/games/{game:str}/deal", responses=OF_WRITES)
async def deal(request: Asked, game: Game, key: Key) -> Response[PositionAnswer]:
    """Deals a game with those who have sat down by now. For the host."""
    del key  # a game is dealt once, however often that is asked for

    def work(service: GameService, visitor: Visitor) -> Reply:
        visitor.check("host")
        service.deal(game, by=visitor.name)
        position = service.position(f"{game}@start")
        return reply(PositionAnswer(position_document(position)), "new", 201, position.commit.digest)

    return await desk_of(request).write(request, game, work)


@get("/v1/games/{game:str}", responses=OF_ALL)
async def game_(request: Asked, game: Game) -> Response[GameAnswer]:
    """A game: how it stands, and who sits where."""

    def work(service: GameService, visitor: Visitor) -> Reply:
        (found,) = listed(service, visitor, [game])
        seats = seats_answer(service, game, visitor.members)
        return reply(GameAnswer(found, seats.host, seats.public, seats.seats), "game")

    return await desk_of(request).read(request, game, work)


def hosted(visitor: Visitor, data: NewGame) -> Sequence[MemberEvent]:
    """Whose a new game is, and its terms. Raises `OptionError`."""
    terms = agreed(TermsSet(), said_in(data.terms))
    return [GameHosted(visitor.name, data.public), *([] if terms == TermsSet() else [terms])]


def check_may_begin(service: GameService, visitor: Visitor, data: NewGame) -> None:
    """Raises `ProblemError` for who has no account, or has begun too many games, or gives an option of `NOT_HERE`."""
    visitor.check("host")
    visitor.check_may_write()
    for option in NOT_HERE.keys() & data.options:
        # A seed that somebody chose tells them every hand, and the server is not to be asked which games have any.
        raise ProblemError(403, *NOT_HERE[option])
    if len(service.hosted(visitor.name)) >= MOST_GAMES:
        raise ProblemError(429, f"you have {MOST_GAMES} games", "that is the most", headers={"Retry-After": "3600"})


@put("/v1/games/{game:str}/terms", responses=OF_WRITES)
async def terms(request: Asked, game: Game, data: JSONBody[Terms], key: Key) -> Response[SeatsAnswer]:
    """Changes the terms under which a game is played and watched: for its host."""

    def work(service: GameService, visitor: Visitor) -> Reply:
        visitor.check("host")

        def choose(members: Members) -> Sequence[MemberEvent]:
            return [agreed(members.terms, said_in(data))]

        _, members = service.enrol(game, choose, "terms", data, by=visitor.name, command_id=f"terms/{key}")
        return reply(seats_answer(service, game, members), "terms")

    return await desk_of(request).write(request, game, work)


def said_in(terms: Terms) -> dict[str, str]:
    """The terms that somebody has said, by their keys."""
    return {key: text for key, text in asdict(terms).items() if text is not None}


def listed(service: GameService, visitor: Visitor, names: Sequence[str]) -> Sequence[GameInfo]:
    """Games as somebody may see them listed: with the lines that they see, each on the line that it began with."""
    viewer = Viewer(visitor.seat) if visitor.seat else TABLE
    found = service.games(viewer, only=names)
    lines = {name: filter(visitor.sees, service.line_names(name)) for name in names}
    return [replace(each, lines=len([*lines[each.name]])) for each in found]
