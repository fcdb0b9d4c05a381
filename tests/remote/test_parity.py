"""Each public method of `GameService` is in one table here, which says what `RemoteService` (the other door) does.

Reads in `SAME` are asked of both as each role, and have to answer the same. Writes in `DONE` are done by the client,
and the store has to agree with their answers. `KEEPERS` and `SERVERS` are missing in the client. `DIFFERS` says why
the answers differ.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import pytest

from event_store import StoreError
from tests.remote.loopback_server import KINDS, LoopbackServer, loopback_server
from zimcore.commits import Commit, Position
from zimcore.documents.discussion import OrdersAnswer, Remark, RequestInfo, VotesAnswer
from zimcore.documents.leagues import LeagueAnswer, LeagueChange, NewLeague
from zimcore.documents.listings import TagInfo
from zimcore.documents.positions import position_document
from zimcore.game import GameError, Seat
from zimcore.remote.invitations import invite, link_of
from zimcore.remote.service import RemoteService
from zimcore.service import EVERYTHING, SPECTATOR, TABLE, EventStore, GameService, Replay, Viewer, certificates
from zimcore.service.certificates import Certificate
from zimcore.service.discussion import Discussion
from zimcore.service.memberships import GameHosted, MemberEvent, TermsSet

if TYPE_CHECKING:
    from zimcli.service_types import Door


class Who(NamedTuple):
    """A person: their role, their seat, the name under which they type, and their viewer."""

    role: str
    seat: Seat
    by: str
    viewer: Viewer = SPECTATOR


class Match(NamedTuple):
    """A game, with the questions that differ by what is played."""

    kind: str
    options: Mapping[str, str]
    seat: Seat
    moves: int
    trial: str


MATCHES = {
    "nim": Match("nim", {"seed": "7"}, "ann", 4, "take 1"),
    "africana": Match("africana", {"seed": "7", "players": "2"}, "italy", 14, "draw"),
}
LINKS = ("offer", "token", "revoke")


def operations(door: Door, who: Who, _: Match) -> object:
    """Without what a server hides: operations on links from all but the host, a switch from all but its author."""
    return [
        each
        for each in door.operations("k")
        if (who.role == "host" or each.what not in LINKS) and (each.what != "switch" or each.by == who.by)
    ]


Ask = Callable[["Door", Who, Match], object]

SAME: dict[str, Ask] = {
    "position": lambda door, who, _: [
        door.position(place, who.viewer) for place in ("k", "k@2", "k@start", "k/main@-1")
    ],
    "head": lambda door, who, _: door.head("k", who.viewer),
    "parse": lambda door, who, match: door.parse("k", match.trial, who.viewer),
    "try_": lambda door, who, match: door.try_("k", [match.trial, "nonsense"], who.viewer),
    "log": lambda door, who, _: [door.log("k", viewer=who.viewer), door.log("k@2", all_=True, viewer=who.viewer)],
    "marks": lambda door, who, _: door.marks("k"),
    "tags": lambda door, who, _: [door.tags("k"), door.position("k@early", who.viewer).commit],
    "news": lambda door, who, _: door.news("k", 3, who.viewer),
    "revision": lambda door, who, _: door.revision("k"),
    "talk": lambda door, who, _: door.talk("k", by=who.by, viewer=who.viewer),
    "discussion": lambda door, who, _: door.discussion("k"),
    "requests": lambda door, who, _: door.requests("k", who.viewer),
    "hides": lambda door, who, _: door.hides("k"),
    "game": lambda door, who, _: door.game("k"),
    "game_of": lambda door, who, match: door.game_of(match.kind),
    "game_names": lambda door, who, _: [door.game_names(), door.game_names(archived=False)],
    "has_game": lambda door, who, _: [door.has_game("k"), door.has_game("chess")],
    "games": lambda door, who, _: door.games(who.viewer, by=who.by),
    "lines": lambda door, who, _: door.lines("k", who.viewer, by=who.by),
    "line_names": lambda door, who, _: door.line_names("k"),
    "bots": lambda door, who, _: [door.bots("k"), door.bots("k/main")],
    "current_line": lambda door, who, _: door.current_line("k", by=who.by, viewer=who.viewer),
    "resolve": lambda door, who, _: [door.resolve("@2", "k/main"), door.resolve("main", "k/main"), door.resolve("k@1")],
    "recorded_deviation": lambda door, who, _: door.recorded_deviation("k"),
    "certificate": lambda door, who, _: door.certificate("k@2", who.viewer),
    "loss": lambda door, who, match: door.loss("k", PROOF[match.kind]),
    "verify": lambda door, who, _: door.verify("k"),
    "damaged_names": lambda door, who, _: door.damaged_names(),
    "due": lambda door, who, _: door.due("k"),
    "votes": lambda door, who, _: door.votes("k"),
    "orders": lambda door, who, _: door.orders("k", who.seat, who.viewer),
    "operations": operations,
    "leagues": lambda door, who, _: door.leagues(),
    "league": lambda door, who, _: door.league("cup"),
}
"""Queries to which both doors give each role the same answer."""
PROOF: dict[str, Certificate] = {}
"""A certificate of each game, which its keeper has kept."""
NOT_FOR = {
    ("verify", "africana", "seat"): "while cards are hidden the server verifies, for hosts and auditors alone",
    ("verify", "africana", "spectator"): "while cards are hidden the server verifies, for hosts and auditors alone",
    **{("orders", kind, role): "orders belong to a seat" for kind in MATCHES for role in ("host", "spectator")},
}
"""Method, kind and role: where the client is refused what the store answers, and why."""

KEEPERS = {
    *(
        "archive",
        "restore",
        "delete",
        "remove",
        "contents",
        "deleted_games",
        "adopt",
        "import_",
        "export",
    ),
    *("verify_all", "check", "check_may_copy", "witness", "losses", "log_losses", "take_back", "seat_bot"),
}
"""Only for the keeper of a store: missing in the client, where the commands are refused (`test_keeper.py`)."""
SERVERS = {
    *(
        "prefetch",
        "members",
        "version",
        "members_and_lines",
        "accounts",
        "match_of",
        "stream_of",
        "games_hosted_by",
        "reasons_unlisted",
        "public",
        "begin_time",
    ),
    *(
        "requests_at",
        "copy_discussion",
        "copy",
        "delayed_service",
        "enrol",
        "carry_out",
        "notices",
        "want_notices",
        "notices_due",
    ),
    "seen_as",
}
"""What only a server itself asks of its store, or does there: missing in the client."""
DIFFERS = {
    "names": "a client knows the lines that its seat sees, and of the members only the host",
    "seat_at": "a server knows the seat of each client",
    "may_have_changed": "a client learns it from a feed",
    "players": "a client learns from a feed who sits where",
    "offline_reason": "a server may be unreachable",
    "url": "the address of the server",
    "switch": "a client stores its current line itself",
    "open_table": "a table needs a server",
    "deal": "a table needs a server",
}
"""Methods of both services that answer differently, and why."""

Do = Callable[["Door", str], Any]

DONE: dict[str, Do] = {
    "fork": lambda door, by: door.fork("k@1", "plan", by=by),
    "rename": lambda door, by: door.rename("k/ann--plan", "idea", by=by),
    "amend": lambda door, by: door.amend("k@1", "take 2", by=by, name="better"),
    "play": lambda door, by: door.play("k/ann--better", "take 1", by=by),
    "play_or_raise": lambda door, by: door.play_or_raise("k/ann--better", "take 2", by=by),
    "undo": lambda door, by: door.undo("k/ann--better", 2, by=by),
    "redo": lambda door, by: door.redo("k/ann--better", 1, by=by),
    "goto": lambda door, by: door.goto("k/ann--better@1", by=by),
    "pick": lambda door, by: door.pick("k/ann--idea", "k/main@2", by=by),
    "tag": lambda door, by: door.tag("k@2", "Opening", by=by),
    "untag": lambda door, by: door.untag("k", "opening", by=by),
    "forget": lambda door, by: door.forget("k/ann--better", by=by),
    "say": lambda door, by: door.say("k@1", "hello", by=by),
    "ask": lambda door, by: door.ask("k", 1, by=by),
    "answer": lambda door, by: door.answer("k", "withdrawn", by=by),
    "order": lambda door, by: door.order("k", "take 3", by=by, seat="ann"),
    "take_back_order": lambda door, by: door.take_back_order("k", 1, by=by, seat="ann"),
    "vote": lambda door, by: door.vote("k", "wait", "ben", by=by),
    "bind": lambda door, by: door.bind("k", "ann", KEY, by=by),
    "new": lambda door, by: door.new("nim", {}, name="other", by=by),
    "open_league": lambda door, by: door.open_league(NewLeague("cup", "nim"), by=by),
    "change_league": lambda door, by: door.change_league("cup", LeagueChange("enter"), by=by),
}
"""Done at a server as at a store, here by Ann and her host; first to last, as some need what came before."""
BY_HOST = ("new", "open_league", "change_league")
KEY = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
ANSWERED: list[Iterable[str]] = [SAME, DONE, KEEPERS, SERVERS, DIFFERS]


def public(kind: type) -> set[str]:
    """The names of what is public."""
    return {name for name, _ in inspect.getmembers(kind) if not name.startswith("_")}


def test_each_public_method_of_a_service_has_its_answer_here_and_no_other() -> None:
    names = [name for answers in ANSWERED for name in answers]
    assert sorted(names) == sorted(public(GameService))


def test_what_is_not_for_a_client_is_not_there() -> None:
    assert not public(RemoteService) & (KEEPERS | SERVERS)
    assert public(RemoteService) >= {*SAME, *DONE, *DIFFERS}
    assert RemoteService.__mro__ == (RemoteService, object)


@pytest.mark.parametrize("name", [*SAME, *DONE])
def test_it_is_asked_with_the_same_words(name: str) -> None:
    here, there = (inspect.signature(getattr(kind, name)).parameters for kind in (GameService, RemoteService))
    more, less = (
        {"rename": {"shared"}}.get(name, set()),
        {"new": {"keys"}, "fork": {"bots"}, "open_league": {"host"}}.get(name, set()),
    )
    assert {**here, **{each: there[each] for each in more}} == {**there, **{each: here[each] for each in less}}


LABELS = ("command", "place")
"""Fields that the server adds to an answer."""


def plain(value: Any) -> Any:
    """An answer as plain data, without what only one of the doors has."""
    match value:
        case Position():
            state = {name: getattr(value.state, name) for name in value.state.__struct_fields__ if name != "atlas"}
            return [msgspec.to_builtins(position_document(value)), plain(value.outcome), repr(state)]
        case Commit():
            return repr(value)
        case Certificate():
            return certificates.write(value)
        case Discussion():
            return [value.revision, value.helps, value.takebacks, plain(value.votes), repr(value.requests)]
        case msgspec.Struct():
            fields = [name for name in value.__struct_fields__ if name not in LABELS]
            return [type(value).__name__, *(plain(getattr(value, name)) for name in fields)]
        case Mapping():
            return {key: plain(each) for key, each in value.items()}
        case str() | bytes():
            return value
        case Sequence():
            return [plain(each) for each in value]
    return repr(value)


def outcome(ask: Callable[[], object]) -> Any:
    """The answer, or the error raised."""
    try:
        return plain(ask())
    except (GameError, StoreError) as error:
        return ["raises", type(error).__name__, str(error)]


class PairOfDoors(NamedTuple):
    """A game on a server, its store, and a client of each role."""

    house: LoopbackServer
    match: Match
    there: Mapping[str, RemoteService]
    whos: Mapping[str, Who]


@pytest.fixture(scope="module", params=MATCHES)
def shared_pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PairOfDoors]:
    """After some moves, one of which was undone; with a program at a seat, a pace, talk, a request and an order."""
    match = MATCHES[request.param]
    with loopback_server(tmp_path_factory.mktemp(match.kind)) as server:
        served: list[MemberEvent] = [GameHosted("hanna"), TermsSet(pace=86400)]
        server.service.new(match.kind, match.options, name="k", by="hanna", served=served)
        for _ in range(match.moves):
            here = server.service.position("k", EVERYTHING)
            text = "take 1" if match.kind == "nim" else next(iter(here.legal().texts()))
            server.service.play_or_raise("k", text, by="anna", viewer=EVERYTHING)
        server.service.undo("k", by="anna", viewer=EVERYTHING)
        server.service.redo("k", by="anna", viewer=EVERYTHING)
        server.service.tag("k@1", "early", by="anna", viewer=EVERYTHING)
        server.service.fork("k@1", "what-if", by="anna", viewer=EVERYTHING)
        seat = match.seat
        (other,) = (each for each in server.service.position("k").seats if each != seat)
        mine = server.sit(seat)
        server.service.seat_bot("k", other, "random", by="hanna", viewer=EVERYTHING)
        mine.say("k", "good luck", by=f"{seat}-player", viewer=Viewer(seat))
        server.service.open_league(NewLeague("cup", match.kind, public=True), host="hanna", by="hanna")
        for player in ("anna", "ben"):
            server.service.change_league("cup", LeagueChange("enter", player), by="hanna")
        PROOF[match.kind] = server.service.certificate("k@2", EVERYTHING)
        watcher = link_of(server.url, invite(server.host(), "k", "spectator", "", "wanda", None).token)
        there = {"host": server.host(), "seat": mine, "spectator": server.person("wanda", watcher)}
        whos = {"host": Who("host", "", "hanna"), "seat": Who("seat", seat, f"{seat}-player", Viewer(seat, own=True))}
        whos |= {"spectator": Who("spectator", "", "wanda"), "stranger": Who("stranger", "", "stan")}
        yield PairOfDoors(server, match, {**there, "stranger": server.person("stan")}, whos)


@pytest.mark.parametrize("role", ["host", "seat", "spectator"])
@pytest.mark.parametrize("name", SAME)
def test_both_doors_answer_the_same(shared_pair: PairOfDoors, name: str, role: str) -> None:
    who, ask = shared_pair.whos[role], SAME[name]
    here = outcome(lambda: ask(shared_pair.house.service, who, shared_pair.match))
    there = outcome(lambda: ask(shared_pair.there[role], who, shared_pair.match))
    if (name, shared_pair.match.kind, role) in NOT_FOR:
        assert there[:1] == ["raises"]
    else:
        assert there == here


@pytest.mark.parametrize("name", SAME)
def test_the_token_says_who_the_viewer_is(shared_pair: PairOfDoors, name: str) -> None:
    """A command need not say `--as` there: without it the client shows what the seat of the token may see."""
    if shared_pair.match.kind == "africana":
        who, door = shared_pair.whos["seat"], shared_pair.there["seat"]
        unsaid = outcome(lambda: SAME[name](door, who._replace(viewer=TABLE), shared_pair.match))
        assert unsaid == outcome(lambda: SAME[name](door, who, shared_pair.match))


@pytest.mark.parametrize("name", SAME)
def test_a_stranger_gets_the_answer_of_an_empty_store(shared_pair: PairOfDoors, name: str) -> None:
    empty = GameService(EventStore.open("memory:"), games=KINDS)
    who, ask = shared_pair.whos["stranger"], SAME[name]
    here = outcome(lambda: ask(empty, who, shared_pair.match))
    there = outcome(lambda: ask(shared_pair.there["stranger"], who, shared_pair.match))
    assert there == here or (there[0], here[0]) == ("raises", "raises")


@pytest.fixture(scope="module")
def late(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LoopbackServer]:
    """A match of Nim that was begun two days ago, with an hour for a turn: it is Ben who is out of time."""
    folder = tmp_path_factory.mktemp("late")
    with loopback_server(folder) as server:
        earlier = datetime.now(UTC) - timedelta(days=2)
        past = GameService(EventStore.open(f"sqlite:///{folder}/games.zim"), lambda: earlier, games=KINDS)
        past.new("nim", {"seed": "7"}, name="k", by="hanna", served=[GameHosted("hanna"), TermsSet(pace=3600)])
        for _ in range(3):
            past.play_or_raise("k", "take 1", by="anna", viewer=EVERYTHING)
        past.store.close()
        yield server


def count_stored(house_: LoopbackServer) -> int:
    """The number of entries in the store."""
    return sum(1 for _ in house_.service.store.all_entries())


def truth(store: GameService, answer: object) -> object:
    """The store's own answer to the same question."""
    match answer:
        case Position(match=match, line=line, commit=commit):
            return store.position(f"{match}/{line}@{commit.digest}", Viewer("ann"))
        case Replay(position=position, commits=commits, stored=True):
            place = f"{position.match}/{position.line}"
            return Replay(store.position(place), tuple(store.log(place)[-len(commits) :]), stored=True)
        case LeagueAnswer(name=name):
            return store.league(name)
        case Remark():
            return store.talk("k", by="ann-player", viewer=Viewer("ann"))[-1]
        case RequestInfo():
            return store.requests("k", Viewer("ann"))[-1]
        case OrdersAnswer():
            return store.orders("k", "ann", Viewer("ann"))
        case VotesAnswer():
            return store.votes("k")
        case [*tags] if all(isinstance(tag, TagInfo) for tag in tags):
            return store.tags("k")
    raise AssertionError(answer)


def test_what_is_done_at_a_server_is_so_at_its_store(late: LoopbackServer) -> None:
    for role in ("spectator", "stranger"):
        link = link_of(late.url, invite(late.host(), "k", "spectator", "", "wanda", None).token)
        door = late.person("wanda", link) if role == "spectator" else late.person("stan")
        before = count_stored(late)
        for name, do in DONE.items():
            with pytest.raises(GameError):
                do(door, role)
            assert count_stored(late) == before, name
    ann = late.sit("ann")
    late.sit("ben")
    for name, do in DONE.items():
        before = count_stored(late)
        answer = do(late.host() if name in BY_HOST else ann, "hanna" if name in BY_HOST else "ann-player")
        assert count_stored(late) > before, name
        assert plain(answer) == plain(truth(late.service, answer)), name
