"""Moves that are played again elsewhere: amended on a line of one's own, picked from another; and how a line ends."""

from __future__ import annotations

from litestar import Response, delete, post
from litestar.params import JSONBody

from event_store import ConflictError
from zimcore.documents.history import RewriteAnswer
from zimcore.documents.positions import PositionAnswer
from zimcore.documents.seats import NewAmendment, NewPick
from zimcore.game import Refused
from zimcore.server.access import Visitor, line_of, viewer_of
from zimcore.server.desk import Asked, Reply, desk_of, expected, reply
from zimcore.server.lines import MOST_LINES, late, moved, own_name
from zimcore.server.parameters import Game, IfMatch, Key, Line
from zimcore.server.problems import OF_WRITES, ProblemError, refused
from zimcore.service import GameService, Viewer
from zimcore.service.rewriting import rewrite_answer
from zimcore.service.visibility import TABLE


@post("/v1/games/{game:str}/lines/{line:str}/amendments", status_code=200, responses=OF_WRITES)
async def amend(
    request: Asked, game: Game, line: Line, data: JSONBody[NewAmendment], key: Key, if_match: IfMatch = None
) -> Response[RewriteAnswer]:
    """Begins a line of one's own in which a move is another one, and those after it are played again."""

    def work(service: GameService, visitor: Visitor) -> Reply:
        visitor.check("seat", "bot")
        place, name = line_of(visitor, line, data.at), own_name(visitor, data.name)
        if name not in visitor.lines and sum(map(visitor.owns, visitor.lines)) >= MOST_LINES:
            raise ProblemError(409, f"you have {MOST_LINES} lines", "that is the most", kind="not-possible")
        replay = service.amend(
            place,
            data.move,
            by=visitor.name,
            name=name,
            expected=expected(if_match) if if_match else None,
            command_id=f"{visitor.seat}/{key}",
            keep=data.keep,
            dry_run=data.dry_run,
            # On a line of one's own one plays for all, where nothing is hidden.
            viewer=TABLE if service.game(game).secrets is None else Viewer(visitor.seat),
        )
        if isinstance(replay, Refused):
            raise ProblemError.of(refused(data.move, replay))
        return reply(rewrite_answer(replay), "amend", head=replay.position.commit.digest if replay.stored else "")

    return await desk_of(request).write(request, game, work)


@post("/v1/games/{game:str}/lines/{line:str}/picks", status_code=200, responses=OF_WRITES)
async def pick(
    request: Asked, game: Game, line: Line, data: JSONBody[NewPick], key: Key, if_match: IfMatch = None
) -> Response[RewriteAnswer]:
    """Plays the commands of a range of another line at the head of this one, all that one may play there."""
    seen = expected(if_match)

    def work(service: GameService, visitor: Visitor) -> Reply:
        visitor.check("seat", "bot")
        name, _, at = data.source.partition("@")
        place, source = line_of(visitor, line), line_of(visitor, name or line, at)
        viewer = viewer_of(service, visitor, line)
        try:
            replay = service.pick(
                place,
                source,
                by=visitor.name,
                expected=seen,
                command_id=key,
                keep=data.keep,
                dry_run=data.dry_run,
                viewer=viewer,
            )
        except ConflictError as error:
            raise late(service, place, viewer, seen, error) from error
        return reply(rewrite_answer(replay), "pick", head=replay.position.commit.digest if replay.stored else "")

    return await desk_of(request).write(request, game, work)


@delete("/v1/games/{game:str}/lines/{line:str}", status_code=200, responses=OF_WRITES)
async def forget(request: Asked, game: Game, line: Line, key: Key) -> Response[PositionAnswer]:
    """Takes the name of a line of one's own away, and says where the match stands."""

    def work(service: GameService, visitor: Visitor) -> Reply:
        if not visitor.owns(line):
            line_of(visitor, line)
            raise ProblemError(403, f"{line} is not yours", "it belongs to the game")
        match = f"{game}/{service.names(game).first}"
        for viewer in (Viewer(visitor.seat), TABLE):  # where one is on a server is a matter of each client
            if line in visitor.lines:
                service.switch(match, by=visitor.name, viewer=viewer)
        service.forget(
            f"{game}/{line}", by=visitor.name, command_id=f"{visitor.seat}/{key}", viewer=Viewer(visitor.seat)
        )
        return moved(service.head(match, Viewer(visitor.seat)), "forget")

    return await desk_of(request).write(request, game, work)
