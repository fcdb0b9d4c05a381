"""Documents about the members of a game on a server (seats, links, tokens), and request bodies for the server."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Literal

import msgspec

from zimcore.documents.listings import GameInfo
from zimcore.documents.positions import Answer, Document
from zimcore.game import Seat

Role = Literal["host", "seat", "bot", "spectator", "auditor"]
Scope = Literal["read", "write"]
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
Word = Annotated[str, msgspec.Meta(max_length=64)]
Text = Annotated[str, msgspec.Meta(min_length=1, max_length=500)]
Signed = Annotated[str, msgspec.Meta(pattern="^([0-9a-f]{128})?$")]
Days = Annotated[float, msgspec.Meta(gt=0, le=3650)]


class SeatInfo(Document, frozen=True):
    """A seat: its player ("" if free), since when, whether that is a program, and the key that signs for it.

    A program that the server plays itself has no time since when it does.
    One that is to move has time where there is a pace: until `paced` that of the turn, then its bank until it is `due`.
    Then it is out of time.
    """

    seat: Seat
    by: str = ""
    since: datetime | None = None
    bot: bool = False
    key: str = ""
    paced: datetime | None = None
    due: datetime | None = None


class SeatsAnswer(Answer, frozen=True):
    """The seats of a game, who is its host, whether anyone may watch, and whether it is dealt yet.

    Of the `terms` under which it is played there are those that the host has set: `delay`, `pace` and `bank`. A game
    that was `ended` by those who play it is played no more. `house` are the house rules that all who sit down agree to.
    """

    game: str
    host: str
    public: bool
    seats: tuple[SeatInfo, ...]
    dealt: bool = True
    terms: Mapping[str, str] = {}
    ended: bool = False
    house: Mapping[str, str] = {}


class GameAnswer(Answer, frozen=True):
    """A game that is served, as it is listed, and its seats."""

    game: GameInfo
    host: str
    public: bool
    seats: tuple[SeatInfo, ...]


class TokenInfo(Document, frozen=True):
    """A token without its secret: the `id` to revoke it, its owner and purpose, since when and until when it is valid.

    A `link` can be redeemed once, for the token of a seat.
    """

    id: str
    role: Role
    name: str
    seat: Seat
    scopes: tuple[Scope, ...]
    given: datetime | None
    until: datetime | None
    link: bool


class TokensAnswer(Answer, frozen=True):
    """The tokens and links of a game that are good."""

    tokens: tuple[TokenInfo, ...]


class TokenAnswer(Answer, frozen=True):
    """A token or a link that was made: it is shown this once. `game` is "" for an account.

    `share` are the random bytes (hex) that went into the deal, where that is fair and was to come.
    """

    token: str
    game: str
    about: TokenInfo
    share: str = ""


class RequestBody(Document, frozen=True, forbid_unknown_fields=True):
    """The body of a request."""


class Terms(RequestBody, frozen=True):
    """The terms of a game: what is not said stays as it is, "none" is none.

    `delay` is how late spectators see it: so many moves (`10`), or a time (`2h`). `pace` is how long a turn is to take
    (`3d`), `bank` what each seat has once beyond that (`7d`).
    """

    delay: Word | None = None
    pace: Word | None = None
    bank: Word | None = None


class NewGame(RequestBody, frozen=True, omit_defaults=True):
    """A game to begin: its kind, its options as for `zim new`, its name (by default any), and its terms.

    `bots` are the programs that play, by seat: `{"zulu": "strong"}`. Without `help`, programs show no chances or turns
    before the game is over. With `house`, all players agree to the house rules among the options when they sit down.
    """

    kind: Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
    options: Mapping[Word, Annotated[str, msgspec.Meta(max_length=200)]] = {}
    name: Word = ""
    public: bool = False
    takebacks: Literal["free", "ask", "never"] = "ask"
    help: bool = True
    bots: Mapping[Word, Word] = {}
    terms: Terms = msgspec.field(default_factory=Terms)
    house: bool = False


class Move(RequestBody, frozen=True):
    """A command in the notation of the game; the seat, if you play several, on a line of your own.

    A seat with a key signs it (`signed`, hex): for the head in If-Match, with the Idempotency-Key as its id.
    """

    move: Text
    seat: Word = ""
    signed: Signed = ""


class NewKey(RequestBody, frozen=True):
    """Another key (public, hex) for a seat, and what the key that it has (`signed`) and this one have signed (hex).

    Where the seat has none, or its key is `lost`, nothing is signed; that it is lost only the host can say.
    """

    key: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
    signed: Signed = ""
    proof: Signed = ""
    lost: bool = False


class HeadMove(RequestBody, frozen=True):
    """Where a head is to go: `steps` forward, or back if negative; or `to` a position (`12`, `r4`, `start`)."""

    steps: Annotated[int, msgspec.Meta(ge=-1000, le=1000)] = 0
    to: Word = ""


class NewLine(RequestBody, frozen=True):
    """A line of your own: its name, where it begins; with `redeal` hidden cards are dealt again.

    Its whole name begins with the seat: `kilwa--what-if`. A program (`bot`: `quick`) can play all other seats there,
    once the match is over.
    """

    name: Name
    line: Word = "main"
    at: Word = ""
    redeal: bool = False
    bot: Word = ""


class NewAmendment(RequestBody, frozen=True):
    """A move in the place of the one `at` a position of a line, and how the line of one's own is called that has it.

    Later moves that are refused now are conflicts: nothing is kept then (`all`), or the others are (`skip`), or those
    before the first (`stop`).
    """

    at: Word
    move: Text
    name: Name
    keep: Literal["all", "skip", "stop"] = "all"
    dry_run: bool = False


class NewPick(RequestBody, frozen=True):
    """The commands to play here: those of a range of a line, `kilwa--what-if@4..7`. `keep` is as in an amendment."""

    source: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    keep: Literal["all", "skip", "stop"] = "all"
    dry_run: bool = False


class LineName(RequestBody, frozen=True):
    """The new name of a line of your own; once it is `shared` all players in the game see it, for good."""

    name: Name
    shared: bool = False


class NewTag(RequestBody, frozen=True):
    """The position that a tag names: its line, and where on it (by default the head)."""

    line: Word = "main"
    at: Word = ""


class NewToken(RequestBody, frozen=True):
    """Whom to let in: a `seat` or a `bot` gets a link to that seat, a `spectator` or an `auditor` a token."""

    role: Literal["seat", "bot", "spectator", "auditor"]
    seat: Word = ""
    name: Word = ""
    days: Days | None = None


class Redemption(RequestBody, frozen=True, omit_defaults=True):
    """A link, and who redeems it; `scopes` may be fewer than all, `key` is a public key (hex) to be known by.

    `share` are 32 random bytes (hex) for a fair deal. `agreed` are the house rules that one agrees to, as the error
    without them writes them.
    """

    link: Annotated[str, msgspec.Meta(min_length=1, max_length=128)]
    by: Name
    scopes: tuple[Scope, ...] = ("read", "write")
    key: Annotated[str, msgspec.Meta(pattern="^([0-9a-f]{64})?$")] = ""
    share: Annotated[str, msgspec.Meta(pattern="^([0-9a-f]{64})?$")] = ""
    agreed: Annotated[str, msgspec.Meta(max_length=2000)] = ""


class NewNotices(RequestBody, frozen=True):
    """How you want to be notified: a `kind` that the server allows, and the `values` that it needs; "" for none."""

    kind: Word = ""
    values: Mapping[Word, Word] = {}


class NoticesAnswer(Answer, frozen=True):
    """How you are notified ("" for never), and the available `kinds`, with the values that each needs."""

    game: str
    kind: str
    values: Mapping[str, str]
    kinds: Mapping[str, tuple[str, ...]]


class Health(Document, frozen=True):
    """Whether the server can read its store."""

    status: Literal["ok"]
    store: str


class Links(Document, frozen=True):
    """Where a server begins: what it is, and the addresses of its parts."""

    name: str
    version: str
    links: Mapping[str, str]


class JoinAnswer(Answer, frozen=True):
    """Who you are on a server from now on: in which game ("" for an account), your role, seat and name."""

    server: str
    game: str
    role: Role
    seat: Seat
    by: str


class HostAnswer(Answer, frozen=True):
    """A game that is hosted: at which `url` friends reach it, and the link to each seat that is free, shown this once.

    The host's own terminal reaches it at `server`, and plays `seat` ("" for none); `bots` play theirs.
    """

    game: str
    url: str
    server: str
    seat: Seat
    links: Mapping[Seat, str]
    bots: Mapping[Seat, str]


class InviteAnswer(Answer, frozen=True):
    """A link to give to a player, what it is for, and the `id` by which it is revoked. It is shown only now."""

    link: str
    game: str
    about: TokenInfo
