"""Copies of lines for clients: the stored entries, or redacted ones.

A client replays them with the same rules as the server, and so can answer questions about the past by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from zimcore.documents.listings import TagInfo
from zimcore.documents.positions import Answer, Document
from zimcore.documents.seats import Role, SeatInfo
from zimcore.game import Seat


class RedactedSeal(Document, frozen=True, omit_defaults=True):
    """What a server says of an entry that it has redacted: it can be checked only when all of it is shown.

    `digest` and `parent` (hex) name it and what it builds on; a `commit` ends in a state, other entries do not.
    """

    digest: str
    parent: str
    by: str
    at: datetime
    commit: bool = False


class EntryDocument(Document, frozen=True, omit_defaults=True):
    """An entry of a stream: topics and bytes (Base64) of its rows, the first of which has the revision `first`.

    Where it is whole its seal is the last row, with a digest of all of it. Else its events are `vouched` for.
    """

    stream: str
    first: int
    rows: tuple[tuple[str, bytes], ...]
    vouched: RedactedSeal | None = None


class BoundSeat(Document, frozen=True):
    """A seat whose commands are signed, its key, and up to which revision of each stream they need not be.

    A seat that has changed its key comes once for each, first to last, with what the key before (`signed`) and that one
    (`proof`) have signed (hex); both are empty for the first, and where the one before was lost.
    """

    seat: Seat
    key: str
    since: Mapping[str, int]
    signed: str = ""
    proof: str = ""


class DealDocument(Document, frozen=True):
    """A fair deal: what is played, what was published when the table opened (`commit`), the share of each seat.

    The `secret` is shown once nothing is hidden; all in hex.
    """

    kind: str
    options: Mapping[str, str]
    seats: tuple[Seat, ...]
    commit: str
    shares: Mapping[Seat, str]
    secret: str = ""


class NamedLine(Document, frozen=True):
    """A line that the client may see, its stream, and whether it began as a seat's own (then it is not signed)."""

    name: str
    stream: str
    own: bool = False


class DiscussionCopy(Document, frozen=True, omit_defaults=True):
    """What was said and asked for around a game: the stream, the revision at which it stands, what is new there."""

    stream: str
    revision: int
    entries: tuple[EntryDocument, ...] = ()


class CopyAnswer(Answer, frozen=True, kw_only=True, omit_defaults=True):
    """A line from a revision on: what its client does not have yet, and how the game is seen by who asks.

    `kind` is what is played, `role`, `seat` and `by` say who asks. Of the line there is its `stream`, the `revision` at
    which it stands, and the digest that its entry `before` the first of these has (hex; "" where none ends there). With
    nothing asked for before, a fork comes with the commits on the way to where it began. `more` follow where there are
    too many. It is `whole` where nothing is hidden, or not any more. What was said around the game is `heard`, what
    one has said to oneself is `noted`.
    """

    game: str
    kind: str
    begun: datetime
    role: Role
    seat: Seat = ""
    by: str = ""
    host: str = ""
    public: bool = False
    seats: tuple[SeatInfo, ...] = ()
    bound: tuple[BoundSeat, ...] = ()
    recorded: Mapping[str, str] = {}
    deal: DealDocument | None = None
    lines: tuple[NamedLine, ...]
    tags: tuple[TagInfo, ...] = ()
    line: str
    stream: str
    revision: int
    before: str = ""
    whole: bool = True
    more: bool = False
    entries: tuple[EntryDocument, ...] = ()
    heard: DiscussionCopy | None = None
    noted: DiscussionCopy | None = None
