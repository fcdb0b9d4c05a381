"""Membership in a game on a server: join by a link, leave, invite others. Tokens are never shown."""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from hashlib import sha256
from typing import Literal, NamedTuple

from msgspec.structs import replace

from zimcore.documents import endpoints
from zimcore.documents.endpoints import Nothing
from zimcore.documents.leagues import LeagueSeat
from zimcore.documents.query_parameters import PageQuery
from zimcore.documents.seats import (
    NewToken,
    Redemption,
    SeatsAnswer,
    Terms,
    TokenAnswer,
    TokenInfo,
)
from zimcore.game import GameError, NotationError, Seat
from zimcore.remote import is_remote
from zimcore.remote.client_files import Credential, Folders, Keyring, read_file, update_file
from zimcore.remote.connection import Connection, new_key, server_of
from zimcore.remote.service import RemoteService

Guest = Literal["seat", "bot", "spectator", "auditor"]

TOKEN = re.compile(r"zim_(host|seat|bot|spectator|auditor|link)_(?:[0-9a-z]{1,32}_)?[A-Za-z0-9_-]{43}", re.ASCII)
IN_URL = re.compile(rf"(?P<server>https?://[^#?]+?)(?:/join)?/?[/#](?P<token>{TOKEN.pattern})", re.ASCII)


class Invitation(NamedTuple):
    """A parsed link or token: its server, its text, and its kind (`link`, `seat`, ...)."""

    server: str
    token: str
    kind: str


def parse_invitation(text: str, store: str = "") -> Invitation:
    """Parses a link or token. One without a server is for the server in `store`. Raises `NotationError`.

    >>> parse_invitation("https://zim.example/join#zim_link_5f3a_" + 43 * "x").server
    'https://zim.example'
    """
    text = text.strip()
    match_ = IN_URL.fullmatch(text)
    if match_:
        server, token = server_of(match_["server"]), match_["token"]
    elif TOKEN.fullmatch(text) and is_remote(store):
        server, token = server_of(store), text
    elif TOKEN.fullmatch(text):
        hints = ["join https://HOST/join#zim_link_...", "zim --store https://HOST join zim_link_..."]
        raise NotationError("no server given", "the link does not name one", hints)
    else:  # the error must not repeat the text: it may be a token with a typo
        raise NotationError("this is not a link", "", ["join https://HOST/join#zim_link_..."])
    kind = TOKEN.fullmatch(token)
    assert kind
    return Invitation(server, token, kind[1])


def link_of(server: str, token: str) -> str:
    """The text of a link. Browsers do not send the part after the # to the server."""
    return f"{server}/join#{token}"


def join(
    connection: Connection,
    folders: Folders,
    invitation: Invitation,
    by: str,
    key: str = "",
    signs: str = "",
    agreed: str = "",
) -> Credential:
    """Redeems a link for a token, or takes a token as it is, and saves it. Raises the server's error.

    With a `key` (public, hex) each command of the seat is signed; `signs` is the name of the private key on this
    machine. `agreed` are the house rules that the player agrees to.
    """
    if invitation.kind == "link":
        answer = _redeem(connection, folders, invitation, by, key, agreed)
        token, game, grant = answer.token, answer.game, answer.about
    else:
        token = invitation.token
        grant = _own_token(connection, token)
        game = "" if grant.role == "host" else _game_of(connection, token)
    if not TOKEN.fullmatch(token):
        raise GameError(f"{connection.server} gave no token", "", ["have the host invite you again"])
    key_fields = (key, signs) if grant.seat and invitation.kind == "link" else ("", "")
    share = answer.share if invitation.kind == "link" else ""
    new = Credential(invitation.server, token, game, grant.role, grant.seat, grant.name, *key_fields, share)

    def keep(ring: Keyring) -> Keyring:
        other_tokens = tuple(each for each in ring.tokens if each.token != token)
        redeeming = {link: key for link, key in ring.redeeming.items() if link != _digest(invitation.token)}
        return Keyring((*other_tokens, new), redeeming)

    update_file(folders.tokens, Keyring, keep)
    return new


def join_league(
    service: RemoteService, folders: Folders, league: str, key: str = "", signs: str = ""
) -> list[Credential]:
    """Takes your seats in the games of a league that go on, by a link to each. Raises the server's error."""
    own = [each for each in kept_tokens(folders) if each.server == service.connection.server]
    account = next((each for each in own if not each.game), None)
    if account is None:
        why = "players of a league have an account on its server"
        raise GameError(f"you have no account on {service.connection.server}", why, ["join TOKEN"])
    seated, credentials = {each.game for each in own if each.seat}, list[Credential]()
    tables = (table for each in service.league(league).rounds for table in each.tables)
    for table in tables:
        if account.by in table.seats.values() and not table.ranks and table.game not in seated:
            row, body, sent = endpoints.LEAGUE_SEAT, LeagueSeat(table.game), new_key()
            link = service.connection.ask(row, body, account.token, sent, league=league).token
            invitation = Invitation(service.connection.server, link, "link")
            credentials.append(join(service.connection, folders, invitation, account.by, key, signs))
    return credentials


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _redeem(
    connection: Connection, folders: Folders, invitation: Invitation, by: str, public: str, agreed: str
) -> TokenAnswer:
    # The key is saved before it is sent: if this process dies, the same link still gets the same token.
    link, new_key = _digest(invitation.token), secrets.token_urlsafe(24)
    ring = update_file(folders.tokens, Keyring, lambda ring: replace(ring, redeeming={link: new_key, **ring.redeeming}))
    # Derived from the random key, so that every try to redeem a link adds the same share.
    share = _digest(f"share {ring.redeeming[link]}")
    body = Redemption(invitation.token, by, key=public, share=share, agreed=agreed)
    answer = connection.ask(endpoints.REDEEM, body, "", ring.redeeming[link])
    if answer.share not in ("", share):
        raise GameError(f"{connection.server} says that you added another share to the deal", "", ["tell the host"])
    return answer


def _own_token(connection: Connection, token: str) -> TokenInfo:
    (grant,) = connection.ask(endpoints.OWN_TOKEN, Nothing(), token).tokens
    return grant


def _game_of(connection: Connection, token: str) -> str:
    games = connection.ask(endpoints.GAMES, PageQuery(), token).games
    return games[0].name if games else ""


def seats(service: RemoteService, match: str) -> SeatsAnswer:
    """Who sits where in a game."""
    return service.connection.ask(endpoints.SEATS, Nothing(), service.remote.token(match), game=match)


def tokens(service: RemoteService, match: str) -> Sequence[TokenInfo]:
    """The valid tokens and links of a game. For its host."""
    return service.connection.ask(endpoints.TOKENS, Nothing(), service.remote.host_token(match), game=match).tokens


def invite(service: RemoteService, match: str, role: Guest, seat: Seat, name: str, days: float | None) -> TokenAnswer:
    """Invites a player: a link to a seat, or a token without a seat. For the host."""
    body, token = NewToken(role, seat, name, days), service.remote.host_token(match)
    answer = service.connection.ask(endpoints.GIVE_TOKEN, body, token, game=match)
    if not TOKEN.fullmatch(answer.token):
        raise GameError(f"{service.connection.server} gave no link", "", ["seats"])
    return answer


def revoke(service: RemoteService, match: str, token: str) -> Sequence[TokenInfo]:
    """Revokes a token or a link, by its id. For the host."""
    host_token = service.remote.host_token(match)
    return service.connection.ask(endpoints.REVOKE_TOKEN, Nothing(), host_token, game=match, token=token).tokens


def change_terms(service: RemoteService, match: str, terms: Terms) -> SeatsAnswer:
    """Changes the terms of a game. For the host."""
    return service.connection.ask(endpoints.TERMS, terms, service.remote.host_token(match), game=match)


def leave(service: RemoteService, match: str, seat: Seat = "") -> SeatsAnswer:
    """Leaves your seat, which revokes its token, and removes the token here; a host can free another seat."""
    credential = service.remote.credential(match)
    seat_given_up = seat or (credential.seat if credential else "")
    if not seat_given_up:
        raise GameError("you have no seat there", "", ["seats"])
    token = credential.token if credential and credential.seat == seat_given_up else service.remote.host_token(match)
    answer = service.connection.ask(endpoints.LEAVE, Nothing(), token, game=match, seat=seat_given_up)
    if credential and credential.seat == seat_given_up:
        update_file(service.folders.tokens, Keyring, lambda ring: _without_token(ring, credential))
        service.folders.copy(credential.server, match, credential.id).unlink(missing_ok=True)
    return answer


def _without_token(ring: Keyring, credential: Credential) -> Keyring:
    return replace(ring, tokens=tuple(each for each in ring.tokens if each != credential))


def kept_tokens(folders: Folders) -> Sequence[Credential]:
    """All tokens saved on this machine."""
    return read_file(folders.tokens, Keyring).tokens
