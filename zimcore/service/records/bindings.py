"""The keys that seats are bound to: which key each seat signs with, and which keys it had before.

A seat changes its key by an event that both keys have signed: the old one to permit the change, the new one to show
that its private key exists. If the old key is lost, the seat is bound to a new key without the old key's signature.
That proves less, and `verify` says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

from event_store.codec import encode
from zimcore.game import Event, GameError, Seat, UnknownError
from zimcore.service.records.public_keys import check_public_key

KEY_MESSAGE_PREFIX = b"zim key 1\n"

Signer: TypeAlias = Callable[[str, str, bytes], bytes]
"""Signs a message: takes the author, the required public key (hex) and the message. Raises an error if it can't."""


class SeatBound(Event, frozen=True, tag="seat_bound.1"):
    """From here on each command of a seat is signed with this key (public, hex).

    `since` has the last revision of each line of the game, by stream: up to and including it, no signature is needed.
    """

    seat: str
    key: str
    since: dict[str, int]


class KeyChanged(Event, frozen=True, tag="key_changed.1"):
    """From here on a seat signs with another key (public, hex); `since` is as in `SeatBound`.

    `signed` is the signature of the old key and `proof` that of the new one, over the same message. If the old key was
    lost both are empty, and only the author of the event vouches for the new key.
    """

    seat: str
    key: str
    since: dict[str, int]
    signed: bytes = b""
    proof: bytes = b""


Binding: TypeAlias = SeatBound | KeyChanged
Bindings: TypeAlias = Mapping[Seat, Sequence[Binding]]
"""The keys of each seat, oldest first."""


def key_change_message(game_digest: bytes, seat: Seat, earlier_bindings: Sequence[Binding], key: str) -> bytes:
    """The message that both keys sign: valid once, in this game, for this seat, after these keys.

    `game_digest` is that of the game's first commit. The message says how many keys the seat has had, so
    that a signature can't be used again if a seat returns to an old key.
    """
    return KEY_MESSAGE_PREFIX + encode((game_digest, seat, len(earlier_bindings), earlier_bindings[-1].key, key))


def sign_key_change(
    game_digest: bytes,
    seat: Seat,
    earlier_bindings: Sequence[Binding],
    key: str,
    author: str,
    signer: Signer | None,
    *,
    is_old_key_lost: bool,
) -> KeyChanged:
    """Asks `signer` for both signatures of a change of key. The caller fills in `since`.

    Raises `GameError` if a signature is missing.
    """
    old_key = earlier_bindings[-1].key
    if old_key == key:
        raise UnknownError(f"{seat} has that key already", "", ["seats"])
    if is_old_key_lost:
        return KeyChanged(seat, key, {})
    hints = ["key list", f"seat PLACE {seat} KEY --lost"]
    if signer is None:
        raise GameError(
            f"{seat} has a key already", f"{old_key[:16]} must sign the new one, but it is not on this machine", hints
        )
    message = key_change_message(game_digest, seat, earlier_bindings, key)
    signatures = [_sign(author, each, message, signer) for each in (old_key, key)]
    if not signatures[0]:
        raise GameError(f"{seat} has a key already", f"{old_key[:16]} must sign the new one, and has not", hints)
    if not signatures[1]:
        raise GameError(f"{key[:16]} has not signed", "the new key must sign too", hints)
    return KeyChanged(seat, key, {}, *signatures)


def _sign(author: str, key: str, message: bytes, signer: Signer) -> bytes:
    """The signature of a message; empty if another key made it."""
    signature = signer(author, key, message)
    return signature if _is_signed_by(key, signature, message) else b""


def _is_signed_by(key: str, signature: bytes, message: bytes) -> bool:
    from zimcore.service.records.ed25519 import is_signature  # loads a library that few games need

    try:
        return is_signature(bytes.fromhex(key), signature, message)
    except ValueError:  # the key is not hex
        return False


def key_change_fault(bindings: Bindings, game_digest: bytes) -> str:
    """The first weak key, or change of a key that lacks a valid signature, in words; "" if there is none."""
    for seat, seat_bindings in bindings.items():
        for number, binding in enumerate(seat_bindings):
            try:
                check_public_key(binding.key)
            except GameError as error:
                return f"{seat}: {error}"
            if not isinstance(binding, KeyChanged) or not (binding.signed or binding.proof):
                continue
            old_key = seat_bindings[number - 1].key
            message = key_change_message(game_digest, seat, seat_bindings[:number], binding.key)
            if not _is_signed_by(old_key, binding.signed, message):
                return f"{seat}'s key {old_key[:16]} has not signed for {binding.key[:16]}"
            if not _is_signed_by(binding.key, binding.proof, message):
                return f"the key {binding.key[:16]} has not signed for {seat}"
    return ""


def replaces_lost_key(binding: Binding) -> bool:
    """Whether a key replaced another without the old key's signature."""
    return isinstance(binding, KeyChanged) and not binding.signed


def rebinding_warnings(bindings: Bindings) -> Iterator[str]:
    """Warnings, in words, about seats whose key was replaced without the old key's signature."""
    for seat, seat_bindings in bindings.items():
        for old_binding, new_binding in pairwise(seat_bindings):
            if replaces_lost_key(new_binding):
                yield (
                    f"{seat} was bound anew: the key {old_binding.key[:16]} has not signed for {new_binding.key[:16]}, "
                    "so someone who can write to the store may have put the new key there"
                )


def former_key(bindings: Bindings, seat: Seat, key: str) -> str:
    """The key of a seat that signed for the change to `key`; "" if there is none."""
    seat_bindings = bindings.get(seat, ())
    old_keys = (
        old_binding.key
        for old_binding, new_binding in pairwise(seat_bindings)
        if new_binding.key == key and not replaces_lost_key(new_binding)
    )
    return next(old_keys, "")


def is_signed_continuation(earlier_bindings: Sequence[Binding], later_bindings: Sequence[Binding]) -> bool:
    """Whether `later_bindings` start with all earlier ones, and the old key has signed each change after them."""
    return [*later_bindings[: len(earlier_bindings)]] == [*earlier_bindings] and not any(
        map(replaces_lost_key, later_bindings[len(earlier_bindings) :])
    )
