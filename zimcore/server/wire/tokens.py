"""Tokens: a prefix that says what a token is for, then 256 random bits. Zim stores only the digest of a token.

`zim_seat_5f3a..._Zm9v...` is a seat in the game whose stream of names is `5f3a...`. `zim_host_...` is an account.
`zim_link_...` is a link: it can be redeemed for the token of a seat. `zim_host_...~zulu` is an account that acts as
the player at its own seat.
"""

from __future__ import annotations

import base64
import hmac
import re
import secrets
from collections.abc import Iterable
from hashlib import sha256
from typing import NamedTuple

from zimcore.service.records.memberships import Grant, Role

SECRET_BYTES = 32
LINK_KIND = "link"
TOKEN_FORMAT = re.compile(
    r"(zim_(host|seat|bot|spectator|auditor|link)_(?:([0-9a-z]{1,32})_)?[A-Za-z0-9_-]{43})(?:~([a-z0-9_]{1,64}))?",
    re.ASCII,
)


class Token(NamedTuple):
    """A parsed token: its kind, the stream of names of its game ("" for an account), its text without a seat.

    `own_seat` is the seat that an account acts as; "" for none.
    """

    kind: str
    stream: str
    text: str
    own_seat: str = ""


def parse_token(token_text: str) -> Token | None:
    """Parses a token; None if the text is not one."""
    match_ = TOKEN_FORMAT.fullmatch(token_text)
    if not match_ or (match_[4] and match_[2] != "host"):
        return None
    return Token(match_[2], match_[3] or "", match_[1], match_[4] or "")


def new_token(kind: Role | str, stream: str = "") -> str:
    """A new random token."""
    return _format_token(kind, stream, secrets.token_bytes(SECRET_BYTES))


def derive_token(kind: Role | str, stream: str, secret: str, *purposes: str) -> str:
    """A token derived from a secret: the same arguments give the same token, so a retry gets it again."""
    message = "\0".join((kind, stream, *purposes)).encode()
    return _format_token(kind, stream, hmac.digest(secret.encode(), message, "sha256"))


def _format_token(kind: str, stream: str, secret: bytes) -> str:
    secret_text = base64.urlsafe_b64encode(secret).rstrip(b"=").decode()
    return "_".join(filter(None, ("zim", kind, stream, secret_text)))


def digest(token_text: str) -> bytes:
    """The SHA-256 digest of a token, which is stored instead of it."""
    return sha256(token_text.encode()).digest()


def id_of(token_text: str) -> str:
    """The id of a token, by which it is listed and revoked: 12 hex digits of its digest."""
    return digest(token_text)[:6].hex()


def find_grant(token_text: str, grants: Iterable[Grant]) -> Grant | None:
    """The grant of a token, None if there is none. Compares with every grant, each in constant time."""
    token_digest, grant_found = digest(token_text), None
    for grant in grants:
        if hmac.compare_digest(grant.digest, token_digest):
            grant_found = grant
    return grant_found
