"""Idempotency: a write with a command id is done once, and a retry with the same id gets the stored answer.

An id is unique within one line (for changes of names: within one game; for new games: within the store). It belongs to
one request of one person: a digest of the whole request is stored with it. You can't shorten an id as you can a digest.

Every entry has an id. A write without a command id gets a random one, and no digest of its request.

In other words: deduplication, exactly once.
"""

from __future__ import annotations

from typing import NamedTuple

from event_store import Entry, TakenError
from event_store.chain import digest_of_parts
from event_store.codec import encode
from zimcore.game import GameError

MAX_ID_CHARACTERS = 200
"""The most characters of an id."""


class IdempotencyKey(NamedTuple):
    """The command id of a write and the digest of its request; both are empty for a write without an id."""

    id: str = ""
    request_digest: bytes = b""


NO_KEY = IdempotencyKey()
"""No key: a repeated write is done again."""


def idempotency_key(command_id: str, *request_parts: object) -> IdempotencyKey:
    """The idempotency key of a write; `request_parts` are values that MessagePack can encode.

    Raises `GameError` for an invalid id.
    """
    if not command_id:
        return NO_KEY
    if len(command_id) > MAX_ID_CHARACTERS or not command_id.isprintable():
        raise GameError(
            f"not a command id: {command_id[:MAX_ID_CHARACTERS]!r}",
            f"it is a text of up to {MAX_ID_CHARACTERS} characters on one line",
        )
    return IdempotencyKey(command_id, digest_of_parts(encode(request_parts)))


def check_same_write(entry: Entry, author: str, key: IdempotencyKey) -> None:
    """Raises `TakenError` if an id was used by another author, or for another write."""
    seal = entry.seal
    if (seal.id, seal.by, seal.request) != (key.id, author, key.request_digest):
        why = f"{seal.by} has done something{' else' * (seal.by == author)} with it"
        hints = ("the same with a new id",)
        raise TakenError(f"the command id {key.id!r} is taken", why, hints, head=seal.digest.hex())
