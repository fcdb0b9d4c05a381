"""Handlers of leagues: list them, open one, change it, take your seat in a game of a round.

Players are accounts of the server. The host of a league opens it, pairs, corrects and closes; players enter and
withdraw themselves; every account may ask for results to be read from the finished games. While a game goes on, a
league shows only who plays it.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from msgspec.structs import replace

from zimcore.documents import endpoints
from zimcore.documents.endpoint import Nothing
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
from zimcore.game import GameError, UnknownError
from zimcore.server.endpoints.bot_players import check_bots
from zimcore.server.endpoints.game_handlers import check_room_for_games
from zimcore.server.endpoints.routing import Call, HandlerAnswer, handles, page_of
from zimcore.server.endpoints.seat_handlers import grant_from
from zimcore.server.people.member_documents import token_info
from zimcore.server.wire import tokens
from zimcore.server.wire.problem_responses import ProblemError, limit_error
from zimcore.service import GameService
from zimcore.service.records.memberships import SeatOffered
from zimcore.service.records.places import suggest_names

MAX_LEAGUES = 100
"""The most leagues of one host."""
PLAYER_CHANGES = ("enter", "withdraw")
"""What players do for themselves, and hosts for all."""


def visible_leagues(service: GameService, *, has_account: bool) -> Sequence[LeagueInfo]:
    """The leagues that a visitor sees: with an account all of them, else the public ones."""
    return [info for info in service.leagues() if info.public or has_account]


def find_league(service: GameService, name: str, *, has_account: bool) -> LeagueAnswer:
    """A league. Raises `ProblemError` for one that the visitor does not see."""
    with suppress(UnknownError):
        answer = service.league(name)
        if answer.public or has_account:
            return answer
    names = [info.name for info in visible_leagues(service, has_account=has_account)]
    hints = [f"GET /v1/leagues/{league_name}" for league_name in suggest_names(name, names)] or ["GET /v1/leagues"]
    raise ProblemError(404, f"there is no league called {name!r}", "", hints)


def league_of(call: Call) -> LeagueAnswer:
    """The league of the path. Raises `ProblemError` for one that the visitor does not see."""
    return find_league(call.service, str(call.path_values["league"]), has_account=call.visitor.has_account)


@handles(endpoints.LEAGUES)
def leagues(call: Call, query: PageQuery) -> HandlerAnswer[LeaguesAnswer]:
    """The leagues of the server; without an account only public ones."""
    league_infos = visible_leagues(call.service, has_account=call.visitor.has_account)
    page, headers = page_of(endpoints.LEAGUES, call.path_values, league_infos, query)
    return HandlerAnswer(LeaguesAnswer(tuple(page)), headers=headers)


@handles(endpoints.LEAGUE)
def league(call: Call, _: Nothing) -> LeagueAnswer:
    """A league: its standings, its rounds with their games, and its history."""
    return league_of(call)


@handles(endpoints.OPEN_LEAGUE)
def open_league(call: Call, body: NewLeague) -> LeagueAnswer:
    """Opens a league, with the visitor as host of it and of its games."""
    service, host = call.service, call.visitor.name
    if sum(info.host == host for info in service.leagues()) >= MAX_LEAGUES:
        raise limit_error(f"you have {MAX_LEAGUES} leagues", hints=["league"])
    return service.open_league(body, host=host, **call.write_arguments)


@handles(endpoints.CHANGE_LEAGUE)
def change_league(call: Call, body: LeagueChange) -> LeagueAnswer:
    """Changes a league: enters or withdraws a player, pairs a round, records or corrects results, closes it."""
    service, visitor, old_league = call.service, call.visitor, league_of(call)
    is_own_entry = body.player in ("", visitor.name) and not body.bot
    if visitor.name != old_league.host and not (
        body.what == "record" or (body.what in PLAYER_CHANGES and is_own_entry)
    ):
        raise ProblemError(
            403,
            f"{body.what}: only the host may do this",
            f"{old_league.host} hosts {old_league.name}",
            ["tell the host"],
        )
    if body.bot:
        (bot,) = check_bots({"": body.bot}, service.game_of(old_league.kind)).values()
        body = replace(body, bot=bot)
    if body.what == "pair":
        check_room_for_games(service, old_league.host, len(old_league.standings) // 2)
    new_league = service.change_league(old_league.name, body, **call.write_arguments)
    if body.what == "pair" and new_league.rounds:
        call.changed_games.extend(pairing.game for pairing in new_league.rounds[-1].tables)
    return new_league


@handles(endpoints.LEAGUE_SEAT)
def league_seat(call: Call, body: LeagueSeat) -> HandlerAnswer[TokenAnswer]:
    """A link to your seat in a game of a league, to redeem once. A retry with the same key gets the same link."""
    service, player_name = call.service, call.visitor.name
    league_answer = league_of(call)
    pairings = [pairing for league_round in league_answer.rounds for pairing in league_round.tables]
    seats = [
        seat
        for pairing in pairings
        if pairing.game == body.game
        for seat, player in pairing.seats.items()
        if player == player_name
    ]
    if not seats or not service.has_game(body.game):
        own_games = [pairing.game for pairing in pairings if player_name in pairing.seats.values()]
        why = (
            f"you play other games in {league_answer.name}"
            if own_games
            else f"you have no game in {league_answer.name}"
        )
        raise ProblemError(404, f"you have no seat in {body.game!r}", why, own_games[-3:])
    if service.names(body.game).bots.get(seats[0]):
        raise GameError(f"{seats[0]} is taken", "a program plays it here")
    link_token = tokens.derive_token(tokens.LINK_KIND, service.stream_of(body.game), call.token, call.key)
    offer = SeatOffered(seats[0], tokens.id_of(link_token), tokens.digest(link_token))
    events, members = service.change_members(body.game, lambda _: [offer], "league seat", body, **call.write_arguments)
    answer = TokenAnswer(link_token, body.game, token_info(grant_from(events, members, service.clock())))
    return HandlerAnswer(answer, changed_game=body.game)
