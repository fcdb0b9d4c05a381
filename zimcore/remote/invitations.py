"""Membership in a game on a server: join by a link, leave, invite others. Tokens are never shown."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Literal, NamedTuple

from msgspec.structs import replace

from zimcore.documents import endpoints
from zimcore.documents.endpoint import AnswerT, Nothing
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
from zimcore.remote.connection import Connection, new_idempotency_key, server_address
from zimcore.remote.service import RemoteService

InvitedRole = Literal["seat", "bot", "spectator", "auditor"]

TOKEN_PATTERN = re.compile(
    r"zim_(host|seat|bot|spectator|auditor|link)_(?:[0-9a-z]{1,32}_)?[A-Za-z0-9_-]{43}", re.ASCII
)
TOKEN_IN_URL = re.compile(rf"(?P<server>https?://[^#?]+?)(?:/join)?/?[/#](?P<token>{TOKEN_PATTERN.pattern})", re.ASCII)


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
    url_match = TOKEN_IN_URL.fullmatch(text)
    if url_match:
        server, token = server_address(url_match["server"]), url_match["token"]
    elif TOKEN_PATTERN.fullmatch(text) and is_remote(store):
        server, token = server_address(store), text
    elif TOKEN_PATTERN.fullmatch(text):
        hints = ["join https://HOST/join#zim_link_...", "zim --store https://HOST join zim_link_..."]
        raise NotationError("no server given", "the link does not name one", hints)
    else:  # the error must not repeat the text: it may be a token with a typo
        raise NotationError("this is not a link", "", ["join https://HOST/join#zim_link_..."])
    token_match = TOKEN_PATTERN.fullmatch(token)
    assert token_match
    return Invitation(server, token, token_match[1])


def format_link(server: str, token: str) -> str:
    """The text of a link. Browsers do not send the part after the # to the server."""
    return f"{server}/join#{token}"


def join(
    connection: Connection,
    folders: Folders,
    invitation: Invitation,
    by: str,
    key: str = "",
    private_key_name: str = "",
    agreed_rules: str = "",
) -> Credential:
    """Redeems a link for a token, or takes a token as it is, and saves it. Raises the server's error.

    With a `key` (public, hex) each command of the seat is signed, with the private key that has this name on this
    machine. `agreed_rules` are the house rules that the player agrees to.
    """
    if invitation.kind == "link":
        redeem_answer = _redeem(connection, folders, invitation, by, key, agreed_rules)
        token, game, token_info = redeem_answer.token, redeem_answer.game, redeem_answer.about
    else:
        token = invitation.token
        token_info = _own_token_info(connection, token)
        game = "" if token_info.role == "host" else _game_of(connection, token)
    if not TOKEN_PATTERN.fullmatch(token):
        raise GameError(f"{connection.server} gave no token", "", ["have the host invite you again"])
    key_fields = (key, private_key_name) if token_info.seat and invitation.kind == "link" else ("", "")
    share = redeem_answer.share if invitation.kind == "link" else ""
    new_credential = Credential(
        invitation.server, token, game, token_info.role, token_info.seat, token_info.name, *key_fields, share
    )

    def add_token(keyring: Keyring) -> Keyring:
        other_credentials = tuple(credential for credential in keyring.tokens if credential.token != token)
        redeeming = {
            link_digest: redeem_key
            for link_digest, redeem_key in keyring.redeeming.items()
            if link_digest != _text_digest(invitation.token)
        }
        return Keyring((*other_credentials, new_credential), redeeming)

    update_file(folders.tokens_file, Keyring, add_token)
    return new_credential


def join_league(
    service: RemoteService, folders: Folders, league: str, key: str = "", private_key_name: str = ""
) -> list[Credential]:
    """Takes your seats in the games of a league that go on, by a link to each. Raises the server's error."""
    server_credentials = [
        credential for credential in saved_credentials(folders) if credential.server == service.connection.server
    ]
    account = next((credential for credential in server_credentials if not credential.game), None)
    if account is None:
        why = "players of a league have an account on its server"
        raise GameError(f"you have no account on {service.connection.server}", why, ["join TOKEN"])
    games_with_seat, credentials = (
        {credential.game for credential in server_credentials if credential.seat},
        list[Credential](),
    )
    tables = (table for league_round in service.league(league).rounds for table in league_round.tables)
    for table in tables:
        if account.by in table.seats.values() and not table.ranks and table.game not in games_with_seat:
            endpoint, body, request_key = endpoints.LEAGUE_SEAT, LeagueSeat(table.game), new_idempotency_key()
            link = service.connection.ask(endpoint, body, account.token, request_key, league=league).token
            invitation = Invitation(service.connection.server, link, "link")
            credentials.append(join(service.connection, folders, invitation, account.by, key, private_key_name))
    return credentials


def _text_digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def _redeem(
    connection: Connection, folders: Folders, invitation: Invitation, by: str, public_key: str, agreed_rules: str
) -> TokenAnswer:
    # The key is saved before it is sent: if this process dies, the same link still gets the same token.
    link_digest, redeem_key = _text_digest(invitation.token), secrets.token_urlsafe(24)
    keyring = update_file(
        folders.tokens_file,
        Keyring,
        lambda keyring: replace(keyring, redeeming={link_digest: redeem_key, **keyring.redeeming}),
    )
    # Derived from the random key, so that every try to redeem a link adds the same share.
    share = _text_digest(f"share {keyring.redeeming[link_digest]}")
    body = Redemption(invitation.token, by, key=public_key, share=share, agreed=agreed_rules)
    answer = connection.ask(endpoints.REDEEM, body, "", keyring.redeeming[link_digest])
    if answer.share not in ("", share):
        raise GameError(f"{connection.server} says that you added another share to the deal", "", ["tell the host"])
    return answer


def _own_token_info(connection: Connection, token: str) -> TokenInfo:
    (token_info,) = connection.ask(endpoints.OWN_TOKEN, Nothing(), token).tokens
    return token_info


def _game_of(connection: Connection, token: str) -> str:
    games = connection.ask(endpoints.GAMES, PageQuery(), token).games
    return games[0].name if games else ""


def read_seats(service: RemoteService, match: str) -> SeatsAnswer:
    """Who sits where in a game."""
    return service.connection.ask(endpoints.SEATS, Nothing(), service.remote_lines.token(match), game=match)


def read_tokens(service: RemoteService, match: str) -> Sequence[TokenInfo]:
    """The valid tokens and links of a game. For its host."""
    return service.connection.ask(
        endpoints.TOKENS, Nothing(), service.remote_lines.host_token(match), game=match
    ).tokens


def invite(
    service: RemoteService,
    match: str,
    role: InvitedRole,
    seat: Seat,
    name: str,
    days: float | None,
    *,
    again: bool = False,
) -> TokenAnswer:
    """Invites a player: a link to a seat, or a token without a seat. For the host; a player gets one to their seat."""
    credential = service.remote_lines.credential(match)
    is_own_seat = bool(seat) and not again and credential is not None and credential.seat == seat
    token = credential.token if credential and is_own_seat else service.remote_lines.host_token(match)
    body = NewToken(role, seat, name, days, again)
    answer = service.connection.ask(endpoints.GIVE_TOKEN, body, token, game=match)
    if not TOKEN_PATTERN.fullmatch(answer.token):
        raise GameError(f"{service.connection.server} gave no link", "", ["seats"])
    return answer


def own_seat_link(connection: Connection, credential: Credential, days: float) -> str:
    """A link that opens your seat on another device, once."""
    body = NewToken("seat", credential.seat, days=days)
    return connection.ask(endpoints.GIVE_TOKEN, body, credential.token, game=credential.game).token


def revoke(service: RemoteService, match: str, token_id: str) -> Sequence[TokenInfo]:
    """Revokes a token or a link, by its id. For the host."""
    host_token = service.remote_lines.host_token(match)
    return service.connection.ask(endpoints.REVOKE_TOKEN, Nothing(), host_token, game=match, token=token_id).tokens


def change_terms(service: RemoteService, match: str, terms: Terms) -> SeatsAnswer:
    """Changes the terms of a game. For the host."""
    return service.connection.ask(endpoints.TERMS, terms, service.remote_lines.host_token(match), game=match)


def leave(service: RemoteService, match: str, seat: Seat = "") -> SeatsAnswer:
    """Leaves your seat, which revokes its token, and removes the token here; a host can free another seat."""

    def request(token: str, left_seat: Seat) -> SeatsAnswer:
        return service.connection.ask(endpoints.LEAVE, Nothing(), token, game=match, seat=left_seat)

    return leave_by(request, service, match, seat)


def leave_by(request: Callable[[str, Seat], AnswerT], service: RemoteService, match: str, seat: Seat) -> AnswerT:
    """Leaves a seat by a request with its token, and removes the token here."""
    credential = service.remote_lines.credential(match)
    seat_given_up = seat or (credential.seat if credential else "")
    if not seat_given_up:
        raise GameError("you have no seat there", "", ["seats"])
    token = (
        credential.token if credential and credential.seat == seat_given_up else service.remote_lines.host_token(match)
    )
    answer = request(token, seat_given_up)
    if credential and credential.seat == seat_given_up:
        update_file(service.folders.tokens_file, Keyring, lambda keyring: _without_token(keyring, credential))
        service.folders.copy_file(credential.server, match, credential.id).unlink(missing_ok=True)
    return answer


def _without_token(keyring: Keyring, credential: Credential) -> Keyring:
    return replace(keyring, tokens=tuple(each for each in keyring.tokens if each != credential))


def saved_credentials(folders: Folders) -> Sequence[Credential]:
    """All tokens saved on this machine."""
    return read_file(folders.tokens_file, Keyring).tokens
