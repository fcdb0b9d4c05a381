"""Accounts: people who may start games on a server. They are created on the server's machine, next to its store."""

from __future__ import annotations

from zimcore.documents.seats import TokenAnswer, TokensAnswer
from zimcore.server.people.member_documents import expiry_time, token_info
from zimcore.server.wire.tokens import digest, id_of, new_token
from zimcore.service import GameService
from zimcore.service.records.memberships import READ, SCOPES, TokenGiven, TokenRevoked
from zimcore.service.records.person_names import check_name


def create_token(
    service: GameService, name: str, *, days: float | None = None, is_read_only: bool = False
) -> TokenAnswer:
    """Creates a token for an account, which may have several. Raises `GameError` if `name` is not a valid name."""
    token_text, expiry = new_token("host"), expiry_time(service.clock(), days)
    scopes = (READ,) if is_read_only else SCOPES
    token_event = TokenGiven(id_of(token_text), "host", check_name(name), digest(token_text), expiry, scopes)
    _, accounts = service.change_members("", lambda _: [token_event], by=name)
    return TokenAnswer(token_text, "", token_info(accounts.grants[token_event.id]))


def list_tokens(service: GameService) -> TokensAnswer:
    """All account tokens that were not revoked."""
    return TokensAnswer(tuple(map(token_info, service.accounts().grants.values())))


def revoke(service: GameService, token_id: str, *, by: str) -> TokensAnswer:
    """Revokes a token, by its id. Raises `UnknownError`."""
    service.change_members("", lambda _: [TokenRevoked(token_id)], by=by)
    return list_tokens(service)
