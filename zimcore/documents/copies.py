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
    """What a server says about an entry that it redacted. Such an entry can be verified only once all of it is shown.

    `digest` and `parent` (hex) identify the entry and the one that it builds on. A `commit` has a state, other entries
    have none.
    """

    digest: str
    parent: str
    by: str
    at: datetime
    commit: bool = False


class EntryDocument(Document, frozen=True, omit_defaults=True):
    """An entry of a stream: the topics and bytes (Base64) of its rows. The first row has the revision `first`.

    The last row of a complete entry is its seal, with a digest of all rows. A redacted entry has `vouched` instead: the
    server's word for it.
    """

    stream: str
    first: int
    rows: tuple[tuple[str, bytes], ...]
    vouched: RedactedSeal | None = None


class BoundSeat(Document, frozen=True):
    """A seat with signed commands, its key, and the revision of each stream up to which signatures are optional.

    A seat that changed its key has a row for each key, oldest first, with the signatures (hex) by the key before
    (`signed`) and by the new key (`proof`). Both are empty for the first key, and if the key before was lost.
    """

    seat: Seat
    key: str
    since: Mapping[str, int]
    signed: str = ""
    proof: str = ""


class DealDocument(Document, frozen=True):
    """A fair deal: the game and its options, the published commitment (`commit`), and the share of each seat, in hex.

    The `secret` is shown once nothing is hidden any more.
    """

    kind: str
    options: Mapping[str, str]
    seats: tuple[Seat, ...]
    commit: str
    shares: Mapping[Seat, str]
    secret: str = ""


class NamedLine(Document, frozen=True):
    """A line that the client may see: its name, its stream, and whether it began as one seat's `own` (unsigned)."""

    name: str
    stream: str
    own: bool = False


class DiscussionCopy(Document, frozen=True, omit_defaults=True):
    """The discussion of a game: its stream, its current revision, and the new entries."""

    stream: str
    revision: int
    entries: tuple[EntryDocument, ...] = ()


class CopyAnswer(Answer, frozen=True, kw_only=True, omit_defaults=True):
    """A line after a revision: the entries that the client lacks, and the game as this client sees it.

    `kind` is the game; `role`, `seat` and `by` describe the client. `stream` is where the line is stored, `revision`
    its last revision; `before` is the digest (hex) of the entry before the first of these, "" if there is none. The
    first copy of a fork includes the commits up to where it began. If there are too many entries, `more` follow.
    `whole` says that nothing is hidden, or no longer. `heard` is the discussion around the game, `noted` the client's
    private notes.
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
