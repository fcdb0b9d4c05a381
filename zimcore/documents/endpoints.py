"""The table of endpoints: each operation of a server, defined once for server and client.

From a row the server makes routes, checks and OpenAPI (`zimcore/server/routing.py`), the client makes its request
(`zimcore/remote`), and tests and `docs/reference.md` take the roles that may use the endpoint.

In other words: the routes; the request handler of each is in `zimcore/server/`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Generic, Literal, TypeAlias, TypeVar
from urllib.parse import quote

import msgspec

from zimcore.documents.analysis import HintAnswer
from zimcore.documents.copies import CopyAnswer
from zimcore.documents.discussion import (
    NewOrder,
    NewRemark,
    NewRequest,
    NewVote,
    OrdersAnswer,
    RequestReply,
    RequestsAnswer,
    TalkAnswer,
    VotesAnswer,
)
from zimcore.documents.feed_messages import FeedMessage
from zimcore.documents.history import BisectAnswer, CompareAnswer, LogAnswer, RewriteAnswer, StoryAnswer, WhyAnswer
from zimcore.documents.leagues import LeagueAnswer, LeagueChange, LeaguesAnswer, LeagueSeat, NewLeague
from zimcore.documents.look import ShowAnswer
from zimcore.documents.play import LegalAnswer, PlanAnswer, PlayAnswer
from zimcore.documents.positions import PositionAnswer
from zimcore.documents.query_parameters import (
    AtPlace,
    BisectQuery,
    CompareQuery,
    CopyQuery,
    FeedQuery,
    HintQuery,
    LegalQuery,
    LogQuery,
    PageQuery,
    PlanQuery,
    WhyQuery,
)
from zimcore.documents.seats import (
    GameAnswer,
    HeadMove,
    LineName,
    Move,
    NewAmendment,
    NewGame,
    NewKey,
    NewLine,
    NewNotices,
    NewOpenGame,
    NewPick,
    NewTag,
    NewToken,
    NoticesAnswer,
    Redemption,
    Role,
    SeatsAnswer,
    Terms,
    TokenAnswer,
    TokensAnswer,
)
from zimcore.documents.storage import GamesAnswer, LinesAnswer, TagsAnswer, VerifyAnswer

RequestT = TypeVar("RequestT", bound=msgspec.Struct)
AnswerT = TypeVar("AnswerT")
Roles: TypeAlias = tuple[Role, ...]
Presence: TypeAlias = Literal["never", "may", "must"]

HOST: Roles = ("host",)
SEAT: Roles = ("seat",)
PLAYERS: Roles = ("seat", "bot")
EVERYBODY: Roles = ("host", "seat", "bot", "spectator", "auditor")
"""Every role with a token; in a public game also a spectator without one."""
NO_TOKEN: Roles = ()
"""For an endpoint that needs no token."""


class Nothing(msgspec.Struct, frozen=True):
    """The type of a request without a body or query."""


class Endpoint(msgspec.Struct, Generic[RequestT, AnswerT], frozen=True):
    """An operation at an address: its input (the body of a write, the query of a read) and its answer.

    `roles` lists those who may use it; there is no default. `must_own` says what the visitor must own, the line or the
    seat in the address; `exempt` lists roles for which this does not hold. `reserved` names fields of the body that
    only some roles may set; a visitor who sets one need not own the line or the seat.

    `if_match` says whether a request names the head that the client saw, `etag` whether an answer names its head.
    `location` is the address of a new resource, filled from the answer (or its position). `command` is the terminal
    command with the same answer, by default `name`. `status` is 201 for a POST and 200 otherwise, unless set.
    `command_id` identifies a write that is sent again: by the `{key}` that was sent, and the visitor's `{seat}`,
    `{seat_or_role}` or `{name}`. It is stored, so its form must never change.
    """

    name: str
    method: Literal["GET", "POST", "PUT", "DELETE"]
    path: str
    request: type[RequestT]
    answer: type[AnswerT]
    roles: Roles
    must_own: Literal["", "line", "seat"] = ""
    exempt: Roles = ()
    reserved: Mapping[str, Roles] = {}
    if_match: Presence = "never"
    etag: Presence = "never"
    location: str = ""
    command: str = ""
    command_id: str = "{seat}/{key}"
    status: int = 0
    media_type: str = "application/json"

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters in its path.

        >>> RENAME.parameters
        ('game', 'line')
        """
        return tuple(re.findall(r"{(\w+)}", self.path))

    def address(self, **parts: str | int) -> str:
        """The path with its parameters filled in.

        >>> RENAME.address(game="kilwa-7", line="what if")
        '/v1/games/kilwa-7/lines/what%20if/name'
        """
        return self.path.format_map({name: quote(str(value), safe="") for name, value in parts.items()})

    @property
    def reads(self) -> bool:
        """Whether this endpoint only reads."""
        return self.method == "GET"

    @property
    def has_body(self) -> bool:
        """Whether a request has a body."""
        return not self.reads and bool(msgspec.structs.fields(self.request))

    @property
    def is_conditional(self) -> bool:
        """Whether a client that has the answer gets 304: it names the ETag of a read in If-None-Match.

        >>> SHOW.is_conditional, WHY.is_conditional, PLAY.is_conditional
        (True, False, False)
        """
        return self.reads and self.etag != "never"

    @property
    def is_paged(self) -> bool:
        """Whether an answer is a page of a list: its Link header has the address of the next one.

        >>> GAMES.is_paged, LOG.is_paged, SHOW.is_paged
        (True, True, False)
        """
        return self.reads and "limit" in self.request.__struct_fields__

    @property
    def success(self) -> int:
        """The status of an answer."""
        return self.status or (201 if self.method == "POST" else 200)


_GAMES, _GAME = "/v1/games", "/v1/games/{game}"
_LINES, _LINE = _GAME + "/lines", _GAME + "/lines/{line}"
_TOKENS, _SEAT, _POSITION = _GAME + "/tokens", _GAME + "/seats/{seat}", _GAME + "/positions/{digest}"

# Games and their members.
GAMES = Endpoint("games", "GET", _GAMES, PageQuery, GamesAnswer, EVERYBODY)
BEGIN = Endpoint(
    "begin", "POST", _GAMES, NewGame, PositionAnswer, HOST,
    etag="must", location=_GAME, command="new", command_id="{name}/{key}",
)  # fmt: skip
OPEN_TABLE = Endpoint(
    "open_table", "POST", "/v1/tables", NewGame, SeatsAnswer, HOST,
    location=_GAME, command="seats", command_id="{name}/{key}",
)  # fmt: skip
OPEN_GAME = Endpoint(
    "open_game", "POST", "/v1/open-games", NewOpenGame, TokenAnswer, NO_TOKEN,
    location=_GAME, command="token", command_id="open/{key}",
)  # fmt: skip
GAME = Endpoint("game", "GET", _GAME, Nothing, GameAnswer, EVERYBODY)
TERMS = Endpoint("terms", "PUT", _GAME + "/terms", Terms, SeatsAnswer, HOST, command_id="terms/{key}")
DEAL = Endpoint("deal", "POST", _GAME + "/deal", Nothing, PositionAnswer, HOST, etag="must", command="new")
SEATS = Endpoint("seats", "GET", _GAME + "/seats", Nothing, SeatsAnswer, EVERYBODY)
LEAVE = Endpoint(
    "leave", "DELETE", _SEAT, Nothing, SeatsAnswer, (*PLAYERS, *HOST),
    must_own="seat", exempt=HOST, command="seats", command_id="leave/{key}",
)  # fmt: skip
BIND = Endpoint(
    "bind", "PUT", _SEAT + "/key", NewKey, SeatsAnswer, (*PLAYERS, *HOST),
    must_own="seat", reserved={"lost": HOST}, command="seats", command_id="key/{key}",
)  # fmt: skip
TOKENS = Endpoint("tokens", "GET", _TOKENS, Nothing, TokensAnswer, HOST)
GIVE_TOKEN = Endpoint(
    "give_token", "POST", _TOKENS, NewToken, TokenAnswer, HOST, command="token", command_id="give/{key}"
)
REVOKE_TOKEN = Endpoint(
    "revoke_token", "DELETE", _TOKENS + "/{token}", Nothing, TokensAnswer, HOST,
    command="tokens", command_id="revoke/{key}",
)  # fmt: skip
OWN_TOKEN = Endpoint("own_token", "GET", "/v1/tokens", Nothing, TokensAnswer, EVERYBODY, command="tokens")
REDEEM = Endpoint(
    "redeem", "POST", "/v1/tokens", Redemption, TokenAnswer, NO_TOKEN, command="token", command_id="redeem/{key}"
)

# Leagues.
LEAGUES = Endpoint("leagues", "GET", "/v1/leagues", PageQuery, LeaguesAnswer, EVERYBODY, command="league")
OPEN_LEAGUE = Endpoint(
    "open_league", "POST", LEAGUES.path, NewLeague, LeagueAnswer, HOST,
    location=LEAGUES.path + "/{name}", command="league", command_id="{name}/{key}",
)  # fmt: skip
LEAGUE = Endpoint("league", "GET", LEAGUES.path + "/{league}", Nothing, LeagueAnswer, EVERYBODY)
CHANGE_LEAGUE = Endpoint(
    "change_league", "POST", LEAGUE.path + "/changes", LeagueChange, LeagueAnswer, HOST,
    command="league", command_id="{name}/{key}", status=200,
)  # fmt: skip
LEAGUE_SEAT = Endpoint(
    "league_seat", "POST", LEAGUE.path + "/seats", LeagueSeat, TokenAnswer, HOST,
    command="token", command_id="league/{name}/{key}",
)  # fmt: skip

# Lines, and the moves on them.
LINES = Endpoint("lines", "GET", _LINES, PageQuery, LinesAnswer, EVERYBODY)
FORK = Endpoint("fork", "POST", _LINES, NewLine, PositionAnswer, PLAYERS, if_match="may", etag="must", location=_LINE)
SHOW = Endpoint("show", "GET", _LINE, AtPlace, ShowAnswer, EVERYBODY, etag="must")
LOG = Endpoint("log", "GET", _LINE + "/moves", LogQuery, LogAnswer, EVERYBODY, etag="must")
OPERATIONS = Endpoint("operations", "GET", _LINE + "/operations", PageQuery, LogAnswer, EVERYBODY, command="log")
PLAY = Endpoint(
    "play", "POST", _LINE + "/moves", Move, PlayAnswer, PLAYERS,
    if_match="must", etag="must", location=_POSITION, command="do", command_id="{key}",
)  # fmt: skip
MOVE_HEAD = Endpoint(
    "move_head", "PUT", _LINE + "/head", HeadMove, PositionAnswer, PLAYERS,
    if_match="must", etag="must", command="goto", command_id="{key}",
)  # fmt: skip
RENAME = Endpoint(
    "rename", "PUT", _LINE + "/name", LineName, PositionAnswer, PLAYERS, must_own="line", if_match="must", etag="must"
)
FORGET = Endpoint("forget", "DELETE", _LINE, Nothing, PositionAnswer, PLAYERS, must_own="line", etag="must")
AMEND = Endpoint(
    "amend", "POST", _LINE + "/amendments", NewAmendment, RewriteAnswer, PLAYERS,
    if_match="may", etag="may", status=200,
)  # fmt: skip
PICK = Endpoint(
    "pick", "POST", _LINE + "/picks", NewPick, RewriteAnswer, PLAYERS,
    if_match="must", etag="may", command_id="{key}", status=200,
)  # fmt: skip
COPY = Endpoint("copy", "GET", _LINE + "/entries", CopyQuery, CopyAnswer, EVERYBODY, etag="must")
FEED = Endpoint("feed", "GET", _LINE + "/feed", FeedQuery, FeedMessage, EVERYBODY, media_type="application/x-ndjson")

TAGS = Endpoint("tags", "GET", _GAME + "/tags", PageQuery, TagsAnswer, EVERYBODY, command="tag")
TAG = Endpoint(
    "tag", "PUT", TAGS.path + "/{tag}", NewTag, TagsAnswer, (*PLAYERS, *HOST), command_id="tag/{seat_or_role}/{key}"
)
UNTAG = Endpoint(
    "untag", "DELETE", TAG.path, Nothing, TagsAnswer, (*PLAYERS, *HOST),
    command="tag", command_id="untag/{seat_or_role}/{key}",
)  # fmt: skip

# Questions to a line, and to a position.
LEGAL = Endpoint("legal", "GET", _LINE + "/legal", LegalQuery, LegalAnswer, EVERYBODY, etag="must")
WHY = Endpoint("why", "GET", _LINE + "/why", WhyQuery, WhyAnswer, EVERYBODY)
COMPARE = Endpoint("compare", "GET", _LINE + "/compare", CompareQuery, CompareAnswer, EVERYBODY)
BISECT = Endpoint("bisect", "GET", _LINE + "/bisect", BisectQuery, BisectAnswer, EVERYBODY)
PLAN = Endpoint("plan", "GET", _LINE + "/plan", PlanQuery, PlanAnswer, EVERYBODY, etag="must")
HINT = Endpoint("hint", "GET", _LINE + "/hint", HintQuery, HintAnswer, EVERYBODY, etag="must")
STORY = Endpoint("story", "GET", _LINE + "/story", AtPlace, StoryAnswer, EVERYBODY)
VERIFY = Endpoint("verify", "GET", _LINE + "/verify", Nothing, VerifyAnswer, ("auditor", *HOST))
CERTIFICATE = Endpoint(
    "certificate", "GET", _LINE + "/certificate", AtPlace, str, EVERYBODY, etag="must", media_type="application/jsonl"
)
POSITION = Endpoint("position", "GET", _POSITION, Nothing, ShowAnswer, EVERYBODY, etag="must", command="show")

# The discussion: chat, requests, standing orders and votes.
TALK = Endpoint("talk", "GET", _GAME + "/talk", PageQuery, TalkAnswer, EVERYBODY)
SAY = Endpoint(
    "say", "POST", TALK.path, NewRemark, TalkAnswer, (*PLAYERS, *HOST),
    reserved={"own": PLAYERS}, command_id="{seat_or_role}/{key}",
)  # fmt: skip
REQUESTS = Endpoint("requests", "GET", _GAME + "/requests", PageQuery, RequestsAnswer, EVERYBODY)
ASK = Endpoint("ask", "POST", REQUESTS.path, NewRequest, RequestsAnswer, PLAYERS, if_match="may", command="takeback")
ANSWER = Endpoint("answer", "PUT", REQUESTS.path + "/{number}", RequestReply, RequestsAnswer, PLAYERS)
ORDERS = Endpoint("orders", "GET", _GAME + "/orders", Nothing, OrdersAnswer, PLAYERS)
ORDER = Endpoint(
    "order", "POST", ORDERS.path, NewOrder, OrdersAnswer, PLAYERS, command="orders", command_id="order/{seat}/{key}"
)
TAKE_BACK_ORDER = Endpoint(
    "take_back_order", "DELETE", ORDERS.path + "/{order}", Nothing, OrdersAnswer, PLAYERS,
    command="orders", command_id="no order/{seat}/{key}",
)  # fmt: skip
VOTES = Endpoint("votes", "GET", _GAME + "/votes", PageQuery, VotesAnswer, EVERYBODY, command="vote")
VOTE = Endpoint("vote", "POST", VOTES.path, NewVote, VotesAnswer, PLAYERS, command_id="vote/{seat}/{key}")
NOTICES = Endpoint("notices", "GET", _GAME + "/notices", Nothing, NoticesAnswer, SEAT)
WANT_NOTICES = Endpoint(
    "want_notices", "PUT", NOTICES.path, NewNotices, NoticesAnswer, SEAT,
    command="notices", command_id="notices/{seat}/{key}",
)  # fmt: skip

ENDPOINTS: tuple[Endpoint[Any, Any], ...] = tuple(
    value for value in [*globals().values()] if isinstance(value, Endpoint)
)
"""All rows, in this order."""
