"""Items of lists: games, lines, operations on them, and the results of an audit."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

import msgspec

from zimcore.documents.positions import Document
from zimcore.game import Seat


class GameInfo(Document, frozen=True):
    """A game as it is listed, at the head of the line it began with; `status` says so if it can't be read.

    If `damaged`, it can't be read because the store is damaged, and its numbers have no meaning.
    """

    name: str
    kind: str
    seats: tuple[Seat, ...]
    line: str
    lines: int
    head: int
    status: str
    begun: datetime
    played: datetime
    archived: bool = False
    damaged: bool = False


class LineInfo(Document, frozen=True):
    """A line as it is listed: its name, where its head is, and the line and commit that it was forked from.

    That is the line on which the commit was made: a fork at a move of its parent's past begins at the grandparent.
    `recorded` is as in `Audit`, `damaged` as in `GameInfo`.
    """

    name: str
    head: int
    digest: str
    status: str
    current: bool = False
    parent: str = ""
    forked_at: int | None = None
    recorded: str = ""
    damaged: bool = False


class PositionNote(Document, frozen=True):
    """What happened around a game at a position (its digest; "" before the deal), in words."""

    about: str
    text: str


class TagInfo(Document, frozen=True):
    """A name for a position, the line and commit that it names, and who gave it.

    If the line has lost its name and no other has the commit, `line` is empty and there is no `number`.
    """

    name: str
    line: str
    number: int | None
    digest: str
    by: str
    at: datetime


class Operation(Document, frozen=True):
    """A change of a line's head, or of the names of a game: the author, the time, and where from and where to.

    `what` is `play`, `move` or `fork` for a head; `name`, `switch`, `rename` or `forget` for a line's name; `tag` or
    `untag` for a position; `seat` for a seat that got a key, `bot` for one that a program plays; `archive`, `delete` or
    `restore` for the game; `host`, `offer`, `take`, `leave`, `token` or `revoke` for members; `request`, `accept`,
    `decline`, `withdraw` and `grant` for a takeback; `open`, `share` and `deal` for a fair deal. `id` is the digest of
    the entry; operations of one append share it. `source` and `target` are positions such as `@3`, names, or a seat and
    the beginning of its key. For a head, `before` and `after` are digests of commits.
    """

    id: str
    what: str
    source: str
    target: str
    by: str
    at: datetime
    before: str = ""
    after: str = ""


class Fault(Document, frozen=True, omit_defaults=True):
    """The first fault that `verify` found, and its place.

    Its `kind` is `altered`, `forged`, `rules changed` or `damaged`; `unfinished` if an import or salvage was stopped.

    If the rules have changed, `commits` has the first commit that differs on each branch (its digest), and the
    difference.
    """

    kind: str
    where: str
    what: str
    commits: Mapping[str, str] = msgspec.field(default_factory=dict)


class Signer(Document, frozen=True):
    """Who has signed commands of a seat, by the name they typed under, and with which key (public, hex).

    `former` is the key that the seat had before, and that has signed for this one.
    """

    by: str
    seat: Seat
    key: str
    former: str = ""


class Audit(Document, frozen=True):
    """The result of `verify`: how many commits and events it checked, the digest of the head, and the fault, if any.

    A line without a name has its last name, and a deleted game is called `nim (deleted)`; `game` and `line` are empty
    if no name is known. `stream` is where the line is stored. `recorded` is the time since which it has an imported
    commit that the rules of that day would not have given.

    `signers` have valid signatures; `unproven` says what is not proven. `sealed` is `with place` if each
    entry is bound to its line, `without place` if an older Zim sealed it; a certificate may be `with place from @3 on`.
    `deal` is `proven` if the seed of a served game came from all players, `unproven` if its host could choose it.
    `shared_commits` and `shared_events` are counted on a line before, too, as the answer lists several lines.
    """

    game: str
    line: str
    commits: int
    events: int
    digest: str
    fault: Fault | None = None
    stream: str = ""
    recorded: str = ""
    signers: tuple[Signer, ...] = ()
    unproven: tuple[str, ...] = ()
    deal: str = ""
    sealed: str = ""
    shared_commits: int = 0
    shared_events: int = 0
