"""Idempotency: a write with a command id is done once, and a retry with the same id gets the stored answer.

An id is unique within one line (for changes of names: within one game; for new games: within the store). It belongs to
one request of one person: a digest of the whole request is stored with it. You can't shorten an id as you can a digest.
Where the line is implied, a used id means the line that was current at its first use (`Queries.places_of_id`).

Every entry has an id. A write without a command id gets a random one, and no digest of its request.

In other words: deduplication, exactly once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from event_store import Entry, TakenError
from event_store.chain import digest_of_parts
from event_store.codec import encode
from zimcore.game import GameError

MAX_ID_CHARACTERS = 200
"""The most characters of an id."""


class RetriedId(str):
    """A command id that was used before: the request is answered as it was then, or refused, but never done."""

    __slots__ = ()


class IdempotencyKey(NamedTuple):
    """The command id of a write and the digest of its request; both are empty for a write without an id.

    `older_digests` are those that earlier versions of Zim stored for the same request. A key that `is_retry` must have
    been used before.
    """

    id: str = ""
    request_digest: bytes = b""
    older_digests: tuple[bytes, ...] = ()
    is_retry: bool = False


NO_KEY = IdempotencyKey()
"""No key: a repeated write is done again."""


def idempotency_key(
    command_id: str, *request_parts: object, older_parts: Sequence[Sequence[object]] = ()
) -> IdempotencyKey:
    """The idempotency key of a write; `request_parts` are values that MessagePack can encode.

    `older_parts` are those that earlier versions had for the same request. Raises `GameError` for an invalid id.
    """
    if not command_id:
        return NO_KEY
    if len(command_id) > MAX_ID_CHARACTERS or not command_id.isprintable():
        raise GameError(
            f"not a command id: {command_id[:MAX_ID_CHARACTERS]!r}",
            f"it is a text of up to {MAX_ID_CHARACTERS} characters on one line",
        )
    older_digests = tuple(digest_of_parts(encode(tuple(each))) for each in older_parts)
    request_digest = digest_of_parts(encode(request_parts))
    return IdempotencyKey(command_id, request_digest, older_digests, isinstance(command_id, RetriedId))


def check_same_write(entry: Entry | None, author: str, key: IdempotencyKey) -> None:
    """Checks the `entry` that was stored with the id of a key; None if there is none.

    Raises `TakenError` if the id was used by another author, or for another write.
    """
    if entry is None and not key.is_retry:
        return
    seal = entry.seal if entry else None
    if seal is None or (seal.id, seal.by) != (key.id, author) or not is_digest_of(key, seal.request):
        by = seal.by if seal else author
        why = f"{by} has done something{' else' * (by == author)} with it"
        hints = ("the same with a new id",)
        raise TakenError(f"the command id {key.id!r} is taken", why, hints, head=seal.digest.hex() if seal else "")


def is_digest_of(key: IdempotencyKey, digest: bytes) -> bool:
    """Whether a digest is that of the request of a key, as this version or an earlier one makes it."""
    return digest == key.request_digest or digest in key.older_digests
