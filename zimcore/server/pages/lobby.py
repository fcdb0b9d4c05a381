"""The lobby: your games, games to watch, new games; and links for the seats of a game."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from hashlib import blake2b
from typing import Any

import msgspec
from litestar import Response, post
from litestar.response import Redirect

from zimcore.bots.registry import levels
from zimcore.documents.problems import ProblemDetails
from zimcore.documents.seats import NewGame, NewToken
from zimcore.game import GameError, Seat
from zimcore.server.endpoints import game_handlers, seat_handlers
from zimcore.server.endpoints.dispatcher import dispatcher_of
from zimcore.server.endpoints.open_games import open_levels
from zimcore.server.pages import browser, qr_codes
from zimcore.server.pages.beginning import (
    GET_LINK,
    PLAY_YOURSELF,
    address_of_link,
    begin_forms,
    choose_players,
    create_seat_link,
    option_of_problem,
    row_values_in,
    sit_down,
    titles_of_kinds,
)
from zimcore.server.pages.browser import ACCOUNT_PREFIX, valid_tokens
from zimcore.server.pages.error_hints import page_problem
from zimcore.server.pages.form_parsing import Form, fill_body, new_form_key, parse_form, read_form
from zimcore.server.pages.game_cards import GameCard, card_of, title_card
from zimcore.server.pages.game_page import page_address, reload_page
from zimcore.server.pages.join_page import keep_token
from zimcore.server.pages.rendering import PAGE_HEADERS, html_reply
from zimcore.server.people.access import Visitor, authenticate, authenticate_anywhere
from zimcore.server.wire.parameters import GameName
from zimcore.server.wire.problem_responses import ProblemError
from zimcore.server.wire.replies import AnyRequest, Reply, make_response
from zimcore.service import GameService
from zimcore.service.records.terms import TERM_KEYS

MAX_LISTED = 100
"""The most games listed of a host, and of public games: the newest."""
MAX_DRAWN = 24
"""The most of them that are shown with their board, players and status."""


async def lobby(request: AnyRequest) -> Response[Any]:
    """Your games, those first where it is your turn; games to watch; and a form to begin one.

    A page that is open reads the games alone, by `Zim-Part`; their ETag says whether they have changed.
    """
    if browser.came_from_elsewhere(request):
        return reload_page(request)
    return await lobby_page(request, {}, None)


async def lobby_page(request: AnyRequest, filled_form: Form, problem: ProblemDetails | None) -> Response[Any]:
    """The lobby; with the values filled in to begin a game, and the problem with them."""
    token_texts = browser.cookie_tokens(request)
    open_play = dispatcher_of(request).open_game_buckets is not None

    def make_page(service: GameService) -> Reply:
        visitors = [*visitors_of(service, token_texts)]
        host = account_name(visitors)
        own_cards = sorted(
            own_games(service, visitors, token_texts), key=lambda card: (not card.is_your_turn, card.is_over)
        )
        public_cards = [*public_games(service, {card.name for card in own_cards})]
        if "zim-part" in request.headers:
            reply = html_reply(request, "games.html", own=own_cards, watch=public_cards)
            return msgspec.structs.replace(reply, head=blake2b(reply.content, digest_size=16).hexdigest())
        forms = [*begin_forms(service.kinds)] if host or open_play else []
        field_names = {"players", "name", *(option.name for form in forms for option in (*form.options, *form.house))}
        wrong_field = option_of_problem(problem) if problem else ""
        return html_reply(
            request,
            "lobby.html",
            problem.status if problem else 200,
            filled=filled_form,
            problem=problem,
            wrong=wrong_field if wrong_field in field_names else "",
            own=own_cards,
            watch=public_cards,
            titles=titles_of_kinds(service.kinds),
            host=host,
            forms=forms,
            open_play=open_play,
            open_levels=open_levels(),
            levels=[*levels()] if host else [],
            key=new_form_key(),
        )

    return make_response(await dispatcher_of(request).run_for_page(request, "", make_page), request)


def visitors_of(service: GameService, token_texts: Sequence[str]) -> Iterator[Visitor]:
    """The visitor of each valid token."""
    for token_text in token_texts:
        try:
            yield authenticate_anywhere(service, token_text)
        except ProblemError:
            continue


def own_games(service: GameService, visitors: Sequence[Visitor], token_texts: Sequence[str]) -> Iterator[GameCard]:
    """The games of a browser's visitors: those they are members of, and the newest that their account hosts."""
    own_visitors = (*visitors, *visitors_of_account(service, account_of(visitors), token_texts))
    members = {(each.game, each.seat or each.role): each for each in own_visitors if each.game}
    member_games = {game for game, _ in members}
    for (_, seat_or_role), visitor in members.items():
        yield card_of(service, visitor, seat_or_role)
    if account := account_of(visitors):
        names = [name for name in reversed(service.games_hosted_by(account.name)) if name not in member_games]
        yield from cards_of(service, names, lambda name: host_of(service, name, account), "host")


def visitors_of_account(service: GameService, account: Visitor | None, token_texts: Sequence[str]) -> Iterator[Visitor]:
    """The player at each seat of an account in its newest games, on whatever device it has signed in."""
    account_tokens = [token_text for token_text in token_texts if token_text.startswith(ACCOUNT_PREFIX)]
    for game in [*reversed(service.games_played_by(account.name))][:MAX_DRAWN] if account else ():
        for seat, token_text in valid_tokens(service, game, account_tokens).items():
            if seat != "host":
                yield authenticate(service, game, token_text)


def account_of(visitors: Sequence[Visitor]) -> Visitor | None:
    """The account with which games can be begun, if a browser has one."""
    return next((visitor for visitor in visitors if visitor.has_account), None)


def account_name(visitors: Sequence[Visitor]) -> str:
    """The name of a browser's account; "" without one."""
    account = account_of(visitors)
    return account.name if account else ""


def host_of(service: GameService, game: str, account: Visitor) -> Visitor:
    """An account as the host of one of its games."""
    members, lines = service.members_and_lines(game)
    return Visitor(game, members, account.grant, lines)


def public_games(service: GameService, known_names: Collection[str]) -> Iterator[GameCard]:
    """The newest public games, without those that the visitor knows."""
    names = [name for name in reversed(service.public()) if name not in known_names]
    return cards_of(service, names, lambda name: authenticate(service, name, ""), "spectator")


def cards_of(
    service: GameService, names: Sequence[str], visitor_of: Callable[[str], Visitor], role: str
) -> Iterator[GameCard]:
    """The cards of the first games: all with their names, and those at the top with boards, players and status."""
    as_ = role if role == "host" else ""
    for name in names[:MAX_DRAWN]:
        yield card_of(service, visitor_of(name), as_)
    for name in names[MAX_DRAWN:MAX_LISTED]:
        yield title_card(service, name, role, as_)


@post("/games")
async def begin(request: AnyRequest) -> Response[Any]:
    """Begins a game for a host account; shows the form again with any problem."""
    browser.check_same_origin(request)
    form = await read_form(request)
    browser.act_as(request, browser.account_token(request))
    try:
        return await begin_game(request, form)
    except (ProblemError, GameError) as error:
        problem = page_problem(error)
        if problem.status in (401, 403, 429):
            raise
        return await lobby_page(request, {**form, "key": new_form_key()}, problem)


async def begin_game(request: AnyRequest, form: Form) -> Response[Any]:
    """Begins a game; the host takes the seat they chose, and the page shows the links to other seats.

    Raises `ProblemError`, `GameError`.
    """
    dispatcher, host_token = dispatcher_of(request), str(request.scope["state"]["token"])

    def find_account(service: GameService) -> tuple[str, Mapping[str, str]]:
        return authenticate_anywhere(service, host_token).name, service.kinds

    account, kinds = await dispatcher.run_for_page(request, "", find_account)
    options = {field[4:]: value.strip() for field, value in form.items() if field.startswith("opt.") and value.strip()}
    chosen_rows, row_by_seat = row_values_in(form), dict[Seat, str]()
    if chosen_rows:
        options["players"], row_by_seat = choose_players(form.get("kind", ""), kinds, chosen_rows)
        if [*row_by_seat.values()].count(PLAY_YOURSELF) > 1:
            raise ProblemError(409, "you can sit at one seat only", "", kind="not-possible")
    body = fill_body(
        NewGame,
        {field: value for field, value in form.items() if value.strip()},
        options=options,
        bots={
            **parse_bots(form.get("bots", "")),
            **{
                seat: row_value for seat, row_value in row_by_seat.items() if row_value not in (PLAY_YOURSELF, GET_LINK)
            },
        },
        help="nohelp" not in form,
        terms={key: form[key].strip() for key in TERM_KEYS if form.get(key, "").strip()},
        house="sheet" in form,
    )
    game = await start_game(request, body, form["key"], is_fair="fair" in form or "sheet" in form)
    link_tokens = {
        seat: await create_seat_link(request, game, seat, form["key"])
        for seat, row_value in row_by_seat.items()
        if row_value == GET_LINK
    }
    own_seat = next((seat for seat, row_value in row_by_seat.items() if row_value == PLAY_YOURSELF), "")
    token = await sit_down(request, game, own_seat, account, form["key"]) if own_seat else ""
    if not link_tokens:
        url = page_address(game, own_seat or "host")
        return keep_token(request, token, url) if token else Redirect(url, status_code=303, headers=PAGE_HEADERS)
    shown_page = links_page(request, game, link_tokens, page_address(game, own_seat or "host"))
    if token:
        shown_page.set_cookie(browser.token_cookie(request, token))
    return shown_page


def links_page(
    request: AnyRequest, game: str, link_tokens: Mapping[Seat, str], back_url: str, own_seat: Seat = ""
) -> Response[Any]:
    """The page with the links to seats ("" for a link to watch), which are shown only once, also as QR codes.

    `own_seat` is the one of them that is the visitor's own, on another device.
    """
    links = {seat: address_of_link(request, link) for seat, link in link_tokens.items()}
    codes = {seat: qr_codes.qr_code(link) for seat, link in links.items()}
    values: dict[str, Any] = {"game": game, "links": links, "codes": codes, "back": back_url, "own_seat": own_seat}
    return make_response(html_reply(request, "link.html", **values))


async def start_game(request: AnyRequest, body: NewGame, key: str, *, is_fair: bool) -> str:
    """Begins a game, or opens a table for a fair deal; returns its name. Raises `ProblemError`."""
    if is_fair:
        return (await game_handlers.open_table.ask(request, body, key)).game
    return (await game_handlers.begin_game.ask(request, body, key)).position.game


def parse_bots(text: str) -> dict[Seat, str]:
    """Parses the bots by seat: `zulu:strong,lozi:quick`. Raises `ProblemError`."""
    bots = {}
    for bot_text in re.split(r"[,\s]+", text.strip()) if text.strip() else ():
        seat, _, level = bot_text.partition(":")
        if not (seat and level):
            raise ProblemError(400, f"{bot_text!r} names no program of a seat", "", ["zulu:quick"])
        bots[seat] = level
    return bots


@post("/games/{game:str}/links")
async def give(request: AnyRequest, game: GameName) -> Response[Any]:
    """Creates a link to a seat, or to watch, and shows it once. A player gets one to open their seat elsewhere."""
    browser.check_same_origin(request)
    form = await read_form(request)
    seat, own_seat = form.get("seat", ""), form.get("own", "")
    await browser.act_in_game(request, game, own_seat or "host", is_required=True)
    body = parse_form(NewToken, role="seat" if seat else "spectator", seat=seat, again="again" in form)
    link_answer = await seat_handlers.give_token.ask(request, body, form["key"], game=game)
    return links_page(request, game, {seat: link_answer.token}, page_address(game, own_seat or "host"), own_seat)


@post("/games/{game:str}/sit")
async def sit(request: AnyRequest, game: GameName) -> Response[Any]:
    """Lets the host of a game take a seat."""
    browser.check_same_origin(request)
    form = await read_form(request)
    tokens = await browser.act_in_game(request, game, "host", is_required=True)

    def find_name(service: GameService) -> str:
        return authenticate_anywhere(service, tokens["host"]).name

    host_name, seat = await dispatcher_of(request).run_for_page(request, "", find_name), form.get("seat", "")
    return keep_token(request, await sit_down(request, game, seat, host_name, form["key"]), page_address(game, seat))
