"""Questions to a line and to positions, each a resource: what is legal, why something is so, how lines differ."""

from __future__ import annotations

from litestar import Response, get
from msgspec.structs import replace

from zimcore.analysis.allowed import check_helps
from zimcore.analysis.hint import hint_answer
from zimcore.documents.analysis import HintAnswer
from zimcore.documents.history import BisectAnswer, CompareAnswer, StoryAnswer, WhyAnswer
from zimcore.documents.keep import VerifyAnswer
from zimcore.documents.look import ShowAnswer, show_answer
from zimcore.documents.play import LegalAnswer, PlanAnswer, legal_answer, plan_answer
from zimcore.game import UnknownError
from zimcore.history.answers import bisect_answer, compare_answer, story_answer, why_answer
from zimcore.server.access import Visitor, line_of, viewer_of
from zimcore.server.desk import Asked, Reply, desk_of, reply
from zimcore.server.parameters import At, Digest, Game, Line, Most, Nodes, Other, Text, Words
from zimcore.server.problems import OF_QUESTIONS, ProblemError
from zimcore.service import GameService, Position, certificates

FOR_EVER = "max-age=31536000, immutable"
SVG = ".svg"


@get("/v1/games/{game:str}/lines/{line:str}/legal", responses=OF_QUESTIONS)
async def legal(
    request: Asked, game: Game, line: Line, at: At = "", beginning: Words = "", most: Most = 1000
) -> Response[LegalAnswer]:
    """What can be played that begins so."""

    def work(service: GameService, visitor: Visitor) -> Reply:
        position = seen(service, visitor, line, at)
        return reply(legal_answer(position, beginning, most), "legal", head=position.commit.digest)

    return await desk_of(request).read(request, game, work)


@get("/v1/games/{game:str}/lines/{line:str}/why", responses=OF_QUESTIONS)
async def why(request: Asked, game: Game, line: Line, what: Text, at: At = "") -> Response[WhyAnswer]:
    """The events that made a square, a figure or an expression what it is, the newest first."""

    def work(service: GameService, visitor: Visitor) -> Reply:
        place, viewer = line_of(visitor, line, at), viewer_of(service, visitor, line)
        return reply(why_answer(service.position(place, viewer), service.log(place, viewer=viewer), what), "why")

    return await desk_of(request).read(request, game, work)


@get("/v1/games/{game:str}/lines/{line:str}/compare", responses=OF_QUESTIONS)
async def compare(
    request: Asked,
    game: Game,
    line: Line,
    other: Other,
    at: At = "",
) -> Response[CompareAnswer]:
    """How a position and another one of the same game differ, round by round from where they parted."""

    def work(service: GameService, visitor: Visitor) -> Reply:
        name, _, other_at = other.partition("@")
        places = [line_of(visitor, line, at), line_of(visitor, name or line, other_at)]
        viewers = [viewer_of(service, visitor, line), viewer_of(service, visitor, name or line)]
        a, b = (service.position(*each) for each in zip(places, viewers, strict=True))
        logs = [service.log(place, viewer=viewer) for place, viewer in zip(places, viewers, strict=True)]
        return reply(compare_answer(a, b, *logs), "compare")

    return await desk_of(request).read(request, game, work)


@get("/v1/games/{game:str}/lines/{line:str}/bisect", responses=OF_QUESTIONS)
async def bisect(request: Asked, game: Game, line: Line, expression: Text, at: At = "") -> Response[BisectAnswer]:
    """The moves after which an expression holds, or not any more."""

    def work(service: GameService, visitor: Visitor) -> Reply:
        place, viewer = line_of(visitor, line, at), viewer_of(service, visitor, line)
        log = service.log(place, viewer=viewer)
        return reply(bisect_answer(service.position(place, viewer), log, expression), "bisect")

    return await desk_of(request).read(request, game, work)


@get("/v1/games/{game:str}/lines/{line:str}/plan", responses=OF_QUESTIONS)
async def plan(request: Asked, game: Game, line: Line, goals: Words = "", at: At = "") -> Response[PlanAnswer]:
    """The cheapest way to something, or what is worth doing."""

    def work(service: GameService, visitor: Visitor) -> Reply:
        position = seen(service, visitor, line, at)
        return reply(plan_answer(position, goals.split()), "plan", head=position.commit.digest)

    return await desk_of(request).read(request, game, work)


@get("/v1/games/{game:str}/lines/{line:str}/hint", responses=OF_QUESTIONS)
async def hint(request: Asked, game: Game, line: Line, at: At = "", nodes: Nodes = 300) -> Response[HintAnswer]:
    """The best turns of whoever is to move, for whoever plays that seat; when a game is over, for all.

    Where the game was begun without help, that waits until it is over.
    """

    def work(service: GameService, visitor: Visitor) -> Reply:
        position = seen(service, visitor, line, at)
        return reply(hinted(service, visitor, position, nodes), "hint", head=position.commit.digest)

    return await desk_of(request).read(request, game, work)


def hinted(service: GameService, visitor: Visitor, position: Position, nodes: int) -> HintAnswer:
    """The best turns at a position. Raises `GameError`, and `ProblemError` for who is not to be helped."""
    game = visitor.game
    check_helps(service, game)
    over = service.position(f"{game}/{service.names(game).first}").outcome.over
    mine = visitor.seat and (visitor.owns(position.line) or visitor.seat in position.to_move)
    if not (over or mine):
        raise ProblemError(403, "a hint is for whoever is to move", "others get one when the game is over")
    return hint_answer(position, nodes)


@get("/v1/games/{game:str}/lines/{line:str}/story", responses=OF_QUESTIONS)
async def story(request: Asked, game: Game, line: Line, at: At = "") -> Response[StoryAnswer]:
    """The game round by round."""

    def work(service: GameService, visitor: Visitor) -> Reply:
        place, viewer = line_of(visitor, line, at), viewer_of(service, visitor, line)
        return reply(story_answer(service.position(place, viewer), service.log(place, viewer=viewer)), "story")

    return await desk_of(request).read(request, game, work)


@get("/v1/games/{game:str}/lines/{line:str}/verify", responses=OF_QUESTIONS)
async def verify(request: Asked, game: Game, line: Line) -> Response[VerifyAnswer]:
    """Checks the chain of a line, and decides every command again. For an auditor, or the host."""

    def work(service: GameService, visitor: Visitor) -> Reply:
        visitor.check("auditor", "host")
        place = line_of(visitor, line)
        audit = service.verify(place)
        if audit.fault and service.hides(place):
            # What is wrong with a command could tell the hand that it was played from.
            audit = replace(audit, fault=replace(audit.fault, what="it is told when nothing is hidden", commits={}))
        return reply(VerifyAnswer(audit), "verify")

    return await desk_of(request).read(request, game, work)


@get("/v1/games/{game:str}/lines/{line:str}/certificate", responses=OF_QUESTIONS, media_type="application/jsonl")
async def certificate(request: Asked, game: Game, line: Line, at: At = "") -> Response[str]:
    """The file that proves a line without this server; where cards are hidden, once nothing is secret any more."""

    def work(service: GameService, visitor: Visitor) -> Reply:
        place, viewer = line_of(visitor, line, at), viewer_of(service, visitor, line)
        if service.hides(f"{game}/{line}"):
            raise ProblemError(409, "what is hidden is not told before the end", "it would be in it", kind="hidden")
        found = service.certificate(place, viewer)
        return Reply(certificates.write(found), media_type="application/jsonl", head=found.head.head)

    return await desk_of(request).read(request, game, work)


@get("/v1/games/{game:str}/positions/{name:str}", responses=OF_QUESTIONS)
async def position(
    request: Asked,
    game: Game,
    name: Digest,
) -> Response[ShowAnswer]:
    """A position by its digest, on whichever line it is; or its picture. It never changes."""
    digest = name.removesuffix(SVG)

    def work(service: GameService, visitor: Visitor) -> Reply:
        found = at_digest(service, visitor, digest)
        shared = "public" if visitor.members.public and found.game.secrets is None else "private"
        headers = {"Cache-Control": f"{shared}, {FOR_EVER}"}
        if digest == name:
            return reply(show_answer(found), "show", 200, digest, headers)
        from zimcore.picture.sheet import picture

        return Reply(picture(found).encode(), 200, digest, headers, "image/svg+xml")

    return await desk_of(request).read(request, game, work)


def seen(service: GameService, visitor: Visitor, line: Line, at: str) -> Position:
    """A position, as somebody may see it."""
    return service.position(line_of(visitor, line, at), viewer_of(service, visitor, line))


def at_digest(service: GameService, visitor: Visitor, digest: str) -> Position:
    """The position with a digest, on the first of the lines that somebody sees. Raises `ProblemError`."""
    for line in visitor.seen:
        try:
            return seen(service, visitor, line, digest)
        except UnknownError:
            continue
    raise ProblemError(404, f"there is no position {digest}")
