"""Signatures of players under a certificate: ed25519, by the library `cryptography`, which is an extra.

A signature covers the digest of the last commit, and so every byte before it; the kind of game, the version of its
rules, the names of game and line, the keys of seats, who signs, and for which seat. Under a certificate of the first
form it covers no names and no keys.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from event_store.codec import encode
from zimcore.game import GameError
from zimcore.service.certificates import UNSEALED, Certificate, Header, Signature
from zimcore.service.witness import Signed, Witness

try:
    from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
except ImportError as error:
    why, hints = "signatures need more than is installed", ["pip install 'zim[sign]'"]
    raise GameError("no signature can be made or checked", why, hints) from error

PrivateKey: TypeAlias = Ed25519PrivateKey

PURPOSE, UNNAMED = b"zim certificate 2\n", b"zim certificate 1\n"
WITNESS = b"zim witness 1\n"


def new_key() -> PrivateKey:
    """A new private key."""
    return Ed25519PrivateKey.generate()


def key_to_bytes(key: PrivateKey, passphrase: str = "") -> bytes:
    """A private key as a file keeps it: PKCS 8 in PEM, encrypted if there is a passphrase.

    The library stretches that by 2,048 rounds of PBKDF2: enough for a passphrase that nobody guesses, not for a word.
    """
    encryption: serialization.KeySerializationEncryption = serialization.NoEncryption()
    if passphrase:
        encryption = serialization.BestAvailableEncryption(passphrase.encode())
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, encryption)


def key_from_bytes(data: bytes, passphrase: str = "") -> PrivateKey:
    """The private key in the bytes of a file; early versions wrote it as 64 hex digits.

    The passphrase is ignored unless the key is encrypted. Raises `ValueError` if it is wrong, or if this is not a key.
    """
    if b"-----BEGIN" not in data:
        return Ed25519PrivateKey.from_private_bytes(bytes.fromhex(data.decode("ascii")))
    encrypted = is_encrypted(data)
    if encrypted and not passphrase:
        raise ValueError("this key has a passphrase")
    try:
        key = serialization.load_pem_private_key(data, passphrase.encode() if encrypted else None)
    except UnsupportedAlgorithm as error:
        raise ValueError(str(error)) from error
    if not isinstance(key, Ed25519PrivateKey):
        raise ValueError("this is a key of another kind than ed25519")
    return key


def is_encrypted(data: bytes) -> bool:
    """Whether a passphrase is needed to read a key."""
    return b"-----BEGIN ENCRYPTED PRIVATE KEY-----" in data


def public_key(key: PrivateKey) -> str:
    """The public key of a private one, in hex."""
    return key.public_key().public_bytes_raw().hex()


def signed(certificate: Certificate, key: PrivateKey, by: str, seat: str = "") -> Certificate:
    """The certificate with one more signature, which replaces an earlier one of the same player and seat."""
    text = key.sign(_message(certificate.head, by, seat)).hex()
    others = tuple(each for each in certificate.signatures if (each.by, each.seat) != (by, seat))
    return msgspec.structs.replace(certificate, signatures=(*others, Signature(by, seat, public_key(key), text)))


def witnessed(witness: Witness, key: PrivateKey, by: str) -> Witness:
    """The witness with a signature."""
    text = key.sign(WITNESS + encode((witness.foot.digest, by))).hex()
    return msgspec.structs.replace(witness, signed=Signed(by, public_key(key), text))


def is_genuine(certificate: Certificate, signature: Signature) -> bool:
    """Whether the signature is valid: made with the key that it names, for this certificate, player and seat."""
    message = _message(certificate.head, signature.by, signature.seat)
    return _is_by(signature.key, signature.signature, message)


def vouches(witness: Witness, signed: Signed) -> bool:
    """Whether the signature is valid: made with the key that it names, for this witness and name."""
    return _is_by(signed.key, signed.signature, WITNESS + encode((witness.foot.digest, signed.by)))


def _is_by(key: str, signature: str, message: bytes) -> bool:
    try:
        return is_signature(bytes.fromhex(key), bytes.fromhex(signature), message)
    except ValueError:  # they are no hex
        return False


def is_signature(key: bytes, signature: bytes, message: bytes) -> bool:
    """Whether a signature of a message was made with the private half of a public key."""
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def _message(head: Header, by: str, seat: str) -> bytes:
    if head.zim == UNSEALED:
        return UNNAMED + encode((head.kind, head.rules, head.head, by, seat))
    return PURPOSE + encode((head, by, seat))
