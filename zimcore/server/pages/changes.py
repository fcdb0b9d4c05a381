"""What a form of a game's page changes: each asks the resource that is for it, and leads back to the page."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, TypeAlias

import msgspec
from litestar import Response, post
from litestar.params import PathParameter
from litestar.response import Redirect

from event_store import StoreError
from zimcore.documents.proceedings import NewOrder, NewRemark, NewRequest, NewVote, RequestReply
from zimcore.documents.seats import HeadMove, LineName, Move, NewLine, Terms
from zimcore.game import GameError
from zimcore.server import games as resources
from zimcore.server import lines, orders, rewriting, talk, votes
from zimcore.server.access import Visitor
from zimcore.server.desk import Asked, Reply, desk_of, etag
from zimcore.server.pages import browser
from zimcore.server.pages.forms import Form, read, wanted
from zimcore.server.pages.games import Look, PartOf, address, match_of, page
from zimcore.server.pages.hints import of_page
from zimcore.server.pages.rendering import HEADERS
from zimcore.server.parameters import Game
from zimcore.server.problems import ProblemError
from zimcore.service import GameService
from zimcore.service.names import OWN
from zimcore.service.terms import KEYS

Does: TypeAlias = Callable[[Form, str, str], Awaitable[str | None]]
"""From a form, a line and the head that was seen; it may say to which line to go on."""
Number = Annotated[int, PathParameter(ge=0, le=2**62)]


class OrderNumber(msgspec.Struct):
    """An order, by its number."""

    number: Annotated[int, msgspec.Meta(ge=0, le=2**62)]


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


@post("/games/{game:str}/talk")
async def say(request: Asked, game: Game, part: PartOf = "") -> Response[Any]:
    """Says something to all, or to oneself."""

    async def done(form: Form, line: str, _: str) -> None:
        text, at = form.get("text", "").strip(), form.get("at", "")
        await talk.say.fn(request, game, wanted(NewRemark, text=text, own="own" in form, line=line, at=at), form["key"])

    return await changed(request, game, part, done)


@post("/games/{game:str}/requests")
async def ask(request: Asked, game: Game, part: PartOf = "") -> Response[Any]:
    """Asks the others for a takeback."""

    async def done(form: Form, line: str, if_match: str) -> None:
        body = wanted(NewRequest, steps=form.get("steps", ""), line=line)
        if instead := form.get("instead", "").strip():
            body = wanted(NewRequest, line=line, at=form.get("at", ""), move=instead)
        await talk.ask.fn(request, game, body, form["key"], if_match)

    return await changed(request, game, part, done)


@post("/games/{game:str}/requests/{number:int}")
async def answer(request: Asked, game: Game, number: Number, part: PartOf = "") -> Response[Any]:
    """Accepts a request, declines it, or withdraws one's own."""

    async def done(form: Form, _: str, __: str) -> None:
        await talk.answer.fn(request, game, number, wanted(RequestReply, status=form.get("status", "")), form["key"])

    return await changed(request, game, part, done)


@post("/games/{game:str}/orders")
async def order(request: Asked, game: Game, part: PartOf = "") -> Response[Any]:
    """Orders something ahead; or takes an order back, by its number."""

    async def done(form: Form, _: str, __: str) -> None:
        if "number" in form:
            number = wanted(OrderNumber, number=form["number"]).number
            await orders.take_back.fn(request, game, number, form["key"])
        else:
            await orders.give.fn(request, game, wanted(NewOrder, text=form.get("text", "").strip()), form["key"])

    return await changed(request, game, part, done)


@post("/games/{game:str}/votes")
async def vote(request: Asked, game: Game, part: PartOf = "") -> Response[Any]:
    """Votes on a seat that is out of time."""

    async def done(form: Form, _: str, __: str) -> None:
        body = wanted(NewVote, what=form.get("what", ""), seat=form.get("seat", ""))
        await votes.vote.fn(request, game, body, form["key"])

    return await changed(request, game, part, done)


@post("/games/{game:str}/terms")
async def terms(request: Asked, game: Game, part: PartOf = "") -> Response[Any]:
    """Changes the terms of a game: for its host."""

    async def done(form: Form, _: str, __: str) -> None:
        said = {key: form[key].strip() or "none" for key in KEYS if key in form}
        await resources.terms.fn(request, game, wanted(Terms, **said), form["key"])

    return await changed(request, game, part, done)


@post("/games/{game:str}/lines")
async def fork(request: Asked, game: Game) -> Response[Any]:
    """Begins a line of one's own, and leads there."""

    async def done(form: Form, line: str, _: str) -> str:
        body = wanted(NewLine, name=form.get("name", "").strip(), line=line, at=form.get("at", ""))
        await lines.fork.fn(request, game, body, form["key"])
        return f"{form.get('as', '')}{OWN}{body.name}"

    return await changed(request, game, "", done)


@post("/games/{game:str}/share")
async def share(request: Asked, game: Game) -> Response[Any]:
    """Shares a line of one's own: from then on everybody in the game sees it."""

    async def done(form: Form, line: str, if_match: str) -> str:
        body = wanted(LineName, name=form.get("name", "").strip(), shared=True)
        await lines.rename.fn(request, game, line, body, form["key"], if_match)
        return body.name

    return await changed(request, game, "", done)


@post("/games/{game:str}/forget")
async def forget(request: Asked, game: Game) -> Response[Any]:
    """Takes the name of a line of one's own away, and leads back to the match."""

    async def done(form: Form, line: str, _: str) -> str:
        await rewriting.forget.fn(request, game, line, form["key"])
        return ""

    return await changed(request, game, "", done)


async def changed(request: Asked, game: str, part: str, does: Does) -> Response[Any]:
    """What a form changes; then the page of the game, or else the page with what is wrong."""
    browser.check_own(request)
    form = await read(request)
    known = await browser.acting(request, game, form.get("as", ""))
    line, as_ = form.get("line", ""), form.get("as", "")
    try:
        to = await does(form, line or await match_of(request, game), etag(form.get("head", "")))
    except (ProblemError, GameError, StoreError) as error:
        problem, say = of_page(error), form.get("move", "")

        def work(service: GameService, visitor: Visitor) -> Reply:
            # What the rules say of a move is found again, with their words; anything else is told as it is.
            look = Look(line=line, say=say if problem.kind == "refused" else "", part=part)
            return page(request, service, visitor, known, look, problem)

        return await desk_of(request).read(request, game, work)
    if part:
        return Response(b"", status_code=204, headers=HEADERS)
    return Redirect(address(game, as_, line if to is None else to), status_code=303)
