"""Seats, links and tokens: who is let into a game, sits down, leaves, and is not let in any more."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from litestar import Response, delete, get, post, put
from litestar.params import JSONBody

from zimcore.documents.seats import (
    NewKey,
    NewToken,
    Redemption,
    SeatsAnswer,
    TokenAnswer,
    TokensAnswer,
)
from zimcore.game import Event, GameError, UnknownError
from zimcore.server import tokens
from zimcore.server.access import Visitor
from zimcore.server.desk import Asked, Reply, bearer, desk_of, reply, response
from zimcore.server.members import info, seats_answer, seats_of
from zimcore.server.parameters import Game, Key, LongKey, SeatName, TokenId
from zimcore.server.problems import OF_ALL, OF_WRITES, ProblemError
from zimcore.service import GameService
from zimcore.service.dealing import ShareAdded
from zimcore.service.memberships import (
    Grant,
    MemberEvent,
    Members,
    SeatLeft,
    SeatOffered,
    SeatTaken,
    TokenGiven,
    TokenRevoked,
)
from zimcore.service.people import check_name


@get("/v1/games/{game:str}/seats", responses=OF_ALL)
async def seats(request: Asked, game: Game) -> Response[SeatsAnswer]:
    """Who sits where."""

    def work(service: GameService, visitor: Visitor) -> Reply:
        return reply(seats_answer(service, game, visitor.members), "seats")

    return await desk_of(request).read(request, game, work)


@delete("/v1/games/{game:str}/seats/{seat:str}", status_code=200, responses=OF_WRITES)
async def leave(request: Asked, game: Game, seat: SeatName, key: Key) -> Response[SeatsAnswer]:
    """Leaves one's seat; a host frees any. The token of whoever sat there is good for nothing then."""

    def work(service: GameService, visitor: Visitor) -> Reply:
        if visitor.role != "host" and visitor.seat != seat:
            raise ProblemError(403, "this is not your seat", "", ["ask the host"])
        _, members = service.enrol(
            game, lambda _: [SeatLeft(seat)], "leave", seat, by=visitor.name, command_id=f"leave/{key}"
        )
        return reply(seats_answer(service, game, members), "seats")

    return await desk_of(request).write(request, game, work)


@put("/v1/games/{game:str}/seats/{seat:str}/key", responses=OF_WRITES)
async def bind(request: Asked, game: Game, seat: SeatName, data: JSONBody[NewKey], key: Key) -> Response[SeatsAnswer]:
    """Binds one's seat to a key, or to another: each of its commands is signed then. A host says that one is lost."""

    def work(service: GameService, visitor: Visitor) -> Reply:
        if data.lost:
            visitor.check("host")
        elif visitor.seat != seat:
            raise ProblemError(403, "this is not your seat", "", ["ask the host"])
        given = {data.key: bytes.fromhex(data.proof)}

        def signer(_: str, wanted: str, __: bytes) -> bytes:
            return given.get(wanted, bytes.fromhex(data.signed))

        by, id_ = visitor.name, f"key/{key}"
        service.bind(game, seat, data.key, by=by, lost=data.lost, signer=signer, command_id=id_)
        return reply(seats_answer(service, game, visitor.members), "seats")

    return await desk_of(request).write(request, game, work)


@get("/v1/games/{game:str}/tokens", responses=OF_ALL)
async def listed(request: Asked, game: Game) -> Response[TokensAnswer]:
    """The tokens and links of a game that are good: for its host."""

    def work(service: GameService, visitor: Visitor) -> Reply:
        visitor.check("host")
        now = service.clock()
        good = (grant for grant in visitor.members.grants.values() if grant.is_good(now))
        return reply(TokensAnswer(tuple(map(info, good))), "tokens")

    return await desk_of(request).read(request, game, work)


@post("/v1/games/{game:str}/tokens", responses=OF_WRITES)
async def give(request: Asked, game: Game, data: JSONBody[NewToken], key: Key) -> Response[TokenAnswer]:
    """Lets somebody in: a link to a seat, or the token of a spectator or an auditor. For the host."""
    secret = bearer(request)

    def work(service: GameService, visitor: Visitor) -> Reply:
        visitor.check("host")
        offers, stream = data.role in ("seat", "bot"), service.stream_of(game)
        if offers != bool(data.seat):
            raise ProblemError(400, f"a {data.role} and a seat", "a seat and a bot have one, nobody else has")
        if offers and data.seat not in seats_of(service, game):
            raise ProblemError(404, f"there is no seat {data.seat!r}", "", seats_of(service, game))
        if playing := service.bots(game).get(data.seat):
            raise ProblemError(409, f"{data.seat} is taken", f"{playing} plays it here", kind="not-possible")
        if data.name:
            check_name(data.name)
        kind = tokens.LINK if offers else data.role
        text = tokens.derived(kind, stream, secret, key)
        until = end(service.clock(), data.days)

        def choose(_: Members) -> Sequence[MemberEvent]:
            id_, digest = tokens.id_of(text), tokens.digest(text)
            if offers:
                return [SeatOffered(data.seat, id_, digest, until, data.role == "bot")]
            return [TokenGiven(id_, data.role, data.name, digest, until)]

        made, _ = service.enrol(game, choose, "give", data, by=visitor.name, command_id=f"give/{key}")
        return reply(TokenAnswer(text, game, info(_grant(made, service.clock()))), "token", 201)

    return await desk_of(request).write(request, game, work)


@delete("/v1/games/{game:str}/tokens/{token:str}", status_code=200, responses=OF_WRITES)
async def revoke(request: Asked, game: Game, token: TokenId, key: Key) -> Response[TokensAnswer]:
    """Makes a token or a link of a game good for nothing, by its id; whoever sat there has left then. For the host."""

    def work(service: GameService, visitor: Visitor) -> Reply:
        visitor.check("host")

        def choose(members: Members) -> Sequence[MemberEvent]:
            seat = next((seat for seat, each in members.seated.items() if each == token), "")
            return [SeatLeft(seat) if seat else TokenRevoked(token)]

        _, members = service.enrol(game, choose, "revoke", token, by=visitor.name, command_id=f"revoke/{key}")
        return reply(TokensAnswer(tuple(map(info, members.grants.values()))), "tokens")

    return await desk_of(request).write(request, game, work)


@get("/v1/tokens", responses=OF_ALL)
async def own(request: Asked) -> Response[TokensAnswer]:
    """What one's own token is good for."""

    def work(_: GameService, visitor: Visitor) -> Reply:
        return reply(TokensAnswer((info(visitor.grant),)), "tokens")

    return await desk_of(request).alone(request, work)


@post("/v1/tokens", responses=OF_WRITES, security=[{}])
async def redeem(request: Asked, data: JSONBody[Redemption], key: LongKey) -> Response[TokenAnswer]:
    """Redeems a link, once, for the token of its seat. The same again, with the same key, gets the same token."""
    desk, link = desk_of(request), tokens.parse_token(data.link)
    if link is None or link.kind != tokens.LINK:
        raise ProblemError(400, "this is no link", "", ["zim_link_..."])

    def work(service: GameService) -> tuple[str, Reply]:
        game = service.match_of(link.stream)
        if not game:
            raise UnknownError("this link is not good any more", "", ["ask the host for another"])
        check_name(data.by)

        def choose(members: Members) -> Sequence[Event]:
            grant = tokens.granted(link.text, members.grants.values())
            if grant is None or not grant.offered or not grant.is_good(service.clock()):
                raise UnknownError("this link is not good any more", "", ["ask the host for another"])
            if not data.key and grant.seat in service.names(game).bound:
                hints = ["join LINK --key NAME"]
                raise GameError(f"{grant.seat}'s commands are signed", "come with a key of yours", hints)
            text = tokens.derived(grant.role, link.stream, link.text, key)
            return [
                SeatTaken(
                    grant.seat,
                    grant.id,
                    data.by,
                    tokens.id_of(text),
                    tokens.digest(text),
                    scopes=data.scopes,
                    bot=grant.role == "bot",
                    key=data.key,
                ),
                *added(service, game, grant.seat, data.share),
            ]

        asked = (tokens.digest(link.text), data.by, data.scopes, data.key, *filter(None, [data.share]))
        made, _ = service.enrol(game, choose, "redeem", *asked, by=data.by, command_id=f"redeem/{key}")
        grant = _grant(made, service.clock())
        if service.deal(game, by=service.members(game).host, all_sit=True):
            _bind(service, game, grant.seat, data.key, data.by, key)
        text = tokens.derived(grant.role, link.stream, link.text, key)
        share = next((each.share.hex() for each in made if isinstance(each, ShareAdded)), "")
        return game, reply(TokenAnswer(text, game, info(grant), share), "token", 201)

    game, found = await desk.lanes.run("moves", "", work)
    desk.feeds.hint(game)
    return response(found)


def added(service: GameService, game: str, seat: str, share: str) -> Sequence[ShareAdded]:
    """What who sits down adds to the deal, where it is to come."""
    table = service.names(game).table
    return [ShareAdded(seat, bytes.fromhex(share))] if share and table and not table.line else []


def _bind(service: GameService, game: str, seat: str, key: str, by: str, asked: str) -> None:
    """Binds a seat to the key with which somebody came. The token is told after that: nobody has played with it.

    Where who sat there before had another key the seat is bound anew: the host has invited somebody else.
    """
    bound = service.names(game).bound.get(seat)
    if key and (bound is None or bound.key != key):
        service.bind(f"{game}", seat, key, by=by, lost=bool(bound), command_id=f"bind/{asked}")


def end(now: datetime, days: float | None) -> datetime | None:
    """When a token of so many days ends."""
    return now + timedelta(days=days) if days is not None else None


def _grant(made: Sequence[Event], now: datetime) -> Grant:
    members = Members()
    for event in made:
        members = members.after(event, now) if isinstance(event, MemberEvent) else members
    return next(iter(members.grants.values()))
