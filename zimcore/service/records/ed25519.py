"""Ed25519 keys and signatures, by the library `cryptography`, which is an optional extra.

Importing this module raises `GameError` if the library is not installed.
"""

from __future__ import annotations

from typing import TypeAlias

from zimcore.game import GameError
from zimcore.service.records.public_keys import is_weak

try:
    from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
except ImportError as error:
    from event_store.extras import import_failure

    raise GameError("no signature can be made or checked", *import_failure("sign", error)) from error

PrivateKey: TypeAlias = Ed25519PrivateKey


def new_key() -> PrivateKey:
    """A new private key."""
    return Ed25519PrivateKey.generate()


def key_to_bytes(key: PrivateKey, passphrase: str = "") -> bytes:
    """A private key as it is stored in a file: PKCS #8 in PEM, encrypted if there is a passphrase.

    The library derives the encryption key by 2,048 rounds of PBKDF2: enough for a passphrase that is hard to guess, not
    for a single word.
    """
    encryption: serialization.KeySerializationEncryption = serialization.NoEncryption()
    if passphrase:
        encryption = serialization.BestAvailableEncryption(passphrase.encode())
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, encryption)


def key_from_bytes(file_bytes: bytes, passphrase: str = "") -> PrivateKey:
    """Reads a private key from the bytes of a file: PEM, or the 64 hex digits that early versions wrote.

    The passphrase is ignored unless the key is encrypted. Raises `ValueError` for a wrong passphrase or no valid key.
    """
    if b"-----BEGIN" not in file_bytes:
        return Ed25519PrivateKey.from_private_bytes(bytes.fromhex(file_bytes.decode("ascii")))
    needs_passphrase = is_encrypted(file_bytes)
    if needs_passphrase and not passphrase:
        raise ValueError("this key has a passphrase")
    try:
        key = serialization.load_pem_private_key(file_bytes, passphrase.encode() if needs_passphrase else None)
    except UnsupportedAlgorithm as error:
        raise ValueError(str(error)) from error
    if not isinstance(key, Ed25519PrivateKey):
        raise ValueError("not an ed25519 key")
    return key


def is_encrypted(file_bytes: bytes) -> bool:
    """Whether reading a key needs a passphrase."""
    return b"-----BEGIN ENCRYPTED PRIVATE KEY-----" in file_bytes


def public_key(key: PrivateKey) -> str:
    """The public key of a private one, in hex."""
    return key.public_key().public_bytes_raw().hex()


def is_signature(public_key_bytes: bytes, signature: bytes, message: bytes) -> bool:
    """Whether a signature of a message was made with the private half of a public key. A weak key has none."""
    if is_weak(public_key_bytes):  # the library would accept it
        return False
    try:
        Ed25519PublicKey.from_public_bytes(public_key_bytes).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True
