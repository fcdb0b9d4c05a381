"""The pages of leagues: their list, and one with its standings, rounds and history.

People with an account open leagues there, enter, and take their seats; the host of a league pairs and closes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import quote

import msgspec
from litestar import Response, get, post
from litestar.response import Redirect

from zimcore.bots.registry import levels
from zimcore.documents.leagues import LeagueAnswer, LeagueChange, LeagueSeat, LeagueTable, NewLeague
from zimcore.documents.problems import ProblemDetails
from zimcore.documents.seats import Redemption
from zimcore.game import GameError, Seat
from zimcore.server.endpoints import league_handlers, seat_handlers
from zimcore.server.endpoints.dispatcher import dispatcher_of
from zimcore.server.pages import browser
from zimcore.server.pages.beginning import check_token_limit, titles_of_kinds
from zimcore.server.pages.error_hints import page_problem
from zimcore.server.pages.form_parsing import Form, fill_body, new_form_key, parse_form, read_form
from zimcore.server.pages.game_page import page_address, reload_page
from zimcore.server.pages.join_page import keep_token
from zimcore.server.pages.lobby import account_name, visitors_of
from zimcore.server.pages.rendering import PAGE_HEADERS, html_reply
from zimcore.server.people.access import Visitor, authenticate_anywhere
from zimcore.server.wire.parameters import LeagueName
from zimcore.server.wire.problem_responses import ProblemError
from zimcore.server.wire.replies import AnyRequest, Reply, make_response
from zimcore.service import GameService


class ShownTable(msgspec.Struct, frozen=True):
    """A game of a league: the address of its page, if the visitor sees it, and the seat that they can take there."""

    table: LeagueTable
    url: str = ""
    free_seat: Seat = ""


@get("/leagues")
async def leagues(request: AnyRequest) -> Response[Any]:
    """The leagues that a visitor sees, newest first."""
    return reload_page(request) if browser.came_from_elsewhere(request) else await leagues_page(request, {}, None)


async def leagues_page(request: AnyRequest, filled_form: Form, problem: ProblemDetails | None) -> Response[Any]:
    """The list of leagues; for an account with a form to open one, and the problem with its values."""
    token_texts = browser.cookie_tokens(request)

    def make_page(service: GameService) -> Reply:
        account = account_name([*visitors_of(service, token_texts)])
        return html_reply(
            request,
            "leagues.html",
            problem.status if problem else 200,
            leagues=league_handlers.visible_leagues(service, has_account=bool(account))[::-1],
            titles=titles_of_kinds(service.kinds),
            account=account,
            filled=filled_form,
            problem=problem,
            key=new_form_key(),
        )

    return await show_page(request, make_page)


@post("/leagues")
async def open_league(request: AnyRequest) -> Response[Any]:
    """Opens a league, and shows its page; shows the form again with any problem."""
    form = await read_account_form(request)
    try:
        league_answer = await league_handlers.open_league.ask(request, fill_body(NewLeague, form), form["key"])
    except (ProblemError, GameError) as error:
        return await leagues_page(request, form, shown_problem(error))
    return Redirect(league_address(league_answer.name), status_code=303, headers=PAGE_HEADERS)


@get("/leagues/{league:str}")
async def league(request: AnyRequest, league: LeagueName) -> Response[Any]:
    """A league: its standings, its rounds with links to their games, and its history."""
    return reload_page(request) if browser.came_from_elsewhere(request) else await league_page(request, league, None)


async def league_page(request: AnyRequest, league: str, problem: ProblemDetails | None) -> Response[Any]:
    """The page of a league, with what the visitor can do there, and the problem with it."""
    token_texts = browser.cookie_tokens(request)

    def make_page(service: GameService) -> Reply:
        visitors = [*visitors_of(service, token_texts)]
        account = account_name(visitors)
        league_answer = league_handlers.find_league(service, league, has_account=bool(account))
        tables = [
            [shown_table(service, league_answer, table, visitors, account) for table in league_round.tables]
            for league_round in league_answer.rounds
        ]
        return html_reply(
            request,
            "league.html",
            problem.status if problem else 200,
            league=league_answer,
            title=service.game_of(league_answer.kind).title,
            rounds=[*zip(league_answer.rounds, tables, strict=True)][::-1],
            account=account,
            has_entered=any(each.player == account and not each.withdrawn for each in league_answer.standings),
            waits=any(not table.ranks for league_round in league_answer.rounds for table in league_round.tables),
            levels=[*levels()],
            problem=problem,
            key=new_form_key(),
            path=league_address(league),
        )

    return await show_page(request, make_page)


@post("/leagues/{league:str}/changes")
async def change_league(request: AnyRequest, league: LeagueName) -> Response[Any]:
    """Enters or withdraws a player, pairs a round, reads results or closes the league; shows its page."""
    form = await read_account_form(request)
    body = fill_body(LeagueChange, {name: value for name, value in form.items() if value.strip()})
    try:
        await league_handlers.change_league.ask(request, body, form["key"], league=league)
    except (ProblemError, GameError) as error:
        return await league_page(request, league, shown_problem(error))
    return Redirect(league_address(league), status_code=303, headers=PAGE_HEADERS)


async def read_account_form(request: AnyRequest) -> Form:
    """The fields of a form that a person with an account has sent; the request acts for the account."""
    browser.check_same_origin(request)
    form = await read_form(request)
    browser.act_as(request, browser.account_token(request))
    return form


def shown_problem(error: Exception) -> ProblemDetails:
    """The problem to show beside a form; raises the error again where there is no form for the visitor."""
    problem = page_problem(error)
    if problem.status in (401, 403, 404, 429):
        raise error
    return problem


def league_address(league: str) -> str:
    """The address of the page of a league."""
    return f"/leagues/{quote(league, safe='')}"


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
    form, account_token = await read_account_form(request), browser.account_token(request)
    check_token_limit(request)
    player_name = await dispatcher_of(request).run_for_page(
        request, "", lambda service: authenticate_anywhere(service, account_token).name
    )
    body = parse_form(LeagueSeat, game=form.get("game", ""))
    link_answer = await league_handlers.league_seat.ask(request, body, form["key"], league=league)
    token_answer = await seat_handlers.redeem.ask(
        request, Redemption(link_answer.token, player_name, account=account_token), f"{form['key']}-sit"
    )
    return keep_token(request, token_answer.token, page_address(token_answer.game, token_answer.about.seat))
