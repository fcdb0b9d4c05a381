"""Lines: the match and what was forked from it, the moves on them, and where their heads stand."""

from __future__ import annotations

from typing import Any

from litestar import Response, get, post, put
from litestar.params import JSONBody
from msgspec.structs import replace

from event_store import ConflictError, TakenError
from zimcore.documents.history import LogAnswer
from zimcore.documents.keep import LinesAnswer
from zimcore.documents.look import ShowAnswer, show_answer
from zimcore.documents.play import PlayAnswer
from zimcore.documents.positions import (
    CommitDocument,
    PositionAnswer,
    commit_document,
    commit_documents,
    position_document,
)
from zimcore.documents.seats import HeadMove, LineName, Move, NewLine
from zimcore.game import Refused
from zimcore.server.access import Visitor, line_of, viewer_of
from zimcore.server.desk import Asked, Reply, desk_of, expected, reply
from zimcore.server.parameters import At, Every, Facts, Game, IfMatch, Key, Line
from zimcore.server.problems import OF_ALL, OF_WRITES, ProblemError, moved_on, refused
from zimcore.service import GameService, Position, Viewer
from zimcore.service.names import OWN

MOST_LINES = 200
"""Lines of one seat's own."""
MOST_SINCE = 50
"""Commits that are told to who comes late."""


@get("/v1/games/{game:str}/lines", responses=OF_ALL)
async def lines(request: Asked, game: Game) -> Response[LinesAnswer]:
    """The lines of a game: those that all see, and one's own."""

    def work(service: GameService, visitor: Visitor) -> Reply:
        seen = visitor.seen
        found = service.lines(game, Viewer(visitor.seat))
        shown = (replace(each, parent=each.parent if each.parent in seen else "") for each in found)
        return reply(LinesAnswer(tuple(each for each in shown if each.name in seen)), "lines")

    return await desk_of(request).read(request, game, work)


@post("/v1/games/{game:str}/lines", responses=OF_WRITES)
async def fork(
    request: Asked, game: Game, data: JSONBody[NewLine], key: Key, if_match: IfMatch = None
) -> Response[PositionAnswer]:
    """Begins a line of one's own at a position: nobody else sees it until it is shared."""

    def work(service: GameService, visitor: Visitor) -> Reply:
        visitor.check("seat", "bot")
        place, viewer = line_of(visitor, data.line, data.at), viewer_of(service, visitor, data.line)
        name = own_name(visitor, data.name)
        if name not in visitor.lines and sum(map(visitor.owns, visitor.lines)) >= MOST_LINES:
            raise ProblemError(409, f"you have {MOST_LINES} lines", "that is the most", kind="not-possible")
        position = service.fork(
            place,
            name,
            by=visitor.name,
            redeal=data.redeal,
            expected=expected(if_match) if if_match else None,
            command_id=f"{visitor.seat}/{key}",
            viewer=Viewer(visitor.seat) if viewer.own else viewer,
        )
        return moved(position, "fork", 201, {"Location": f"/v1/games/{game}/lines/{position.line}"})

    return await desk_of(request).write(request, game, work)


@get("/v1/games/{game:str}/lines/{line:str}", responses=OF_ALL)
async def show(request: Asked, game: Game, line: Line, at: At = "") -> Response[ShowAnswer]:
    """A line at its head, or another position on it, with everything to be seen there."""

    def work(service: GameService, visitor: Visitor) -> Reply:
        place = line_of(visitor, line, at)
        position = service.position(place, viewer_of(service, visitor, line))
        recorded = service.recorded(f"{position.place}@{position.commit.digest}")
        return reply(show_answer(position, recorded), "show", head=position.commit.digest)

    return await desk_of(request).read(request, game, work)


@put("/v1/games/{game:str}/lines/{line:str}/name", responses=OF_WRITES)
async def rename(
    request: Asked, game: Game, line: Line, data: JSONBody[LineName], key: Key, if_match: IfMatch = None
) -> Response[PositionAnswer]:
    """Gives a line of one's own another name, or shares it: then everybody in the game sees it, for good."""

    def work(service: GameService, visitor: Visitor) -> Reply:
        if not visitor.owns(line):
            line_of(visitor, line)
            raise ProblemError(403, f"{line} is not yours", "it belongs to the game", ["fork it"])
        name = own_name(visitor, data.name)
        if data.shared:
            name = data.name
            if name in visitor.seen:
                raise ProblemError(409, f"there is a line called {name!r} already", kind="not-possible")
        position = service.rename(
            f"{game}/{line}",
            name,
            by=visitor.name,
            expected=expected(if_match),
            command_id=f"{visitor.seat}/{key}",
            viewer=viewer_of(service, visitor, name),
        )
        return moved(position, "rename")

    return await desk_of(request).write(request, game, work)


@get("/v1/games/{game:str}/lines/{line:str}/moves", responses=OF_ALL)
async def moves(
    request: Asked, game: Game, line: Line, at: At = "", every: Every = False, facts: Facts = False
) -> Response[LogAnswer]:
    """The commits on the way to a position; `every` one of the line, undone ones too; with their `facts` in words."""

    def work(service: GameService, visitor: Visitor) -> Reply:
        place, viewer = line_of(visitor, line, at), viewer_of(service, visitor, line)
        position, log = service.position(place, viewer), service.log(place, all_=every, viewer=viewer)
        commits = commit_documents(log, position.game if facts else None)
        return reply(LogAnswer(position_document(position), commits), "log", head=position.commit.digest)

    return await desk_of(request).read(request, game, work)


@post("/v1/games/{game:str}/lines/{line:str}/moves", responses=OF_WRITES)
async def play(
    request: Asked, game: Game, line: Line, data: JSONBody[Move], key: Key, if_match: IfMatch = None
) -> Response[PlayAnswer]:
    """Plays a command at the head of a line."""
    seen = expected(if_match)

    def work(service: GameService, visitor: Visitor) -> Reply:
        visitor.check("seat", "bot")
        place, viewer = line_of(visitor, line), viewer_of(service, visitor, line)
        if viewer.seat and data.seat not in ("", viewer.seat):
            raise ProblemError(403, f"{data.seat} is not your seat", f"you are {viewer.seat}")
        try:
            answer = service.play(
                place,
                data.move,
                by=visitor.name,
                seat=viewer.seat or data.seat or None,
                expected=seen,
                command_id=key,
                signed=bytes.fromhex(data.signed),
                viewer=viewer,
            )
        except ConflictError as error:
            raise late(service, place, viewer, seen, error) from error
        if isinstance(answer, Refused):
            raise ProblemError.of(refused(data.move, answer))
        played = (commit_document(answer.commit, answer.game),)
        turn = tuple(answer.game.display.turn(answer.state))
        where = {"Location": f"/v1/games/{game}/positions/{answer.commit.digest}"}
        return reply(PlayAnswer(played, position_document(answer), turn), "do", 201, answer.commit.digest, where)

    return await desk_of(request).write(request, game, work)


@put("/v1/games/{game:str}/lines/{line:str}/head", responses=OF_WRITES)
async def move_head(
    request: Asked, game: Game, line: Line, data: JSONBody[HeadMove], key: Key, if_match: IfMatch = None
) -> Response[PositionAnswer]:
    """Moves the head of a line: on the match over one's own last moves, while nobody has played since."""
    seen = expected(if_match)
    if bool(data.steps) == bool(data.to):
        raise ProblemError(400, "where is the head to go", "either so many steps, or to a position")

    def work(service: GameService, visitor: Visitor) -> Reply:
        visitor.check("seat", "bot")
        place, viewer = line_of(visitor, line), viewer_of(service, visitor, line)
        asked: Any = {"by": visitor.name, "expected": seen, "command_id": key, "viewer": viewer}
        try:
            if data.to:
                return moved(service.goto(f"{place}@{data.to}", **asked), "goto")
            if data.steps < 0:
                return moved(service.undo(place, -data.steps, **asked), "undo")
            return moved(service.redo(place, data.steps, **asked), "redo")
        except ConflictError as error:
            raise late(service, place, viewer, seen, error) from error

    return await desk_of(request).write(request, game, work)


def moved(position: Position, command: str, status: int = 200, headers: dict[str, str] | None = None) -> Reply:
    """Where a line stands now."""
    return reply(PositionAnswer(position_document(position)), command, status, position.commit.digest, headers)


def own_name(visitor: Visitor, name: str) -> str:
    """The whole name of a line of somebody's own. Raises `ProblemError`."""
    if OWN in name:
        raise ProblemError(400, f"no name: {name!r}", f"{OWN} stands between a seat and the name of its own line")
    return f"{visitor.seat}{OWN}{name}"


def late(
    service: GameService, place: str, viewer: Viewer, seen: str | None, error: ConflictError
) -> ProblemError | ConflictError:
    """Somebody has played since: with what they played, as far as that leads on from the head that was seen."""
    if isinstance(error, TakenError):
        return error
    return ProblemError.of(moved_on(error, played_since(service, place, viewer, seen)))


def played_since(service: GameService, place: str, viewer: Viewer, seen: str | None) -> tuple[CommitDocument, ...]:
    """The commits after a head, as far as it is on the way; not more than a few."""
    log = service.log(place, viewer=viewer)
    at = next((at for at, commit in enumerate(log) if commit.digest == seen), len(log))
    return commit_documents(log[at + 1 :][:MOST_SINCE])
