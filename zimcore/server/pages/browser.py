"""What a browser brings along: the tokens that it keeps in cookies, and from where a form was sent.

A cookie counts for pages alone. `/v1` takes a token from a header and nowhere else, so that no other site can have a
browser ask there as somebody. A form is taken from our own pages only: a browser says where it comes from.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from litestar.datastructures import Cookie

from zimcore.server.access import authenticate
from zimcore.server.dispatcher import dispatcher_of
from zimcore.server.problem_responses import ProblemError
from zimcore.server.replies import AnyRequest
from zimcore.server.tokens import id_of, parse_token
from zimcore.service import GameService
from zimcore.toolkit.addresses import LOOPBACK, host_of, is_private

PREFIX = "zim-"
TRIAL = "zim_keeps_cookies"
"""Set before a link is redeemed: a browser that returns it will keep the token, too."""
MAX_TOKENS = 60
"""Tokens that a browser keeps: all of them have to fit into the headers of a request."""
DAYS = 400
"""As long as browsers keep a cookie at most."""


def cookie_tokens(request: AnyRequest) -> Sequence[str]:
    """The tokens in the cookies of a request, whether they are good or not."""
    return [text for name, text in request.cookies.items() if name.startswith(PREFIX) and parse_token(text)]


def keep(request: AnyRequest, token: str) -> Cookie:
    """The cookie that keeps a token: no script reads it, and no other site has it sent."""
    return _cookie(request, PREFIX + id_of(token), token, DAYS * 86400)


def trial_cookie(request: AnyRequest) -> Cookie:
    """A cookie like it, with nothing in it."""
    return _cookie(request, TRIAL, "yes", 3600)


def forget_cookie(request: AnyRequest, token: str) -> Cookie:
    """What makes a browser forget a token."""
    return _cookie(request, PREFIX + id_of(token), "", 0)


def _cookie(request: AnyRequest, name: str, value: str, seconds: int) -> Cookie:
    # Over plain HTTP a browser drops what is secure.
    secure = scheme_of(request) == "https"
    return Cookie(name, "/", value, max_age=seconds, secure=secure, httponly=True, samesite="strict")


def scheme_of(request: AnyRequest) -> str:
    """How a browser reaches this server: by TLS, but on this machine and, if its host said so, in a private network.

    `zim host --lan` says so; a public address that leads there too still wants TLS.
    """
    host = host_of(f"//{request.headers.get('host', '')}")
    return "http" if host in LOOPBACK or (request.app.state.lan and is_private(host)) else "https"


def check_own(request: AnyRequest) -> None:
    """Raises `ProblemError` for a form that was not sent from a page of ours.

    Browsers name the page's origin with every form; where they say in which relation it stands to ours, both count.
    """
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    named = origin is not None and urlsplit(origin).netloc == request.headers.get("host")
    if not (named if site is None else site == "same-origin" and (named or origin is None)):
        raise ProblemError(403, "this was not sent from a page of this server", "", ["open the page, and try again"])


def came_from_elsewhere(request: AnyRequest) -> bool:
    """Whether a link on another site led here: then a browser sends no cookie that is strict, the first time."""
    headers = request.headers
    return (
        headers.get("sec-fetch-site") == "cross-site"
        and headers.get("sec-fetch-mode") == "navigate"
        and "here" not in request.query_params
    )


async def tokens_for_game(request: AnyRequest, game: str, wanted: str = "", *, must: bool = False) -> dict[str, str]:
    """By seat or role, the tokens of a browser that are good for a game; the request is made with the `wanted` one.

    Without it the request is made with the first, that of a seat before others: a copied address opens
    with the visitor's own eyes. Raises `ProblemError` where the wanted one `must` be there, as for a form.
    """
    texts = cookie_tokens(request)

    def look(service: GameService) -> dict[str, str]:
        return good_for(service, game, texts)

    found = await dispatcher_of(request).workers.run("questions", game, look) if texts else {}
    if must and wanted not in found:
        raise ProblemError(401, f"this browser has no token for {wanted!r}", "", ["open the link you were given"])
    act_as(request, found[wanted] if wanted in found else next(iter(found.values()), ""))
    return found


def good_for(service: GameService, game: str, texts: Sequence[str]) -> dict[str, str]:
    """By seat or role, the tokens that are good for a game: seats first, then who is no more than its host."""
    stream = service.stream_of(game) if service.has_game(game) else ""
    found: dict[str, str] = {}
    for text in texts:
        token = parse_token(text)
        if token is None or not stream or (token.kind != "host" and token.stream != stream):
            continue
        try:
            visitor = authenticate(service, game, text)
        except ProblemError:
            continue
        if visitor.grant.id:  # else all may watch, also without it
            found.setdefault(visitor.seat or visitor.role, text)
    roles = ("host", "auditor", "spectator")
    return dict(sorted(found.items(), key=lambda each: roles.index(each[0]) if each[0] in roles else -1))


def act_as(request: AnyRequest, token: str) -> None:
    """From here on a request is asked with this token, as if it had come in its header."""
    request.scope["state"]["token"] = token
