"""Seats that are bound to keys: with which one each signs, and which it had before.

A seat changes its key by an event that both keys have signed: the one that it had, which says that it may, and the new
one, which shows that somebody has it. Where the old one is lost the seat is bound anew without it. That proves less,
and `verify` says so.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

from event_store.codec import encode
from zimcore.game import Event, GameError, Seat, UnknownError

PURPOSE = b"zim key 1\n"

Signer: TypeAlias = Callable[[str, str, bytes], bytes]
"""Signs a message: who gives the command, the public key that is wanted (hex), and the message. Raises if it can't."""


class SeatBound(Event, frozen=True, tag="seat_bound.1"):
    """From here on each command of a seat is signed with a key (public, hex).

    `since` are the revisions at which the lines of the game stood, by stream: commands up to there need no signature.
    """

    seat: str
    key: str
    since: dict[str, int]


class KeyChanged(Event, frozen=True, tag="key_changed.1"):
    """From here on a seat signs with another key (public, hex); `since` as in `SeatBound`.

    `signed` was made by the key that it had, `proof` by the new one, both over the same message. Where that key is lost
    both are empty: the seat was bound anew by the author of the event.
    """

    seat: str
    key: str
    since: dict[str, int]
    signed: bytes = b""
    proof: bytes = b""


Binding: TypeAlias = SeatBound | KeyChanged
Bindings: TypeAlias = Mapping[Seat, Sequence[Binding]]
"""The keys of seats, first to last."""


def message(game: bytes, seat: Seat, before: Sequence[Binding], key: str) -> bytes:
    """What is signed where a seat changes its key: it holds in that game, for that seat, after those keys, and once.

    `game` is the digest of its first commit. How many keys there were before is in it: of keys that come and go no
    change can be shown again.
    """
    return PURPOSE + encode((game, seat, len(before), before[-1].key, key))


def change_key(
    game: bytes, seat: Seat, before: Sequence[Binding], key: str, by: str, signer: Signer | None, *, lost: bool
) -> KeyChanged:
    """The change of a key, before it is known since when. Raises `GameError` where one of both keys does not sign."""
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
    asked = message(game, seat, before, key)
    proofs = [_signature_of(by, each, asked, signer) for each in (old, key)]
    if not proofs[0]:
        raise GameError(
            f"{seat} has a key already", f"{old[:16]} must sign for another, and has not signed this one", hints
        )
    if not proofs[1]:
        raise GameError(f"{key[:16]} is not here", "the new key must sign too", hints)
    return KeyChanged(seat, key, {}, *proofs)


def _signature_of(by: str, key: str, asked: bytes, signer: Signer) -> bytes:
    """The signature of a message; empty where it is not that key's."""
    signed = signer(by, key, asked)
    return signed if _is_by(key, signed, asked) else b""


def _is_by(key: str, signed: bytes, asked: bytes) -> bool:
    from zimcore.service.ed25519 import is_signature  # loads a library that few games need

    try:
        return is_signature(bytes.fromhex(key), signed, asked)
    except ValueError:  # the key is no hex
        return False


def key_fault(bindings: Bindings, game: bytes) -> str:
    """What is wrong with the changes of keys in a game; "" if nothing is."""
    for seat, each in bindings.items():
        for number, binding in enumerate(each):
            if not isinstance(binding, KeyChanged) or not (binding.signed or binding.proof):
                continue
            old, asked = each[number - 1].key, message(game, seat, each[:number], binding.key)
            if not _is_by(old, binding.signed, asked):
                return f"{seat}'s key {old[:16]} has not signed for {binding.key[:16]}"
            if not _is_by(binding.key, binding.proof, asked):
                return f"the key {binding.key[:16]} has not signed for {seat}"
    return ""


def is_lost(binding: Binding) -> bool:
    """Whether a key took the place of another without its signature."""
    return isinstance(binding, KeyChanged) and not binding.signed


def rebound_seats(bindings: Bindings) -> Iterator[str]:
    """What is less proven: the seats that were bound anew."""
    for seat, each in bindings.items():
        for old, new in pairwise(each):
            if is_lost(new):
                yield (
                    f"{seat} was bound anew: the key {old.key[:16]} has not signed for {new.key[:16]}, "
                    "so the keeper of the store may have put it there"
                )


def former_key(bindings: Bindings, seat: Seat, key: str) -> str:
    """The key of a seat that has signed for another; "" where there is none."""
    each = bindings.get(seat, ())
    signed = (old.key for old, new in pairwise(each) if new.key == key and not is_lost(new))
    return next(signed, "")


def continues(ours: Sequence[Binding], theirs: Sequence[Binding]) -> bool:
    """Whether the keys of a seat elsewhere are those that it has here, and others after them only by signatures."""
    return [*theirs[: len(ours)]] == [*ours] and not any(map(is_lost, theirs[len(ours) :]))
