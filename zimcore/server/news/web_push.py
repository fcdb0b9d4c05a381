"""Web Push: notices that a browser shows even while no page of the game is open.

A browser subscribes at the push service of its maker, and gives us the address (*endpoint*) there, with two keys. A
notice is encrypted for the browser (RFC 8291: the push service can't read it) and signed by this server (RFC 8292).

In other words: push notification, VAPID.
"""

from __future__ import annotations

import base64
import binascii
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from math import ceil
from pathlib import Path
from typing import Any, ClassVar, Literal
from urllib.parse import urlsplit

import httpx
import msgspec
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from py_vapid import Vapid02

from event_store.outputs import ExistingFileError, write_file
from zimcore.game import GameError
from zimcore.toolkit.deadline import result_within

BROWSER_SERVICES = (
    "fcm.googleapis.com",  # Chrome, Edge on Android, Opera, Brave
    ".push.services.mozilla.com",  # Firefox
    ".push.apple.com",  # Safari
    ".notify.windows.com",  # Edge
)
"""The push services of browsers: each a host name, or a suffix that begins with a dot.

Notices go only there and to the origins that the operator allows.
"""
TIMEOUT_SECONDS = 10.0
"""How long to wait for a push service to send something."""
MAX_ANSWER_SECONDS = 20.0
"""How long to wait for all of its answer."""
LIFETIME_SECONDS = 24 * 3600
"""Seconds that a push service keeps a notice for a browser that is off."""
RECORD_BYTES = 4096
"""The size of an encrypted record, as its header says; a notice is one record."""
MAX_TEXT_LENGTH = 1000
"""The most characters of the text of a notice."""
MAX_NOTICE_BYTES = 3993
"""The most bytes of a notice: with a header of 86, a tag of 16 and a final byte it fills one record (RFC 8291)."""

MAX_CHARACTER_BYTES = 6
"""The most bytes of a character in JSON: a control character is `\\u0001`."""

SendResult = Literal["sent", "gone", "failed"]


class PushSender(msgspec.Struct, frozen=True):
    """Sends notices by push services; `signer` holds the key of this server.

    `contact` is a `mailto:` or `https:` URL, where a push service can reach the operator of this server. The operator
    allows `allowed_origins` besides the push services of browsers, such as `https://push.example`.
    """

    signer: Any
    contact: str
    allowed_origins: Sequence[str] = ()
    fields: ClassVar[tuple[str, ...]] = ("endpoint", "key", "auth")
    """What a browser's subscription has: an address, its public key, and a secret that it shares with us."""

    @property
    def public_key(self) -> str:
        """The public key of this server, which a browser subscribes with."""
        return to_base64(point_of(self.signer.public_key))

    def send(self, values: Mapping[str, str], game: str, text: str) -> SendResult:
        """Sends a notice about a game to a subscription; "gone" if that has ended."""
        endpoint = values["endpoint"]
        notice = encode_notice(game, text)
        url_parts = urlsplit(endpoint)
        headers = {
            "Content-Encoding": "aes128gcm",
            "TTL": str(LIFETIME_SECONDS),
            "Urgency": "high",
            **self.signer.sign({"aud": f"{url_parts.scheme}://{url_parts.netloc}", "sub": self.contact}),
        }
        try:
            content = encrypt(notice, from_base64(values["key"]), from_base64(values["auth"]))
            status = result_within(MAX_ANSWER_SECONDS, lambda: post(endpoint, content, headers))
        except (httpx.HTTPError, ValueError, TimeoutError):
            return "failed"
        return "gone" if status in (404, 410) else "sent" if 200 <= status < 300 else "failed"

    def fault_of(self, values: Mapping[str, str]) -> str:
        """Why a subscription is not valid; "" if it is."""
        if not self.allows(values["endpoint"]):
            return "its endpoint is not at a push service that this server knows"
        try:
            load_point(from_base64(values["key"]))
            secret = from_base64(values["auth"])
        except ValueError:
            return "its keys are not those of a browser"
        return "" if len(secret) == 16 else "its secret must have 16 bytes"

    def allows(self, endpoint: str) -> bool:
        """Whether notices may be sent to an address: to HTTPS at a known push service, or where the operator says so.

        >>> sender = PushSender(None, "mailto:hanna@zim.example", ("http://127.0.0.1:9000",))
        >>> allowed_urls = "https://fcm.googleapis.com/fcm/send/x", "https://eu.notify.windows.com/w/?t=x", "http://127.0.0.1:9000/x"
        >>> all(map(sender.allows, allowed_urls))
        True
        >>> refused_urls = "http://fcm.googleapis.com/x", "https://fcm.googleapis.com.evil.example/x", "https://a@fcm.googleapis.com/x"
        >>> any(map(sender.allows, (*refused_urls, "https://fcm.googleapis.com:22/x", "https://10.0.0.1/x", "http://127.0.0.1:9001/x")))
        False
        """
        try:
            url_parts = urlsplit(endpoint)
            host, port = url_parts.hostname or "", url_parts.port
        except ValueError:
            return False
        if not endpoint.isascii() or not endpoint.isprintable() or url_parts.fragment or "@" in url_parts.netloc:
            return False
        if f"{url_parts.scheme}://{url_parts.netloc}" in self.allowed_origins:
            return True
        is_browser_service = any(
            host.endswith(service) if service[0] == "." else host == service for service in BROWSER_SERVICES
        )
        return url_parts.scheme == "https" and port in (None, 443) and is_browser_service


def post(endpoint: str, content: bytes, headers: Mapping[str, str]) -> int:
    """Sends a request, and returns the status. A redirect is not followed: it could lead into our network."""
    with httpx.stream("POST", endpoint, content=content, headers=headers, timeout=TIMEOUT_SECONDS) as response:
        return response.status_code


def encode_notice(game: str, text: str) -> bytes:
    """A notice as JSON, with as much of the text as fits: push services may refuse more than a record.

    >>> encode_notice("kilwa-7", "it is your turn")
    b'{"game":"kilwa-7","text":"it is your turn"}'
    """
    text = text[:MAX_TEXT_LENGTH]
    while True:
        notice = msgspec.json.encode({"game": game, "text": text})
        excess_bytes = len(notice) - MAX_NOTICE_BYTES
        if excess_bytes <= 0 or not text:
            return notice
        text = text[: -ceil(excess_bytes / MAX_CHARACTER_BYTES)]


def load_sender(path: Path, contact: str, allowed_origins: Sequence[str] = ()) -> PushSender:
    """The sender with the key in a file, which is created if it is missing. Raises `GameError`."""
    try:
        if not path.exists():
            create_key(path)
        signer = Vapid02.from_file(str(path))
        signer.sign({"aud": "https://push.example", "sub": contact})
    except Exception as error:  # the library raises many kinds
        why = "it has no key for Web Push" if path.exists() else str(error)
        raise GameError(f"{path} can't be read", why, [f"mv {path} {path}.old"]) from error
    return PushSender(signer, contact, allowed_origins)


def create_key(path: Path) -> None:
    """Creates a key file that only its user can read. If another process creates it first, that one stays."""
    signer = Vapid02()
    signer.generate_keys()
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    with suppress(ExistingFileError):
        write_file(path, [signer.private_pem()], access="secret")


def encrypt(
    notice: bytes,
    browser_key: bytes,
    secret: bytes,
    *,
    own_key: ec.EllipticCurvePrivateKey | None = None,
    salt: bytes = b"",
) -> bytes:
    """Encrypts a notice for a browser, by its public key and secret: a record of `aes128gcm` (RFC 8188, RFC 8291).

    Each notice has an `own_key` and a `salt` of its own; tests give them. Raises `ValueError` for a bad key.
    """
    own_key, salt = own_key or ec.generate_private_key(ec.SECP256R1()), salt or os.urandom(16)
    own_point = point_of(own_key.public_key())
    shared_secret = own_key.exchange(ec.ECDH(), load_point(browser_key))
    key_material = HKDF(SHA256(), 32, secret, b"WebPush: info\0" + browser_key + own_point).derive(shared_secret)
    key = HKDF(SHA256(), 16, salt, b"Content-Encoding: aes128gcm\0").derive(key_material)
    nonce = HKDF(SHA256(), 12, salt, b"Content-Encoding: nonce\0").derive(key_material)
    header = salt + RECORD_BYTES.to_bytes(4, "big") + bytes([len(own_point)]) + own_point
    return header + AESGCM(key).encrypt(nonce, notice + b"\2", None)  # 2 ends the last record


def load_point(point_bytes: bytes) -> ec.EllipticCurvePublicKey:
    """The public key of these bytes, a point of the curve P-256. Raises `ValueError`."""
    return ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point_bytes)


def point_of(key: ec.EllipticCurvePublicKey) -> bytes:
    """A public key as 65 bytes."""
    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def to_base64(content: bytes) -> str:
    """Bytes as base64 for URLs, without padding, as browsers have it."""
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def from_base64(text: str) -> bytes:
    """Decodes base64 for URLs without padding. Raises `ValueError`.

    >>> from_base64(to_base64(b"zim")), from_base64(to_base64(b"zi"))
    (b'zim', b'zi')
    """
    try:
        return base64.b64decode(text.encode("ascii") + b"=" * (-len(text) % 4), b"-_", validate=True)
    except binascii.Error as error:
        raise ValueError("not base64") from error
