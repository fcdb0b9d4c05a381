"""Signatures of players under a certificate: ed25519, by the library `cryptography`, which is an extra.

Signed is the digest of the last commit, and with it every byte before it; and the kind of game, the version of its
rules, who signs, and for which seat. Names of games and lines are not: they may change.
"""

from __future__ import annotations

import sys

import msgspec

from event_store.codec import encode
from zimcore.game import GameError
from zimcore.service.certificates import Certificate, Head, Signature

try:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
except ImportError as error:
    why, hints = "signatures need more than is installed", [f"{sys.executable} -m pip install 'zim[sign]'"]
    raise GameError("no signature can be made or checked", why, hints) from error

PURPOSE = b"zim certificate 1\n"


def new_key() -> bytes:
    """A new private key, as a file keeps it."""
    return Ed25519PrivateKey.generate().private_bytes_raw()


def public_key(key: bytes) -> str:
    """The public key of a private one, in hex. Raises `GameError` for what is no key."""
    return _private(key).public_key().public_bytes_raw().hex()


def signed(certificate: Certificate, key: bytes, by: str, seat: str = "") -> Certificate:
    """The certificate with one more signature; who signs again takes the place of the former."""
    text = _private(key).sign(_message(certificate.head, by, seat)).hex()
    others = tuple(each for each in certificate.signatures if (each.by, each.seat) != (by, seat))
    return msgspec.structs.replace(certificate, signatures=(*others, Signature(by, seat, public_key(key), text)))


def is_genuine(certificate: Certificate, signature: Signature) -> bool:
    """Whether the owner of the key has signed just this."""
    message = _message(certificate.head, signature.by, signature.seat)
    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(signature.key))
        key.verify(bytes.fromhex(signature.signature), message)
    except (InvalidSignature, ValueError):
        return False
    return True


def _message(head: Head, by: str, seat: str) -> bytes:
    return PURPOSE + encode((head.kind, head.rules, head.head, by, seat))


def _private(key: bytes) -> Ed25519PrivateKey:
    try:
        return Ed25519PrivateKey.from_private_bytes(key)
    except ValueError as error:
        raise GameError("this is no key", str(error), ["key"]) from error
