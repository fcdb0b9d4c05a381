"""The join page: shows which game and seat a link is for, and redeems it for a token, kept in a cookie."""

from __future__ import annotations

from typing import Any

from litestar import Response, get, post
from litestar.response import Redirect

from zimcore.documents.seats import NewOpenGame, Redemption
from zimcore.game import GameError
from zimcore.picture.replay import view_box
from zimcore.server.endpoints import open_games, seat_handlers
from zimcore.server.endpoints.dispatcher import dispatcher_of
from zimcore.server.pages import browser
from zimcore.server.pages.beginning import check_token_limit
from zimcore.server.pages.error_hints import page_problem
from zimcore.server.pages.form_parsing import Form, fill_body, new_form_key, parse_form, read_form
from zimcore.server.pages.game_page import page_address
from zimcore.server.pages.rendering import PAGE_HEADERS, html_reply
from zimcore.server.pages.seat_bar import people_at
from zimcore.server.pages.steps import parts_of
from zimcore.server.people.access import authenticate_anywhere
from zimcore.server.people.member_documents import seats_answer
from zimcore.server.wire.parameters import GameName
from zimcore.server.wire.problem_responses import ProblemError
from zimcore.server.wire.replies import AnyRequest, Reply, make_response
from zimcore.server.wire.tokens import LINK_KIND as LINK_TOKEN
from zimcore.server.wire.tokens import find_grant, parse_token
from zimcore.service import SPECTATOR, GameService
from zimcore.service.records.memberships import WRITE, HouseRulesError, Members


@get("/join")
async def join(request: AnyRequest) -> Response[Any]:
    """The page that a link opens. The token is behind the #, which browsers do not send; a script fills in the form."""
    reply = make_response(html_reply(request, "join.html", key=new_form_key(), problem=None, link="", by="", sheet=""))
    reply.set_cookie(browser.trial_cookie(request))
    return reply


@post("/join/about")
async def about_link(request: AnyRequest) -> Response[Any]:
    """The game, seat and other players of a link. Does not redeem the link."""
    browser.check_same_origin(request)
    link = parse_token((await read_form(request)).get("link", "").strip().rpartition("#")[2])

    def show_link(service: GameService) -> Reply:
        game = service.match_of(link.stream) if link and link.kind == LINK_TOKEN else ""
        members = service.members(game) if game else Members()
        grant = find_grant(link.text, members.grants.values()) if link else None
        is_valid_link = grant is not None and grant.offered and grant.is_valid(service.clock())
        if grant is None or not is_valid_link:
            return html_reply(request, "join_about.html", seat="")
        seats, lines = seats_answer(service, game, members), service.line_names(game)
        position = service.head(f"{game}/{lines[0]}", SPECTATOR) if lines else None
        board = position.board if position else None
        return html_reply(
            request,
            "join_about.html",
            seat=grant.seat,
            is_own=members.token_at(grant.seat) is not None,
            game=game,
            kind=service.game(game).name,
            title=service.game(game).title,
            host=members.host,
            seats=seats.seats,
            people=people_at(seats.seats, position),
            terms=seats.terms,
            progress=position.status if position else "",
            colours=position.colours if position else {},
            box=view_box(board) if board else "",
            drawing=[drawn_part.part for drawn_part in parts_of(position, board)] if position and board else (),
        )

    return make_response(await dispatcher_of(request).run_for_page(request, "", show_link))


@post("/join")
async def redeem(request: AnyRequest) -> Response[Any]:
    """Redeems a link for the token of a seat, or takes a token as it is; the browser keeps it in a cookie."""
    browser.check_same_origin(request)
    form = await read_form(request)
    try:
        return await redeem_link(request, form)
    except (ProblemError, GameError) as error:  # show the form again: an invalid name does not use up the link
        problem, sheet = page_problem(error), error.rules_text if isinstance(error, HouseRulesError) else ""
        fields = {"link": form.get("link", ""), "by": form.get("by", ""), "sheet": sheet}
        return make_response(
            html_reply(request, "join.html", problem.status, key=new_form_key(), problem=problem, **fields)
        )


async def redeem_link(request: AnyRequest, form: Form) -> Response[Any]:
    """Redirects to the game of a link or token. Raises `ProblemError`, and `GameError` for an invalid name."""
    token_text = form.get("link", "").strip().rpartition("#")[2]
    token = parse_token(token_text)
    if token is None:
        raise ProblemError(400, "this is no link", "", ["zim_link_...", "the whole address that you were given"])
    if browser.TRIAL_COOKIE_NAME not in request.cookies:
        why = "without them nobody would have the seat: the link would be used up"
        raise ProblemError(403, "this browser keeps no cookies from here", why, ["allow cookies", "open it by https"])
    check_token_limit(request)
    if token.kind == LINK_TOKEN:
        by = form.get("by", "").strip()
        account = await account_to_own_seat(request, by)
        body = parse_form(Redemption, link=token_text, by=by, agreed=form.get("agreed", ""), account=account)
        token_answer = await seat_handlers.redeem.ask(request, body, form["key"])
        return keep_token(request, token_answer.token, page_address(token_answer.game, token_answer.about.seat))
    dispatcher = dispatcher_of(request)
    visitor = await dispatcher.run_for_page(request, "", lambda service: authenticate_anywhere(service, token_text))
    return keep_token(
        request, token_text, page_address(visitor.game, visitor.seat or visitor.role) if visitor.game else "/"
    )


async def account_to_own_seat(request: AnyRequest, by: str) -> str:
    """The token of the account that a player has signed in with, if it has their name; else ""."""
    token_text = browser.account_token(request)

    def has_name(service: GameService) -> bool:
        try:
            account = authenticate_anywhere(service, token_text)
        except ProblemError:
            return False
        return account.name.casefold() == by.casefold() and WRITE in account.grant.scopes

    is_own = bool(token_text) and await dispatcher_of(request).run_for_page(request, "", has_name)
    return token_text if is_own else ""


@post("/games/{game:str}/open")
async def open_game(request: AnyRequest, game: GameName) -> Response[Any]:
    """Begins a game against programs at a position of a public game, without an account, and opens its page."""
    return await begin_open_game(request, game=game)


@post("/play")
async def play_program(request: AnyRequest) -> Response[Any]:
    """Begins a new game against programs, without an account, and opens its page."""
    return await begin_open_game(request)


async def begin_open_game(request: AnyRequest, **address: str) -> Response[Any]:
    """Begins the game of a form, and opens its page with the token of its seat."""
    browser.check_same_origin(request)
    form = await read_form(request)
    check_token_limit(request)
    body = fill_body(NewOpenGame, {name: value for name, value in form.items() if value.strip()}, **address)
    token_answer = await open_games.begin_open_game.ask(request, body, form["key"])
    return keep_token(request, token_answer.token, page_address(token_answer.game, token_answer.about.seat))


def keep_token(request: AnyRequest, token: str, url: str) -> Response[Any]:
    """Redirects to a page, and sets the cookie for a token."""
    redirect = Redirect(url, status_code=303, headers=PAGE_HEADERS)
    redirect.set_cookie(browser.token_cookie(request, token))
    return redirect
