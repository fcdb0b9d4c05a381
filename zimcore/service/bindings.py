"""The keys that seats are bound to: which key each seat signs with, and which keys it had before.

A seat changes its key by an event that both keys have signed: the old one to permit the change, the new one to show
that its private key exists. If the old key is lost, the seat is bound to a new key without its signature. That proves
less, and `verify` says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

from event_store.codec import encode
from zimcore.game import Event, GameError, Seat, UnknownError

PURPOSE = b"zim key 1\n"

Signer: TypeAlias = Callable[[str, str, bytes], bytes]
"""Signs a message: takes the author, the required public key (hex) and the message. Raises an error if it can't."""


class SeatBound(Event, frozen=True, tag="seat_bound.1"):
    """From here on each command of a seat is signed with this key (public, hex).

    `since` has the last revision of each line of the game, by stream: commands up to there need no signature.
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


def message(game: bytes, seat: Seat, before: Sequence[Binding], key: str) -> bytes:
    """The message that both keys sign: valid once, in this game, for this seat, after these keys.

    `game` is the digest of the game's first commit. The message has the number of keys before, so that a signature
    can't be used again if a seat returns to an old key.
    """
    return PURPOSE + encode((game, seat, len(before), before[-1].key, key))


def change_key(
    game: bytes, seat: Seat, before: Sequence[Binding], key: str, by: str, signer: Signer | None, *, lost: bool
) -> KeyChanged:
    """The change of a key, with `since` still empty. Raises `GameError` if the old or the new key does not sign."""
    old = before[-1].key
    if old == key:
        raise UnknownError(f"{seat} has that key already", "", ["seats"])
    if lost:
        return KeyChanged(seat, key, {})
    hints = ["key list", f"seat PLACE {seat} KEY --lost"]
    if signer is None:
        raise GameError(
            f"{seat} has a key already", f"{old[:16]} must sign for another, and is not on this machine", hints
        )
    to_sign = message(game, seat, before, key)
    proofs = [_signature_of(by, each, to_sign, signer) for each in (old, key)]
    if not proofs[0]:
        raise GameError(
            f"{seat} has a key already", f"{old[:16]} must sign for another, and has not signed this one", hints
        )
    if not proofs[1]:
        raise GameError(f"{key[:16]} is not here", "the new key must sign too", hints)
    return KeyChanged(seat, key, {}, *proofs)


def _signature_of(by: str, key: str, signed_text: bytes, signer: Signer) -> bytes:
    """Has a message signed; empty if the signature is not of this key."""
    signature = signer(by, key, signed_text)
    return signature if _is_by(key, signature, signed_text) else b""


def _is_by(key: str, signature: bytes, signed_text: bytes) -> bool:
    from zimcore.service.ed25519 import is_signature  # loads a library that few games need

    try:
        return is_signature(bytes.fromhex(key), signature, signed_text)
    except ValueError:  # the key is not hex
        return False


def key_fault(bindings: Bindings, game: bytes) -> str:
    """The first change of a key that lacks a valid signature, in words; "" if there is none."""
    for seat, history in bindings.items():
        for number, binding in enumerate(history):
            if not isinstance(binding, KeyChanged) or not (binding.signed or binding.proof):
                continue
            old, to_sign = history[number - 1].key, message(game, seat, history[:number], binding.key)
            if not _is_by(old, binding.signed, to_sign):
                return f"{seat}'s key {old[:16]} has not signed for {binding.key[:16]}"
            if not _is_by(binding.key, binding.proof, to_sign):
                return f"the key {binding.key[:16]} has not signed for {seat}"
    return ""


def is_lost(binding: Binding) -> bool:
    """Whether a key replaced another without the old key's signature."""
    return isinstance(binding, KeyChanged) and not binding.signed


def rebound_seats(bindings: Bindings) -> Iterator[str]:
    """Warnings, in words, about seats whose key was replaced without the old key's signature."""
    for seat, history in bindings.items():
        for old, new in pairwise(history):
            if is_lost(new):
                yield (
                    f"{seat} was bound anew: the key {old.key[:16]} has not signed for {new.key[:16]}, "
                    "so the keeper of the store may have put it there"
                )


def former_key(bindings: Bindings, seat: Seat, key: str) -> str:
    """The key of a seat that signed for the change to `key`; "" if there is none."""
    history = bindings.get(seat, ())
    old_keys = (old.key for old, new in pairwise(history) if new.key == key and not is_lost(new))
    return next(old_keys, "")


def continues(own_bindings: Sequence[Binding], other_bindings: Sequence[Binding]) -> bool:
    """Whether `other_bindings` start with our keys of the seat, and every later change is signed by the old key."""
    return [*other_bindings[: len(own_bindings)]] == [*own_bindings] and not any(
        map(is_lost, other_bindings[len(own_bindings) :])
    )
