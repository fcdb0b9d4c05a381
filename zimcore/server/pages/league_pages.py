"""The pages of leagues: their list, and one with its standings, rounds and history. Players take their seats there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

import msgspec
from litestar import Response, get, post

from zimcore.documents.leagues import LeagueAnswer, LeagueSeat, LeagueTable
from zimcore.documents.seats import Redemption
from zimcore.game import Seat
from zimcore.server import league_handlers, seat_handlers
from zimcore.server.access import Visitor, authenticate_anywhere
from zimcore.server.dispatcher import dispatcher_of
from zimcore.server.pages import browser
from zimcore.server.pages.beginning import check_token_limit
from zimcore.server.pages.form_parsing import new_form_key, parse_form, read_form
from zimcore.server.pages.game_page import page_address, reload_page
from zimcore.server.pages.join_page import keep_token
from zimcore.server.pages.lobby import account_name, visitors_of
from zimcore.server.pages.rendering import html_reply
from zimcore.server.parameters import LeagueName
from zimcore.server.replies import AnyRequest, Reply, make_response
from zimcore.service import GameService


class ShownTable(msgspec.Struct, frozen=True):
    """A game of a league: the address of its page, if the visitor sees it, and the seat that they can take there."""

    table: LeagueTable
    url: str = ""
    free_seat: Seat = ""


@get("/leagues")
async def leagues(request: AnyRequest) -> Response[Any]:
    """The leagues that a visitor sees, newest first."""
    if browser.came_from_elsewhere(request):
        return reload_page(request)
    token_texts = browser.cookie_tokens(request)

    def make_page(service: GameService) -> Reply:
        account = account_name([*visitors_of(service, token_texts)])
        league_infos = league_handlers.visible_leagues(service, has_account=bool(account))
        titles = {info.kind: service.game_of(info.kind).title for info in league_infos}
        return html_reply(request, "leagues.html", leagues=league_infos[::-1], titles=titles, account=account)

    return await show_page(request, make_page)


@get("/leagues/{league:str}")
async def league(request: AnyRequest, league: LeagueName) -> Response[Any]:
    """A league: its standings, its rounds with links to their games, and its history."""
    if browser.came_from_elsewhere(request):
        return reload_page(request)
    token_texts = browser.cookie_tokens(request)

    def make_page(service: GameService) -> Reply:
        visitors = [*visitors_of(service, token_texts)]
        account = account_name(visitors)
        league_answer = league_handlers.find_league(service, league, has_account=bool(account))
        tables = [
            [shown_table(service, league_answer, table, visitors, account) for table in league_round.tables]
            for league_round in league_answer.rounds
        ]
        title, path = service.game_of(league_answer.kind).title, f"/leagues/{quote(league, safe='')}"
        rounds = [*zip(league_answer.rounds, tables, strict=True)][::-1]
        return html_reply(
            request, "league.html", league=league_answer, title=title, rounds=rounds, key=new_form_key(), path=path
        )

    return await show_page(request, make_page)


async def show_page(request: AnyRequest, make_page: Any) -> Response[Any]:
    """The page that work on a service makes."""
    return make_response(await dispatcher_of(request).run_for_page(request, "", make_page))


def shown_table(
    service: GameService, league: LeagueAnswer, table: LeagueTable, visitors: Sequence[Visitor], account: str
) -> ShownTable:
    """A game as these visitors see it: who has a seat there goes on to play."""
    if not service.has_game(table.game):
        return ShownTable(table)
    seat_or_role = next((visitor.seat or visitor.role for visitor in visitors if visitor.game == table.game), "")
    if seat_or_role:
        return ShownTable(table, page_address(table.game, seat_or_role))
    seat_of_account = next((seat for seat, player in table.seats.items() if player == account and account), "")
    is_free = bool(seat_of_account) and not table.ranks and can_be_taken(service, table.game, seat_of_account)
    url = page_address(table.game, "host" if account == league.host else "")
    return ShownTable(table, url if league.public or account == league.host else "", seat_of_account if is_free else "")


def can_be_taken(service: GameService, game: str, seat: Seat) -> bool:
    """Whether neither a player nor a program has a seat."""
    return service.members(game).token_at(seat) is None and seat not in service.bots(game)


@post("/leagues/{league:str}/seats")
async def take_seat(request: AnyRequest, league: LeagueName) -> Response[Any]:
    """Takes your seat in a game of a league, and opens its page."""
    browser.check_same_origin(request)
    form = await read_form(request)
    check_token_limit(request)
    token_texts = browser.cookie_tokens(request)
    account_token = next((token_text for token_text in token_texts if token_text.startswith("zim_host_")), "")
    browser.act_as(request, account_token)
    player_name = await dispatcher_of(request).run_for_page(
        request, "", lambda service: authenticate_anywhere(service, account_token).name
    )
    body = parse_form(LeagueSeat, game=form.get("game", ""))
    link_answer = await league_handlers.league_seat.ask(request, body, form["key"], league=league)
    token_answer = await seat_handlers.redeem.ask(
        request, Redemption(link_answer.token, player_name), f"{form['key']}-sit"
    )
    return keep_token(request, token_answer.token, page_address(token_answer.game, token_answer.about.seat))
