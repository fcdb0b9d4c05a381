"""Public keys: 64 hex digits of Ed25519, a point of small order or in another spelling excepted.

Under a key of small order, signatures of any message can be made without a private key. A point has one canonical
encoding; another one would be the same key under another name.

>>> check_public_key("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a")[:8]
'd75a9801'
>>> check_public_key("01" + "00" * 31)
Traceback (most recent call last):
zimcore.game.GameError: 0100000000000000 is a weak key: anybody can sign with it
"""

from __future__ import annotations

import re

from zimcore.game import GameError

PUBLIC_KEY_PATTERN = re.compile("[0-9a-f]{64}")
"""Matches a public key: 64 hex digits."""
FIELD_PRIME = 2**255 - 19
SIGN_BIT = 1 << 255
Y_OF_ORDER_8 = 0x7A03AC9277FDC74EC6CC392CFA53202A0F67100D760B3CBA4FD84D3D706A17C7
SMALL_ORDER_YS = frozenset({0, 1, FIELD_PRIME - 1, Y_OF_ORDER_8, FIELD_PRIME - Y_OF_ORDER_8})
"""The y-coordinates of the eight points of small order: of order 4, 1, 2, 8 and 8."""


def is_weak(key: bytes) -> bool:
    """Whether a public key is a point of small order, or an encoding that is not canonical (RFC 8032, 5.1.3)."""
    y = int.from_bytes(key, "little") & (SIGN_BIT - 1)
    return y >= FIELD_PRIME or y in SMALL_ORDER_YS


def check_public_key(key: str) -> str:
    """Returns the key. Raises `GameError` if it is not 64 hex digits, or weak."""
    if not PUBLIC_KEY_PATTERN.fullmatch(key):
        raise GameError(f"not a key: {key!r}", "a public key has 64 hex digits, as `key` shows it", ["key"])
    if is_weak(bytes.fromhex(key)):
        raise GameError(f"{key[:16]} is a weak key", "anybody can sign with it", ["key"])
    return key
