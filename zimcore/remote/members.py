"""Who takes part in a game on a server: joining by a link, leaving, inviting others. Tokens are never shown."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from hashlib import sha256
from typing import Literal, NamedTuple
from urllib.parse import quote

from msgspec.structs import replace

from zimcore.documents.seats import (
    NewToken,
    Redemption,
    SeatsAnswer,
    Terms,
    TokenAnswer,
    TokenInfo,
    TokensAnswer,
)
from zimcore.game import GameError, NotationError, Seat
from zimcore.remote.connection import Connection, decoded, is_remote, server_of
from zimcore.remote.files import Credential, Folders, Keyring, change, read
from zimcore.remote.service import RemoteService

Guest = Literal["seat", "bot", "spectator", "auditor"]

TOKEN = re.compile(r"zim_(host|seat|bot|spectator|auditor|link)_(?:[0-9a-z]{1,32}_)?[A-Za-z0-9_-]{43}", re.ASCII)
IN_URL = re.compile(rf"(?P<server>https?://[^#?]+?)(?:/join)?/?[/#](?P<token>{TOKEN.pattern})", re.ASCII)


class Invitation(NamedTuple):
    """What somebody was given: on which server, and what for."""

    server: str
    token: str
    kind: str


def parse_invitation(text: str, store: str = "") -> Invitation:
    """Reads a link, or a token, which alone is one of the server that is the store. Raises `NotationError`.

    >>> parse_invitation("https://zim.example/join#zim_link_5f3a_" + 43 * "x").server
    'https://zim.example'
    """
    text = text.strip()
    found = IN_URL.fullmatch(text)
    if found:
        server, token = server_of(found["server"]), found["token"]
    elif TOKEN.fullmatch(text) and is_remote(store):
        server, token = server_of(store), text
    elif TOKEN.fullmatch(text):
        hints = ["join https://HOST/join#zim_link_...", "zim --store https://HOST join zim_link_..."]
        raise NotationError("which server is this for", "the link does not say", hints)
    else:  # not the text itself: it may be a token with a letter too many
        raise NotationError("this is no link", "", ["join https://HOST/join#zim_link_..."])
    kind = TOKEN.fullmatch(token)
    assert kind
    return Invitation(server, token, kind[1])


def link_of(server: str, token: str) -> str:
    """A link as it is given to somebody. What is behind the # is sent to no server by a browser."""
    return f"{server}/join#{token}"


def join(
    connection: Connection, folders: Folders, invitation: Invitation, by: str, key: str = "", signs: str = ""
) -> Credential:
    """Redeems a link for a token, or takes a token as it is, and keeps it. Raises what the server says.

    With a `key` (public, hex) each command of the seat is signed, by whoever is called `signs` here.
    """
    if invitation.kind == "link":
        answer = _redeemed(connection, folders, invitation, by, key)
        token, game, about = answer.token, answer.game, answer.about
    else:
        token = invitation.token
        about = _own(connection, token)
        game = "" if about.role == "host" else _game_of(connection, token)
    if not TOKEN.fullmatch(token):
        raise GameError(f"{connection.server} gave no token", "", ["ask the host for another link"])
    mine = (key, signs) if about.seat and invitation.kind == "link" else ("", "")
    share = answer.share if invitation.kind == "link" else ""
    new = Credential(invitation.server, token, game, about.role, about.seat, about.name, *mine, share)

    def keep(ring: Keyring) -> Keyring:
        others = tuple(each for each in ring.tokens if each.token != token)
        waiting = {link: key for link, key in ring.redeeming.items() if link != _digest(invitation.token)}
        return Keyring((*others, new), waiting)

    change(folders.tokens, Keyring, keep)
    return new


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _redeemed(connection: Connection, folders: Folders, invitation: Invitation, by: str, public: str) -> TokenAnswer:
    # The key is on the disk before it is sent: should this process die, the same link gets the same token.
    link, fresh = _digest(invitation.token), secrets.token_urlsafe(24)
    ring = change(folders.tokens, Keyring, lambda ring: replace(ring, redeeming={link: fresh, **ring.redeeming}))
    # From the key, which is random: so the same link adds the same, however often it has to be redeemed.
    share = _digest(f"share {ring.redeeming[link]}")
    body = Redemption(invitation.token, by, key=public, share=share)
    sent = connection.write("POST", "/v1/tokens", "", ring.redeeming[link], body)
    answer = decoded(sent.content, TokenAnswer, connection.server)
    if answer.share not in ("", share):
        raise GameError(
            f"{connection.server} says that you have added something else to the deal", "", ["ask the host"]
        )
    return answer


def _own(connection: Connection, token: str) -> TokenInfo:
    (about,) = decoded(connection.get("/v1/tokens", token).content, TokensAnswer, connection.server).tokens
    return about


def _game_of(connection: Connection, token: str) -> str:
    from zimcore.documents.keep import GamesAnswer

    found = decoded(connection.get("/v1/games", token).content, GamesAnswer, connection.server).games
    return found[0].name if found else ""


def seats(service: RemoteService, match: str) -> SeatsAnswer:
    """Who sits where in a game."""
    return decoded(_get(service, match, "seats"), SeatsAnswer, service.connection.server)


def tokens(service: RemoteService, match: str) -> Sequence[TokenInfo]:
    """The tokens and links of a game that are good: for its host."""
    content = service.connection.get(f"/v1/games/{quote(match)}/tokens", service.remote.host_token(match)).content
    return decoded(content, TokensAnswer, service.connection.server).tokens


def _get(service: RemoteService, match: str, what: str) -> bytes:
    return service.connection.get(f"/v1/games/{quote(match)}/{what}", service.remote.token(match)).content


def invite(service: RemoteService, match: str, role: Guest, seat: Seat, name: str, days: float | None) -> TokenAnswer:
    """Lets somebody in: a link to a seat, or a token for who has none. For the host."""
    path, body = f"/v1/games/{quote(match)}/tokens", NewToken(role, seat, name, days)
    sent = service.connection.write("POST", path, service.remote.host_token(match), secrets.token_hex(16), body)
    answer = decoded(sent.content, TokenAnswer, service.connection.server)
    if not TOKEN.fullmatch(answer.token):
        raise GameError(f"{service.connection.server} gave no link", "", ["seats"])
    return answer


def revoke(service: RemoteService, match: str, token: str) -> Sequence[TokenInfo]:
    """Makes a token or a link good for nothing, by its id. For the host."""
    path = f"/v1/games/{quote(match)}/tokens/{quote(token)}"
    sent = service.connection.write("DELETE", path, service.remote.host_token(match), secrets.token_hex(16))
    return decoded(sent.content, TokensAnswer, service.connection.server).tokens


def agree(service: RemoteService, match: str, said: Terms) -> SeatsAnswer:
    """Changes the terms of a game. For the host."""
    path = f"/v1/games/{quote(match)}/terms"
    sent = service.connection.write("PUT", path, service.remote.host_token(match), secrets.token_hex(16), said)
    return decoded(sent.content, SeatsAnswer, service.connection.server)


def leave(service: RemoteService, match: str, seat: Seat = "") -> SeatsAnswer:
    """Leaves one's seat, whose token is good for nothing then; a host frees another's. Forgets the token."""
    mine = service.remote.credential(match)
    at = seat or (mine.seat if mine else "")
    if not at:
        raise GameError("you have no seat there", "", ["seats"])
    path = f"/v1/games/{quote(match)}/seats/{quote(at)}"
    token = mine.token if mine and mine.seat == at else service.remote.host_token(match)
    sent = service.connection.write("DELETE", path, token, secrets.token_hex(16))
    answer = decoded(sent.content, SeatsAnswer, service.connection.server)
    if mine and mine.seat == at:
        change(service.folders.tokens, Keyring, lambda ring: _without(ring, mine))
        service.folders.copy(mine.server, match, mine.id).unlink(missing_ok=True)
    return answer


def _without(ring: Keyring, gone: Credential) -> Keyring:
    return replace(ring, tokens=tuple(each for each in ring.tokens if each != gone))


def known(folders: Folders) -> Sequence[Credential]:
    """All tokens that are kept."""
    return read(folders.tokens, Keyring).tokens
