"""Authentication in a browser: tokens in cookies, and protection against forms from other sites (CSRF).

Cookies count only for pages. `/v1` takes tokens only from a header, so that another site can't make a browser send
requests with your token. Forms are accepted only from our own pages, by the Sec-Fetch-Site and Origin headers.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

import msgspec
from litestar.datastructures import Cookie

from zimcore.server.endpoints.dispatcher import dispatcher_of
from zimcore.server.news.notice_kinds import push_key_of
from zimcore.server.pages.rendering import accepted_encodings
from zimcore.server.people.access import authenticate, seats_of_account
from zimcore.server.wire.problem_responses import ProblemError
from zimcore.server.wire.replies import AnyRequest
from zimcore.server.wire.tokens import id_of, parse_token
from zimcore.service import GameService
from zimcore.toolkit.addresses import LOOPBACK_HOSTS, host_of, is_private

COOKIE_PREFIX = "zim-"
ACCOUNT_PREFIX = "zim_host_"
"""Begins the token of an account."""
TRIAL_COOKIE_NAME = "zim_keeps_cookies"
"""A cookie set before a link is redeemed: a browser that sends it back will keep the token, too."""
MAX_TOKENS = 60
"""The most tokens in a browser: all of them must fit into the headers of a request."""
MAX_COOKIE_DAYS = 400
"""The longest lifetime of a cookie that browsers allow."""


def cookie_tokens(request: AnyRequest) -> Sequence[str]:
    """The tokens in the cookies of a request, valid or not."""
    return [
        token_text
        for name, token_text in request.cookies.items()
        if name.startswith(COOKIE_PREFIX) and parse_token(token_text)
    ]


def account_token(request: AnyRequest) -> str:
    """The token of an account that a browser has; "" for none."""
    return next((token for token in cookie_tokens(request) if token.startswith(ACCOUNT_PREFIX)), "")


def token_cookie(request: AnyRequest, token: str) -> Cookie:
    """The cookie for a token: scripts can't read it (HttpOnly), and other sites don't get it sent (SameSite=Strict)."""
    return _cookie(request, COOKIE_PREFIX + id_of(token), token, MAX_COOKIE_DAYS * 86400)


def trial_cookie(request: AnyRequest) -> Cookie:
    """The trial cookie: like that of a token, but without one."""
    return _cookie(request, TRIAL_COOKIE_NAME, "yes", 3600)


def expired_cookie(request: AnyRequest, token: str) -> Cookie:
    """The cookie that makes a browser forget a token."""
    return _cookie(request, COOKIE_PREFIX + id_of(token), "", 0)


def _cookie(request: AnyRequest, name: str, value: str, seconds: int) -> Cookie:
    # Over plain HTTP a browser drops a secure cookie.
    is_secure = scheme_of(request) == "https"
    return Cookie(name, "/", value, max_age=seconds, secure=is_secure, httponly=True, samesite="strict")


def scheme_of(request: AnyRequest) -> str:
    """The URL scheme by which a browser reaches this server: `http` on this machine or, with `--lan`, under a private
    address; else `https`.
    """
    host = host_of(f"//{request.headers.get('host', '')}")
    return "http" if host in LOOPBACK_HOSTS or (request.app.state.lan and is_private(host)) else "https"


def origin_of(request: AnyRequest) -> str:
    """The origin by which a browser reaches this server: `https://zim.example`."""
    return f"{scheme_of(request)}://{request.headers.get('host', '')}"


class PageRequest(msgspec.Struct, frozen=True):
    """What a page needs of its request, so that another process can make the page.

    `encodings` are those that the browser accepts, `token` the one that the request acts with, `tokens` all that
    the browser has; `listening_tokens` are the ids of those that listen to feeds now, `watcher_count` is the number of
    those that listen to the game without a seat. `open_play` says whether games can be begun without an account.
    `push_key` is the key that a browser subscribes to notices with.
    """

    encodings: str
    token: str
    tokens: Sequence[str]
    origin: str
    listening_tokens: frozenset[str]
    watcher_count: int
    open_play: bool = False
    push_key: str = ""


def page_request(request: AnyRequest, game: str) -> PageRequest:
    """What a page of a game needs of a request. Call `act_in_game` first."""
    return PageRequest(
        accepted_encodings(request),
        str(request.scope["state"]["token"]),
        cookie_tokens(request),
        origin_of(request),
        dispatcher_of(request).feeds.listening_tokens,
        dispatcher_of(request).feeds.count_watchers(game),
        dispatcher_of(request).open_game_buckets is not None,
        push_key_of(dispatcher_of(request).notifier.kinds),
    )


def check_same_origin(request: AnyRequest) -> None:
    """Raises `ProblemError` for a form that was not sent from one of our pages.

    Without Sec-Fetch-Site the Origin must be ours; with it, it must be `same-origin`, and an Origin, if sent, ours.
    """
    fetch_site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    is_ours = origin is not None and urlsplit(origin).netloc == request.headers.get("host")
    if not (is_ours if fetch_site is None else fetch_site == "same-origin" and (is_ours or origin is None)):
        raise ProblemError(403, "this was not sent from a page of this server", "", ["open the page, and try again"])


def came_from_elsewhere(request: AnyRequest) -> bool:
    """Whether the browser followed a link from another site: it then sends no SameSite=Strict cookies."""
    headers = request.headers
    return (
        headers.get("sec-fetch-site") == "cross-site"
        and headers.get("sec-fetch-mode") == "navigate"
        and "here" not in request.query_params
    )


async def act_in_game(request: AnyRequest, game: str, role: str = "", *, is_required: bool = False) -> dict[str, str]:
    """Makes the request act with the token for `role`; returns a browser's valid tokens for a game, by seat or role.

    Without that token the request acts with the first, seats before other roles: so an address copied from another
    player shows your own view. Raises `ProblemError` if that one is missing and `is_required`, as for a form.
    """
    token_texts = cookie_tokens(request)

    def find_tokens(service: GameService) -> dict[str, str]:
        return valid_tokens(service, game, token_texts)

    tokens = (
        await dispatcher_of(request).run_for_page(request, game, find_tokens, token_texts[0]) if token_texts else {}
    )
    if is_required and role not in tokens:
        raise ProblemError(401, f"this browser has no token for {role!r}", "", ["open the link you were given"])
    act_as(request, tokens[role] if role in tokens else next(iter(tokens.values()), ""))
    return tokens


def valid_tokens(service: GameService, game: str, token_texts: Sequence[str]) -> dict[str, str]:
    """The valid tokens for a game by seat or role: seats first, then host, auditor, spectator.

    An account gives also those seats that belong to it.
    """
    stream = service.stream_of(game) if service.has_game(game) else ""
    tokens: dict[str, str] = {}
    account_tokens = [token_text for token_text in token_texts if token_text.startswith(ACCOUNT_PREFIX)]
    own_seats = [own for token_text in account_tokens for own in seats_of_account(service, game, token_text)]
    for token_text in (*token_texts, *own_seats):
        token = parse_token(token_text)
        if token is None or not stream or (token.kind != "host" and token.stream != stream):
            continue
        try:
            visitor = authenticate(service, game, token_text)
        except ProblemError:
            continue
        if visitor.grant.id:  # else the token is not needed: the game is public
            tokens.setdefault(visitor.seat or visitor.role, token_text)
    roles = ("host", "auditor", "spectator")
    return dict(
        sorted(
            tokens.items(),
            key=lambda role_and_token: roles.index(role_and_token[0]) if role_and_token[0] in roles else -1,
        )
    )


def act_as(request: AnyRequest, token: str) -> None:
    """Makes a request act with this token from here on, as if it had come in its header."""
    request.scope["state"]["token"] = token
