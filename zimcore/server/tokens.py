"""Tokens: 256 random bits behind a beginning that says what they are for; of each only its digest is ever stored.

`zim_seat_5f3a..._Zm9v...` is a seat in the game with that stream of names, `zim_host_...` an account, `zim_link_...` is
to be redeemed for a token of a seat.
"""

from __future__ import annotations

import base64
import hmac
import re
import secrets
from collections.abc import Iterable
from hashlib import sha256
from typing import NamedTuple

from zimcore.service.memberships import Grant, Role

BYTES = 32
LINK = "link"
FORM = re.compile(r"zim_(host|seat|bot|spectator|auditor|link)_(?:([0-9a-z]{1,32})_)?([A-Za-z0-9_-]{43})", re.ASCII)


class Token(NamedTuple):
    """A token as it was read: what it is for, the stream of the game that it belongs to ("" for an account)."""

    kind: str
    stream: str
    text: str


def parse_token(text: str) -> Token | None:
    """The token in a text; None where it has not the form of one."""
    found = FORM.fullmatch(text)
    return Token(found[1], found[2] or "", text) if found else None


def new_token(kind: Role | str, stream: str = "") -> str:
    """A new random token."""
    return _format_token(kind, stream, secrets.token_bytes(BYTES))


def derive_token(kind: Role | str, stream: str, secret: str, *about: str) -> str:
    """A token that only who has a secret can make, and always the same for the same: a retry gets it once more."""
    message = "\0".join((kind, stream, *about)).encode()
    return _format_token(kind, stream, hmac.digest(secret.encode(), message, "sha256"))


def _format_token(kind: str, stream: str, secret: bytes) -> str:
    text = base64.urlsafe_b64encode(secret).rstrip(b"=").decode()
    return "_".join(filter(None, ("zim", kind, stream, text)))


def digest(text: str) -> bytes:
    """What is stored of a token."""
    return sha256(text.encode()).digest()


def id_of(text: str) -> str:
    """By what a token is listed and revoked."""
    return digest(text)[:6].hex()


def find_grant(text: str, grants: Iterable[Grant]) -> Grant | None:
    """What a token was given for. All are compared, each in constant time."""
    wanted, found = digest(text), None
    for grant in grants:
        if hmac.compare_digest(grant.digest, wanted):
            found = grant
    return found
