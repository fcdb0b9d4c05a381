"""The errors of a store: each says what is wrong, why, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence


class EventStoreError(Exception):
    """The base class: `what` is wrong, `why`, and `hints` on what to do next."""

    def __init__(self, what: str, why: str = "", hints: Sequence[str] = ()) -> None:
        super().__init__(what, why, tuple(hints))
        self.what = what
        self.why = why
        self.hints = tuple(hints)

    def __str__(self) -> str:
        return f"{self.what}: {self.why}" if self.why else self.what


class StoreError(EventStoreError):
    """The store can't be read or written: a missing folder, a lock, a full disk, a file that is not a store."""


class DiskFullError(StoreError):
    """There is no space left where the store, or a file, is written. Nothing was lost."""


class NewerError(StoreError):
    """A newer version of Zim wrote it: this one would misread it."""


class DamagedError(StoreError):
    """The stored data makes no sense: a gap, an entry without its seal, bytes that can't be decoded.

    `stream` and `revision` say where, if that is known.
    """

    def __init__(
        self, what: str, why: str = "", hints: Sequence[str] = (), *, stream: str = "", revision: int | None = None
    ) -> None:
        super().__init__(what, why, hints)
        self.stream = stream
        self.revision = revision


class AlteredError(DamagedError):
    """The stored data can be decoded, but it is not what was appended: a digest does not match."""


class ConflictError(EventStoreError):
    """Another writer was faster: the stream has moved on. `head` is the digest (hex) of its last entry."""

    def __init__(self, what: str, why: str = "", hints: Sequence[str] = (), *, head: str = "") -> None:
        super().__init__(what, why, hints)
        self.head = head


class TakenError(ConflictError):
    """The command id belongs to another command, or to another author. `head` is the digest (hex) of the entry
    that was stored with this id.
    """


def damaged_error(stream: str, revision: int, why: str, hints: Sequence[str] = ()) -> DamagedError:
    """The error for a row that makes no sense.

    >>> raise damaged_error("5f3a", 7, "the row is missing")
    Traceback (most recent call last):
    event_store.errors.DamagedError: stream 5f3a is damaged at revision 7: the row is missing
    """
    what = f"stream {stream} is damaged at revision {revision}"
    return DamagedError(what, why, hints, stream=stream, revision=revision)
