"""The page of a game: watched as it is played, and played on by whoever has a seat."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any
from urllib.parse import quote, urlencode

from litestar import Response, get, post
from litestar.params import HeaderParameter, QueryParameter
from litestar.response import Redirect, Stream

from event_store import StoreError
from zimcore.commits import Commit, Position
from zimcore.documents.problems import ProblemDetails
from zimcore.documents.seats import HeadMove, Move
from zimcore.game import GameError, Seat
from zimcore.picture.replay import box, replay_page
from zimcore.server import lines, questions
from zimcore.server.access import Visitor, line_of, viewer_of
from zimcore.server.desk import Asked, Reply, desk_of, etag, response
from zimcore.server.feeds import PAGE, SSE
from zimcore.server.limits import who
from zimcore.server.members import seats_answer
from zimcore.server.pages import browser
from zimcore.server.pages.choices import choice
from zimcore.server.pages.forms import Form, key_of, read, wanted
from zimcore.server.pages.rendering import HEADERS, HTML, html, json
from zimcore.server.pages.steps import facts, parts_of, steps_of, way
from zimcore.server.parameters import At, Game, LastEventId
from zimcore.server.problems import ProblemError, problem_of
from zimcore.server.questions import seen
from zimcore.server.tokens import id_of
from zimcore.service import GameService

As = Annotated[str, QueryParameter(name="as", max_length=64, description="As whom: a seat, or a role.")]
OnLine = Annotated[str, QueryParameter(name="line", max_length=130, description="A line, unless it is the match.")]
Say = Annotated[str, QueryParameter(max_length=500, description="What was typed so far.")]
Square = Annotated[str, QueryParameter(max_length=64, description="A square that was pointed at.")]
PartOf = Annotated[str, HeaderParameter(name="Zim-Part", max_length=20, description="Only what to do now.")]


@get("/games/{game:str}")
async def show(
    request: Asked,
    game: Game,
    as_: As = "",
    line: OnLine = "",
    at: At = "",
    say: Say = "",
    square: Square = "",
    part: PartOf = "",
) -> Response[Any]:
    """A game with all that is to be seen of it; or only what to do now, which narrows with what was typed."""
    if browser.came_from_elsewhere(request):
        return again(request)
    known = await browser.acting(request, game, as_)

    def work(service: GameService, visitor: Visitor) -> Reply:
        return page(request, service, visitor, known, line=line, at=at, say=say, square=square, part=bool(part))

    return await desk_of(request).read(request, game, work)


def again(request: Asked) -> Response[Any]:
    """A page that opens the one that was asked for: a browser sends all its cookies there, as it comes from here."""
    asked = urlencode([*request.query_params.multi_items(), ("here", "1")])
    return response(html(request, "again.html", url=f"{request.url.path}?{asked}"))


def page(
    request: Asked,
    service: GameService,
    visitor: Visitor,
    known: Mapping[str, str],
    *,
    line: str = "",
    at: str = "",
    say: str = "",
    square: str = "",
    part: bool = False,
    problem: ProblemDetails | None = None,
) -> Reply:
    """The page of a game, or the part of it that says what to do now."""
    line = line or visitor.lines[0]
    head = seen(service, visitor, line, "")
    position = seen(service, visitor, line, at) if at else head
    viewer = viewer_of(service, visitor, line)
    seat = mover(head, visitor, line) if visitor.role in ("seat", "bot") else ""
    values: dict[str, Any] = {
        "game": visitor.game,
        "line": line,
        "match": line == visitor.lines[0],
        "head": head,
        "position": position,
        "visitor": visitor,
        "as": next((name for name, text in known.items() if text == request.scope["state"]["token"]), ""),
        "known": list(known),
        "seat": seat,
        "choice": choice(service, head, viewer, seat, say, square) if seat and not at else None,
        "back": takes_back(head, visitor, line),
        "turn": head.game.display.turn(head.state),
        "key": key_of(),
        "problem": problem,
        "colours": head.colours,
    }
    status = problem.status if problem else 200
    if part:
        return html(request, "act.html", status, **values)
    board = position.board
    return html(
        request,
        "game.html",
        status,
        **values,
        box=box(board) if board else "",
        drawing=[each.part for each in parts_of(position, board)] if board else [],
        facts=facts(position),
        log=service.log(f"{head.place}@{head.commit.digest}", viewer=viewer),
        lines=visitor.seen,
        seats=seats_answer(service, visitor.game, visitor.members).seats,
        can_leave=visitor.role in ("seat", "bot"),
        proves=not service.hides(f"{visitor.game}/{line}"),
    )


def mover(head: Position, visitor: Visitor, line: str) -> Seat:
    """The seat that somebody can play now; "" where others are to move. On a line of one's own one plays for all."""
    if visitor.owns(line) and head.game.secrets is None:
        return head.mover if head.to_move else ""
    return visitor.seat if visitor.seat in head.to_move else ""


def takes_back(head: Position, visitor: Visitor, line: str) -> Commit | None:
    """The move that somebody could take back: the last one, if it is theirs."""
    mine = head.commit.seat and (head.commit.seat == visitor.seat or visitor.owns(line))
    return head.commit if mine and not head.outcome.over else None


@get("/games/{game:str}/steps")
async def steps(request: Asked, game: Game, as_: As = "", line: OnLine = "") -> Response[Any]:
    """All positions of a line, to step through them."""
    await browser.acting(request, game, as_)

    def work(service: GameService, visitor: Visitor) -> Reply:
        on = line or visitor.lines[0]
        head = seen(service, visitor, on, "")
        return json(request, steps_of(service, head, viewer_of(service, visitor, on)))

    return await desk_of(request).read(request, game, work)


@get("/games/{game:str}/feed")
async def feed(request: Asked, game: Game, as_: As = "", line: OnLine = "", last: LastEventId = "") -> Stream:
    """What happens on a line as it happens, drawn."""
    await browser.acting(request, game, as_)
    desk, token = desk_of(request), str(request.scope["state"]["token"])

    def first(service: GameService, visitor: Visitor) -> Reply:
        return Reply((line or visitor.lines[0]).encode())

    on = line or (await desk.read(request, game, first)).content.decode()
    listener = id_of(token) if token else who(request.scope)
    messages = await desk.feeds.listen(game, on, token, listener, PAGE, last)
    return Stream(messages, media_type=SSE, headers={**HEADERS, "Cache-Control": "no-store", "X-Accel-Buffering": "no"})


@post("/games/{game:str}/moves")
async def play(request: Asked, game: Game, part: PartOf = "") -> Response[Any]:
    """Plays what a form says."""

    async def done(form: Form, line: str, if_match: str) -> None:
        move = wanted(Move, move=form.get("move", "").strip())
        await lines.play.fn(request, game, line, move, form["key"], if_match)

    return await changed(request, game, part, done)


@post("/games/{game:str}/undo")
async def undo(request: Asked, game: Game, part: PartOf = "") -> Response[Any]:
    """Takes back one's own last move, while nobody has played since."""

    async def done(form: Form, line: str, if_match: str) -> None:
        await lines.move_head.fn(request, game, line, HeadMove(steps=-1), form["key"], if_match)

    return await changed(request, game, part, done)


async def changed(request: Asked, game: str, part: str, does: Any) -> Response[Any]:
    """What a form changes; then the page of the game, or else the page with what is wrong."""
    browser.check_own(request)
    form = await read(request)
    known = await browser.acting(request, game, form.get("as", ""))
    line, as_ = form.get("line", ""), form.get("as", "")
    try:
        await does(form, line or await match_of(request, game), etag(form.get("head", "")))
    except (ProblemError, GameError, StoreError) as error:
        problem, say = problem_of(error), form.get("move", "")

        def work(service: GameService, visitor: Visitor) -> Reply:
            # What the rules say of it is found again, with their words; anything else is told as it is.
            told = None if problem.kind == "refused" and not part else problem
            again = say if problem.kind == "refused" else ""
            return page(
                request, service, visitor, known, line=line, say=again, part=bool(part), problem=told or problem
            )

        return await desk_of(request).read(request, game, work)
    if part:
        return Response(b"", status_code=204, headers=HEADERS)
    return Redirect(address(game, as_, line), status_code=303)


async def match_of(request: Asked, game: str) -> str:
    """The line that is the match."""

    def first(_: GameService, visitor: Visitor) -> Reply:
        return Reply(visitor.lines[0].encode())

    return str((await desk_of(request).read(request, game, first)).content.decode())


def address(game: str, as_: str = "", line: str = "") -> str:
    """Where the page of a game is."""
    asked = urlencode({name: value for name, value in (("as", as_), ("line", line)) if value})
    return f"/games/{quote(game, safe='')}" + (f"?{asked}" if asked else "")


@get("/games/{game:str}/certificate")
async def certificate(request: Asked, game: Game, as_: As = "", line: OnLine = "") -> Response[Any]:
    """The file that proves a line without this server."""
    await browser.acting(request, game, as_)
    found = await questions.certificate.fn(request, game, line or await match_of(request, game))
    found.headers["Content-Disposition"] = f'attachment; filename="{file_name(game)}.jsonl"'
    return found  # type: ignore[no-any-return]


@get("/games/{game:str}/replay")
async def replay(request: Asked, game: Game, as_: As = "", line: OnLine = "") -> Response[Any]:
    """The game as a page to keep: it needs no server."""
    await browser.acting(request, game, as_)

    def work(service: GameService, visitor: Visitor) -> Reply:
        place = line_of(visitor, line or visitor.lines[0])
        viewer = viewer_of(service, visitor, line or visitor.lines[0])
        position = service.position(place, viewer)
        text = replay_page(way(position, service.log(place, viewer=viewer)))
        headers = {**HEADERS, "Content-Disposition": f'attachment; filename="{file_name(game)}.html"'}
        return Reply(text.encode(), headers=headers, media_type=HTML)

    return await desk_of(request).read(request, game, work)


def file_name(game: str) -> str:
    """The name of a file for a game, in letters that any header takes."""
    return "".join(each if each.isascii() and (each.isalnum() or each in "-_") else "_" for each in game)
