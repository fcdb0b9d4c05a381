"""Asked for again: a request with an id is answered once, and who tries it again gets that answer.

An id is good for one line (where names are written, for one game; where games are begun, for the store) and for one
request of one person: with it goes a digest of all that was asked for. Ids are compared whole.
"""

from __future__ import annotations

from typing import NamedTuple

from event_store import Entry, TakenError
from event_store.chain import short_digest
from event_store.codec import encode
from zimcore.game import GameError

LONGEST = 200
"""Characters of an id."""


class Asked(NamedTuple):
    """The id of a request, and the digest of what it is about; both are empty where nobody would ask again."""

    id: str = ""
    request: bytes = b""


ONCE = Asked()
"""A request without an id: the same again is another one."""


def asked_for(command_id: str, *what: object) -> Asked:
    """A request with an id; what is asked for is anything that MessagePack can write. Raises `GameError`."""
    if not command_id:
        return ONCE
    if len(command_id) > LONGEST or not command_id.isprintable():
        raise GameError(
            f"no id: {command_id[:LONGEST]!r}", f"an id is a text of up to {LONGEST} characters on one line"
        )
    return Asked(command_id, short_digest(encode(what)))


def check_same(entry: Entry, by: str, asked: Asked) -> None:
    """Raises `TakenError` where an id was used by somebody else, or for something else."""
    seal = entry.seal
    if (seal.id, seal.by, seal.request) != (asked.id, by, asked.request):
        why = f"{seal.by} has asked for something{' else' * (seal.by == by)} with it"
        hints = ("the same with an id of its own",)
        raise TakenError(f"the command id {asked.id!r} is taken", why, hints, head=seal.digest.hex())
