"""Handlers of leagues: list them, open one, change it, take your seat in a game of a round.

Players are accounts of the server. The host of a league opens it, pairs, corrects and closes; players enter and
withdraw themselves; every account may have results recorded, as the games say them. A league shows of a game that goes
on only who plays.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from zimcore.documents import endpoints
from zimcore.documents.endpoints import Nothing
from zimcore.documents.leagues import (
    LeagueAnswer,
    LeagueChange,
    LeagueInfo,
    LeaguesAnswer,
    LeagueSeat,
    NewLeague,
)
from zimcore.documents.query_parameters import PageQuery
from zimcore.documents.seats import TokenAnswer
from zimcore.game import GameError
from zimcore.server import tokens
from zimcore.server.access import Visitor
from zimcore.server.bot_players import check_bots
from zimcore.server.game_handlers import MAX_GAMES
from zimcore.server.member_documents import info
from zimcore.server.problem_responses import ProblemError
from zimcore.server.routing import Call, HandlerAnswer, handles, page_of
from zimcore.server.seat_handlers import grant_in
from zimcore.service import GameService
from zimcore.service.memberships import SeatOffered
from zimcore.service.places import near

MAX_LEAGUES = 100
"""The most leagues of one host."""
OWN_CHANGES = ("enter", "withdraw")
"""What players do for themselves, and hosts for all."""


def visible_leagues(service: GameService, visitor: Visitor) -> Sequence[LeagueInfo]:
    """The leagues that a visitor sees: with an account all of them, else the public ones."""
    return [each for each in service.leagues() if each.public or visitor.role == "host"]


def league_info(call: Call) -> LeagueInfo:
    """The league of the path, as it is listed. Raises `ProblemError` for one that the visitor does not see."""
    name = str(call.path["league"])
    known = {each.name: each for each in visible_leagues(call.service, call.visitor)}
    if name not in known:
        hints = [f"GET /v1/leagues/{each}" for each in near(name, known)]
        raise ProblemError(404, f"there is no league called {name!r}", "", hints)
    return known[name]


@handles(endpoints.LEAGUES)
def leagues(call: Call, query: PageQuery) -> HandlerAnswer[LeaguesAnswer]:
    """The leagues of the server; without an account only public ones."""
    page, headers = page_of(endpoints.LEAGUES, call.path, visible_leagues(call.service, call.visitor), query)
    return HandlerAnswer(LeaguesAnswer(tuple(page)), headers=headers)


@handles(endpoints.LEAGUE)
def league(call: Call, _: Nothing) -> LeagueAnswer:
    """A league: its standings, its rounds with their games, and its history."""
    return call.service.league(league_info(call).name)


@handles(endpoints.OPEN_LEAGUE)
def open_league(call: Call, body: NewLeague) -> LeagueAnswer:
    """Opens a league, with the visitor as host of it and of its games."""
    service, host = call.service, call.visitor.name
    if sum(each.host == host for each in service.leagues()) >= MAX_LEAGUES:
        raise ProblemError(429, f"you have {MAX_LEAGUES} leagues", "that is the limit", headers={"Retry-After": "3600"})
    return service.open_league(body, host=host, **call.write_arguments)


@handles(endpoints.CHANGE_LEAGUE)
def change_league(call: Call, body: LeagueChange) -> LeagueAnswer:
    """Changes a league: enters or withdraws a player, pairs a round, records or corrects results, closes it."""
    service, visitor, listed = call.service, call.visitor, league_info(call)
    is_own = body.player in ("", visitor.name) and not body.bot
    if visitor.name != listed.host and not (body.what == "record" or (body.what in OWN_CHANGES and is_own)):
        raise ProblemError(
            403, f"{body.what}: this is for the host", f"{listed.host} hosts {listed.name}", ["tell the host"]
        )
    if body.bot:
        (bot,) = check_bots({"": body.bot}, service.game_of(listed.kind)).values()
        body = replace(body, bot=bot)
    if body.what == "pair" and len(service.games_hosted_by(listed.host)) + listed.players // 2 > MAX_GAMES:
        raise ProblemError(429, f"you have {MAX_GAMES} games", "that is the limit", headers={"Retry-After": "3600"})
    after = service.change_league(listed.name, body, **call.write_arguments)
    if body.what == "pair" and after.rounds:
        call.changed.extend(table.game for table in after.rounds[-1].tables)
    return after


@handles(endpoints.LEAGUE_SEAT)
def league_seat(call: Call, body: LeagueSeat) -> HandlerAnswer[TokenAnswer]:
    """A link to your seat in a game of a league, to redeem once. A retry with the same key gets the same link."""
    service, me = call.service, call.visitor.name
    league_answer = service.league(league_info(call).name)
    tables = [table for each in league_answer.rounds for table in each.tables]
    seats = [
        seat for table in tables if table.game == body.game for seat, player in table.seats.items() if player == me
    ]
    if not seats or not service.has_game(body.game):
        mine = [table.game for table in tables if me in table.seats.values()]
        raise ProblemError(
            404, f"you have no seat in {body.game!r}", f"of {league_answer.name} you play others", mine[-3:]
        )
    if service.names(body.game).bots.get(seats[0]):
        raise GameError(f"{seats[0]} is taken", "a program plays it here")
    text = tokens.derive_token(tokens.LINK, service.stream_of(body.game), call.token, call.key)
    offer = SeatOffered(seats[0], tokens.id_of(text), tokens.digest(text))
    events, _ = service.enrol(body.game, lambda _: [offer], "league seat", body, **call.write_arguments)
    answer = TokenAnswer(text, body.game, info(grant_in(events, service.clock())))
    return HandlerAnswer(answer, changed=body.game)
