"""Documents about a server and the members of its games (seats, links, tokens), and the bodies of most requests."""

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
ShortText = Annotated[str, msgspec.Meta(max_length=64)]
Text = Annotated[str, msgspec.Meta(min_length=1, max_length=500)]
Signature = Annotated[str, msgspec.Meta(pattern="^([0-9a-f]{128})?$")]
Days = Annotated[float, msgspec.Meta(gt=0, le=3650)]


class SeatInfo(Document, frozen=True):
    """A seat: its player (`by`, "" if free), since when, whether it is a program, and the key that signs for it.

    A program that the server runs has no `since`. If the game has a pace, a seat to move has two deadlines: until
    `paced` its turn is in time, until `due` it uses its bank, and then it is out of time.
    """

    seat: Seat
    by: str = ""
    since: datetime | None = None
    bot: bool = False
    key: str = ""
    paced: datetime | None = None
    due: datetime | None = None


class SeatsAnswer(Answer, frozen=True):
    """The seats of a game, its host, whether anyone may watch, and whether it is dealt yet.

    `terms` has those that the host has set: `delay`, `pace` and `bank`. A game that its players `ended` early can't be
    played on. `house` has the house rules that every player agrees to when sitting down.
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
    """A served game as it is listed, and its seats."""

    game: GameInfo
    host: str
    public: bool
    seats: tuple[SeatInfo, ...]


class TokenInfo(Document, frozen=True):
    """A token without its secret: the `id` to revoke it, its owner and purpose, and when it is valid: from when it was
    `given`, `until` it ends.

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
    """The valid tokens and links of a game."""

    tokens: tuple[TokenInfo, ...]


class TokenAnswer(Answer, frozen=True):
    """A new token or link, which is shown only once. `game` is "" for an account.

    `share` are the random bytes (hex) that the player added to a fair deal; "" if there are none, or the game was
    dealt before.
    """

    token: str
    game: str
    about: TokenInfo
    share: str = ""


class RequestBody(Document, frozen=True, forbid_unknown_fields=True):
    """The body of a request."""


class Terms(RequestBody, frozen=True):
    """The terms of a game. A missing field stays as it is; "none" removes a term.

    `delay` is how late spectators see the game: a number of moves (`10`) or a time (`2h`). `pace` is the time for a
    turn (`3d`), `bank` the extra time that each seat has once for the whole game (`7d`).
    """

    delay: ShortText | None = None
    pace: ShortText | None = None
    bank: ShortText | None = None


class NewGame(RequestBody, frozen=True, omit_defaults=True):
    """A game to begin: its kind, its options as for `zim new`, its name (by default the next free one), and its terms.

    `bots` are the programs that play, by seat: `{"zulu": "strong"}`. Without `help`, programs show no chances or turns
    before the game is over. With `house`, all players must agree to the house rules among the options when they sit
    down.
    """

    kind: Annotated[str, msgspec.Meta(min_length=1, max_length=64)]
    options: Mapping[ShortText, Annotated[str, msgspec.Meta(max_length=200)]] = {}
    name: ShortText = ""
    public: bool = False
    takebacks: Literal["free", "ask", "never"] = "ask"
    help: bool = True
    bots: Mapping[ShortText, ShortText] = {}
    terms: Terms = msgspec.field(default_factory=Terms)
    house: bool = False


class NewOpenGame(RequestBody, frozen=True):
    """A game to begin without an account: a new one of a `kind` with so many `players`, or one that goes on from a
    position of a public `game`: `at` on its `line`, by default the head. You play `seat`, by default the first; the
    program `bot` plays all others.
    """

    game: ShortText = ""
    kind: ShortText = ""
    players: ShortText = ""
    seat: ShortText = ""
    line: ShortText = "main"
    at: ShortText = ""
    bot: ShortText = "quick"
    by: Name = "guest"


class Move(RequestBody, frozen=True):
    """A command in the notation of the game. `seat` is needed if you play several seats on a line of your own.

    If the seat has a key, `signed` is its signature (hex) of the command, of the head in If-Match, and of the
    Idempotency-Key.
    """

    move: Text
    seat: ShortText = ""
    signed: Signature = ""


class NewKey(RequestBody, frozen=True):
    """A new key (public, hex) for a seat, with the signatures (hex) of the old key (`signed`) and the new one
    (`proof`).

    For a first key, or if the old key is `lost`, nothing is signed. Only the host can say that a key is lost.
    """

    key: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
    signed: Signature = ""
    proof: Signature = ""
    lost: bool = False


class HeadMove(RequestBody, frozen=True):
    """Where to move a head: by `steps` (negative is back), or `to` a position (`12`, `r4`, `start`)."""

    steps: Annotated[int, msgspec.Meta(ge=-1000, le=1000)] = 0
    to: ShortText = ""


class NewLine(RequestBody, frozen=True):
    """A line of your own: its name, and the position where it begins; with `redeal` hidden cards are dealt again.

    Its full name begins with the seat: `kilwa--what-if`. A program (`bot`: `quick`) can play all other seats there,
    once the match is over.
    """

    name: Name
    line: ShortText = "main"
    at: ShortText = ""
    redeal: bool = False
    bot: ShortText = ""


class NewAmendment(RequestBody, frozen=True):
    """A move that replaces the one `at` a position of a line, and the name of your new line with it.

    Later moves may be refused after this change. `keep` says what to do then: store all moves or nothing (`all`), leave
    out those that are refused (`skip`), or store those before the first refused one (`stop`).
    """

    at: ShortText
    move: Text
    name: Name
    keep: Literal["all", "skip", "stop"] = "all"
    dry_run: bool = False


class NewPick(RequestBody, frozen=True):
    """The moves to play again on your line: a range of another, `kilwa--what-if@4..7`. `keep` is as in an amendment."""

    source: Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
    keep: Literal["all", "skip", "stop"] = "all"
    dry_run: bool = False


class LineName(RequestBody, frozen=True):
    """The new name of a line of your own; once it is `shared` all players in the game see it, for good."""

    name: Name
    shared: bool = False


class NewTag(RequestBody, frozen=True):
    """The position to tag: a line, and a position on it (by default the head)."""

    line: ShortText = "main"
    at: ShortText = ""


class NewToken(RequestBody, frozen=True):
    """An invitation: a `seat` or a `bot` gets a link to that seat, a `spectator` or an `auditor` a token.

    With `again` a seat that is taken becomes free: the links and tokens of its player end. A player's own seat stays
    theirs: the link opens it on another device.
    """

    role: Literal["seat", "bot", "spectator", "auditor"]
    seat: ShortText = ""
    name: ShortText = ""
    days: Days | None = None
    again: bool = False


class Redemption(RequestBody, frozen=True, omit_defaults=True):
    """A link to redeem, and your name. `scopes` may be fewer than all; `key` is your public key (hex).

    `share` are 32 random bytes (hex) for a fair deal. `agreed` are the house rules that you agree to, written as in the
    error that you get without them. With the token of your `account`, whose name is yours, the seat belongs to the
    account: sign in on another device, and you have it there. A link to your own seat needs no name.
    """

    link: Annotated[str, msgspec.Meta(min_length=1, max_length=128)]
    by: ShortText = ""
    scopes: tuple[Scope, ...] = ("read", "write")
    key: Annotated[str, msgspec.Meta(pattern="^([0-9a-f]{64})?$")] = ""
    share: Annotated[str, msgspec.Meta(pattern="^([0-9a-f]{64})?$")] = ""
    agreed: Annotated[str, msgspec.Meta(max_length=2000)] = ""
    account: Annotated[str, msgspec.Meta(max_length=128)] = ""


class NewNotices(RequestBody, frozen=True):
    """How you want to be notified: a `kind` that the server allows ("" for never), and the `values` that it needs."""

    kind: ShortText = ""
    values: Mapping[ShortText, Annotated[str, msgspec.Meta(max_length=1000)]] = {}


class NoticesAnswer(Answer, frozen=True):
    """How you are notified ("" for never), and the available `kinds` with the values that each needs.

    If one of them is Web Push, a browser subscribes with the `push_key`.
    """

    game: str
    kind: str
    values: Mapping[str, str]
    kinds: Mapping[str, tuple[str, ...]]
    push_key: str = ""


class Health(Document, frozen=True):
    """The server can read its store; if it can't, it answers with an error. `store` is always `readable`."""

    status: Literal["ok"]
    store: str


class Links(Document, frozen=True):
    """The entry point of a server: its name (`zim`), the version of its API, and the addresses of its parts."""

    name: str
    version: str
    links: Mapping[str, str]


class JoinAnswer(Answer, frozen=True):
    """Who you now are on a server: your game ("" for an account), role, seat and name."""

    server: str
    game: str
    role: Role
    seat: Seat
    by: str


class HostAnswer(Answer, frozen=True):
    """A hosted game: the `url` for your friends, and a link to each free seat, which is shown only once.

    Your own terminal reaches the game at `server`, and you play `seat` ("" for none); `bots` play theirs. `own_link`
    opens your seat in a browser, once, within a day.
    """

    game: str
    url: str
    server: str
    seat: Seat
    links: Mapping[Seat, str]
    bots: Mapping[Seat, str]
    own_link: str = ""


class InviteAnswer(Answer, frozen=True):
    """A link to give to a player, its purpose, and the `id` to revoke it. It is shown only once."""

    link: str
    game: str
    about: TokenInfo
