"""The table of endpoints: each operation of a server, defined once for server and client.

From a row the server makes routes, checks and OpenAPI (`zimcore/server/endpoints/routing.py`), the client makes its
request (`zimcore/remote`), and tests and `docs/reference.md` take the roles that may use the endpoint.

In other words: the routes; the request handler of each is in `zimcore/server/`.
"""

from __future__ import annotations

from typing import Any

from zimcore import features
from zimcore.documents.analysis import HintAnswer
from zimcore.documents.copies import CopyAnswer
from zimcore.documents.discussion import (
    NewOrder,
    NewRemark,
    OrdersAnswer,
    TalkAnswer,
)
from zimcore.documents.endpoint import EVERYBODY, GAME_PATH, HOST, NO_TOKEN, PLAYERS, SEAT, Endpoint, Nothing
from zimcore.documents.feed_message import FeedMessage
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
    SeatsAnswer,
    Terms,
    TokenAnswer,
    TokensAnswer,
)
from zimcore.documents.storage import GamesAnswer, LinesAnswer, TagsAnswer, VerifyAnswer

_GAMES, _GAME = "/v1/games", GAME_PATH
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
    "give_token", "POST", _TOKENS, NewToken, TokenAnswer, (*PLAYERS, *HOST), command="token", command_id="give/{key}"
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

# The discussion: chat and standing orders.
TALK = Endpoint("talk", "GET", _GAME + "/talk", PageQuery, TalkAnswer, EVERYBODY)
SAY = Endpoint(
    "say", "POST", TALK.path, NewRemark, TalkAnswer, (*PLAYERS, *HOST),
    reserved={"own": PLAYERS}, command_id="{seat_or_role}/{key}",
)  # fmt: skip
ORDERS = Endpoint("orders", "GET", _GAME + "/orders", Nothing, OrdersAnswer, PLAYERS)
ORDER = Endpoint(
    "order", "POST", ORDERS.path, NewOrder, OrdersAnswer, PLAYERS, command="orders", command_id="order/{seat}/{key}"
)
TAKE_BACK_ORDER = Endpoint(
    "take_back_order", "DELETE", ORDERS.path + "/{order}", Nothing, OrdersAnswer, PLAYERS,
    command="orders", command_id="no order/{seat}/{key}",
)  # fmt: skip
NOTICES = Endpoint("notices", "GET", _GAME + "/notices", Nothing, NoticesAnswer, SEAT)
WANT_NOTICES = Endpoint(
    "want_notices", "PUT", NOTICES.path, NewNotices, NoticesAnswer, SEAT,
    command="notices", command_id="notices/{seat}/{key}",
)  # fmt: skip

ENDPOINTS: tuple[Endpoint[Any, Any], ...] = (
    *(value for value in [*globals().values()] if isinstance(value, Endpoint)),
    *(row for module in features.modules("documents") for row in module.ENDPOINTS),
)
"""All rows, in this order; those of the features come last."""
