"""Each public method of `GameService` is in one table here, which says what `RemoteService` (the other service) does.

Both have to answer the `QUERIES` alike, in each role. The client makes the `WRITES`, and the store has to agree with
their answers. The client lacks `KEEPER_METHODS` and `SERVER_METHODS`. `DIFFERENCES` says why other answers differ.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
import pytest

from event_store import StoreError
from tests.remote.loopback_server import GAMES_BY_KIND, LoopbackServer, loopback_server
from zimcore.commits import Commit, Position
from zimcore.documents.discussion import OrdersAnswer, Remark
from zimcore.documents.leagues import LeagueAnswer, LeagueChange, NewLeague
from zimcore.documents.listings import TagInfo
from zimcore.documents.positions import position_document
from zimcore.documents.query_parameters import PageQuery
from zimcore.features.takebacks.actions import answer, ask, requests
from zimcore.features.takebacks.documents import NewRequest, RequestReply, RequestsAnswer
from zimcore.features.votes.actions import vote, votes
from zimcore.features.votes.documents import NewVote, VotesAnswer
from zimcore.game import GameError, Seat
from zimcore.remote.invitations import format_link, invite
from zimcore.remote.service import RemoteService
from zimcore.service import EVERYTHING, SPECTATOR, TABLE, EventStore, GameService, Replay, Viewer
from zimcore.service.proofs import certificates
from zimcore.service.proofs.certificates import Certificate
from zimcore.service.records.discussion import Discussion, share_types
from zimcore.service.records.memberships import GameHosted, MemberEvent, TermsSet

if TYPE_CHECKING:
    from zimcli.shell.service_types import AnyService


class Participant(NamedTuple):
    """A person: their role, their seat, the name under which they type, and their viewer."""

    role: str
    seat: Seat
    by: str
    viewer: Viewer = SPECTATOR


class MatchRecipe(NamedTuple):
    """How to play a match, and what the tests ask about it."""

    kind: str
    options: Mapping[str, str]
    seat: Seat
    move_count: int
    trial_text: str


MATCHES = {
    "nim": MatchRecipe("nim", {"seed": "7"}, "ann", 4, "take 1"),
    "africana": MatchRecipe("africana", {"seed": "7", "players": "2"}, "italy", 14, "draw"),
}
LINK_OPERATIONS = ("offer", "token", "revoke")


def operations(service: AnyService, participant: Participant, _: MatchRecipe) -> object:
    """The operations that a server shows: those on links to the host only, a switch to its author only."""
    return [
        each
        for each in service.operations("k")
        if (participant.role == "host" or each.what not in LINK_OPERATIONS)
        and (each.what != "switch" or each.by == participant.by)
    ]


Query = Callable[["AnyService", Participant, MatchRecipe], object]

QUERIES: dict[str, Query] = {
    "position": lambda service, participant, _: [
        service.position(place, participant.viewer) for place in ("k", "k@2", "k@start", "k/main@-1")
    ],
    "head": lambda service, participant, _: service.head("k", participant.viewer),
    "parse": lambda service, participant, recipe: service.parse("k", recipe.trial_text, participant.viewer),
    "try_": lambda service, participant, recipe: service.try_("k", [recipe.trial_text, "nonsense"], participant.viewer),
    "log": lambda service, participant, _: [
        service.log("k", viewer=participant.viewer),
        service.log("k@2", all_=True, viewer=participant.viewer),
    ],
    "log_of_lines": lambda service, participant, _: service.log_of_lines("k", ["main"], participant.viewer),
    "marks": lambda service, participant, _: service.marks("k"),
    "tags": lambda service, participant, _: [service.tags("k"), service.position("k@early", participant.viewer).commit],
    "news": lambda service, participant, _: service.news("k", 3, participant.viewer),
    "revision": lambda service, participant, _: service.revision("k"),
    "talk": lambda service, participant, _: service.talk("k", by=participant.by, viewer=participant.viewer),
    "discussion": lambda service, participant, _: service.discussion("k"),
    "query requests": lambda service, participant, _: service.query(requests, PageQuery(), "k", participant.viewer),
    "hides": lambda service, participant, _: service.hides("k"),
    "game": lambda service, participant, _: service.game("k"),
    "game_of": lambda service, participant, recipe: service.game_of(recipe.kind),
    "game_names": lambda service, participant, _: [service.game_names(), service.game_names(archived=False)],
    "has_game": lambda service, participant, _: [service.has_game("k"), service.has_game("chess")],
    "games": lambda service, participant, _: service.games(participant.viewer, by=participant.by),
    "lines": lambda service, participant, _: service.lines("k", participant.viewer, by=participant.by),
    "line_names": lambda service, participant, _: service.line_names("k"),
    "bots": lambda service, participant, _: [service.bots("k"), service.bots("k/main")],
    "current_line": lambda service, participant, _: service.current_line(
        "k", by=participant.by, viewer=participant.viewer
    ),
    "places_of_id": lambda service, participant, _: service.places_of_id("k", "c1", by=participant.by),
    "position_of_id": lambda service, participant, _: service.position_of_id("k", "c1", participant.viewer),
    "resolve": lambda service, participant, _: [
        service.resolve("@2", "k/main"),
        service.resolve("main", "k/main"),
        service.resolve("k@1"),
    ],
    "site_links": lambda service, participant, _: service.site_links("k"),
    "recorded_deviation": lambda service, participant, _: service.recorded_deviation("k"),
    "certificate": lambda service, participant, _: service.certificate("k@2", participant.viewer),
    "loss": lambda service, participant, recipe: service.loss("k", CERTIFICATES[recipe.kind]),
    "verify": lambda service, participant, _: service.verify("k"),
    "damaged_names": lambda service, participant, _: service.damaged_names(),
    "due": lambda service, participant, _: service.due("k"),
    "query votes": lambda service, participant, _: service.query(votes, PageQuery(), "k"),
    "orders": lambda service, participant, _: service.orders("k", participant.seat, participant.viewer),
    "operations": operations,
    "leagues": lambda service, participant, _: service.leagues(),
    "league": lambda service, participant, _: service.league("cup"),
}
"""Queries that both services answer alike in each role."""
CERTIFICATES: dict[str, Certificate] = {}
"""A certificate of each match, by kind of game."""
CLIENT_REFUSALS = {
    ("verify", "africana", "seat"): "while cards are hidden the server verifies, for hosts and auditors alone",
    ("verify", "africana", "spectator"): "while cards are hidden the server verifies, for hosts and auditors alone",
    **{("orders", kind, role): "orders belong to a seat" for kind in MATCHES for role in ("host", "spectator")},
}
"""Method, kind and role of each query that only the client refuses, and why."""

KEEPER_METHODS = {
    *(
        "archive",
        "restore",
        "delete",
        "remove",
        "contents",
        "deleted_games",
        "adopt",
        "record",
        "import_",
        "export",
    ),
    *(
        "verify_all",
        "check",
        "check_exists",
        "check_may_copy",
        "witness",
        "losses",
        "log_losses",
        "take_back",
        "seat_bot",
    ),
}
"""Only for whoever has the store: `RemoteService` lacks these, and `zim` refuses their commands at a server
(`test_maintenance_commands.py`)."""
SERVER_METHODS = {
    *(
        "prefetch",
        "members",
        "version",
        "members_and_lines",
        "accounts",
        "match_of",
        "stream_of",
        "games_hosted_by",
        "games_played_by",
        "reasons_unlisted",
        "public",
        "begin_time",
    ),
    *(
        "call",
        "copy_discussion",
        "copy",
        "delayed_service",
        "change_members",
        "carry_out",
        "notices",
        "want_notices",
        "notices_due",
    ),
    "seen_as",
}
"""Only for a server, on its own store: missing in the client."""
DIFFERENCES = {
    "names": "a client knows the lines that its seat sees, and of the members only the host",
    "seat_at": "a server knows the seat of each client",
    "role_at": "a server knows the role of each client",
    "may_have_changed": "a client learns it from a feed",
    "players": "a client learns from a feed who sits where",
    "offline_reason": "a server may be unreachable",
    "url": "the address of the server",
    "switch": "a client stores its current line itself",
    "open_table": "a table needs a server",
    "deal": "a table needs a server",
}
"""Methods of both services that answer differently, and why."""

Write = Callable[["AnyService", str], Any]

WRITES: dict[str, Write] = {
    "fork": lambda service, by: service.fork("k@1", "plan", by=by),
    "rename": lambda service, by: service.rename("k/ann--plan", "idea", by=by),
    "amend": lambda service, by: service.amend("k@1", "take 2", by=by, name="better"),
    "play": lambda service, by: service.play("k/ann--better", "take 1", by=by),
    "play_or_raise": lambda service, by: service.play_or_raise("k/ann--better", "take 2", by=by),
    "undo": lambda service, by: service.undo("k/ann--better", 2, by=by),
    "redo": lambda service, by: service.redo("k/ann--better", 1, by=by),
    "goto": lambda service, by: service.goto("k/ann--better@1", by=by),
    "pick": lambda service, by: service.pick("k/ann--idea", "k/main@2", by=by),
    "tag": lambda service, by: service.tag("k@2", "Opening", by=by),
    "untag": lambda service, by: service.untag("k", "opening", by=by),
    "forget": lambda service, by: service.forget("k/ann--better", by=by),
    "say": lambda service, by: service.say("k@1", "hello", by=by),
    "change ask": lambda service, by: service.change(ask, NewRequest(), "k", by=by),
    "change answer": lambda service, by: service.change(answer, RequestReply("withdrawn"), "k", by=by),
    "order": lambda service, by: service.order("k", "take 3", by=by, seat="ann"),
    "take_back_order": lambda service, by: service.take_back_order("k", 1, by=by, seat="ann"),
    "change vote": lambda service, by: service.change(vote, NewVote("wait", "ben"), "k", by=by),
    "bind": lambda service, by: service.bind("k", "ann", PUBLIC_KEY, by=by),
    "new": lambda service, by: service.new("nim", {}, name="other", by=by),
    "open_league": lambda service, by: service.open_league(NewLeague("cup", "nim"), by=by),
    "change_league": lambda service, by: service.change_league("cup", LeagueChange("enter"), by=by),
}
"""Writes that work at both services. Ann or her host makes them in this order, as some build on earlier ones."""
HOST_WRITES = ("new", "open_league", "change_league")
PUBLIC_KEY = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
QUERY_METHODS, WRITE_METHODS = ({name.partition(" ")[0] for name in table} for table in (QUERIES, WRITES))
"""`query votes` is the method `query`, asked about votes."""
METHOD_TABLES: list[Iterable[str]] = [QUERY_METHODS, WRITE_METHODS, KEEPER_METHODS, SERVER_METHODS, DIFFERENCES]


def public_names(service_class: type) -> set[str]:
    """The names of the public members of a class."""
    return {name for name, _ in inspect.getmembers(service_class) if not name.startswith("_")}


def test_each_public_method_of_a_service_is_in_one_table() -> None:
    names = [name for table in METHOD_TABLES for name in table]
    assert sorted(names) == sorted(public_names(GameService))


def test_a_client_lacks_the_methods_of_keepers_and_servers() -> None:
    assert not public_names(RemoteService) & (KEEPER_METHODS | SERVER_METHODS)
    assert public_names(RemoteService) >= {*QUERY_METHODS, *WRITE_METHODS, *DIFFERENCES}
    assert RemoteService.__mro__ == (RemoteService, object)


@pytest.mark.parametrize("name", sorted({*QUERY_METHODS, *WRITE_METHODS}))
def test_both_services_take_the_same_parameters(name: str) -> None:
    local_parameters, remote_parameters = (
        inspect.signature(getattr(service_class, name)).parameters for service_class in (GameService, RemoteService)
    )
    remote_only_names, local_only_names = (
        {"rename": {"shared"}}.get(name, set()),
        {"new": {"keys"}, "fork": {"bots"}, "open_league": {"host"}}.get(name, set()),
    )
    assert {**local_parameters, **{name: remote_parameters[name] for name in remote_only_names}} == {
        **remote_parameters,
        **{name: local_parameters[name] for name in local_only_names},
    }


FIELDS_OF_SERVER = ("command", "place")
"""Fields that only the server adds to an answer."""


def to_plain(value: Any) -> Any:
    """An answer as plain data, without what only one of the services has."""
    match value:
        case Position():
            state = {name: getattr(value.state, name) for name in value.state.__struct_fields__ if name != "atlas"}
            return [msgspec.to_builtins(position_document(value)), to_plain(value.outcome), repr(state)]
        case Commit():
            return repr(value)
        case Certificate():
            return certificates.to_bytes(value)
        case Discussion():
            return [
                value.revision,
                value.allows_help,
                value.takebacks,
                [to_plain(value.of(share_type)) for share_type in dict.fromkeys(share_types().values())],
            ]
        case msgspec.Struct():
            fields = [name for name in value.__struct_fields__ if name not in FIELDS_OF_SERVER]
            return [type(value).__name__, *(to_plain(getattr(value, name)) for name in fields)]
        case Mapping():
            return {key: to_plain(each) for key, each in value.items()}
        case str() | bytes():
            return value
        case Sequence():
            return [to_plain(each) for each in value]
    return repr(value)


def answer_or_error(query: Callable[[], object]) -> Any:
    """The answer, or the error raised."""
    try:
        return to_plain(query())
    except (GameError, StoreError) as error:
        return ["raises", type(error).__name__, str(error)]


class ServedMatch(NamedTuple):
    """A game on a server, its store, and a client of each role."""

    server: LoopbackServer
    recipe: MatchRecipe
    clients: Mapping[str, RemoteService]
    participants: Mapping[str, Participant]


@pytest.fixture(scope="module", params=MATCHES)
def served_match(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedMatch]:
    """A match after some moves and an undo, with a program at a seat, a pace, chat, a tag, a fork and a league."""
    recipe = MATCHES[request.param]
    with loopback_server(tmp_path_factory.mktemp(recipe.kind)) as server:
        member_events: list[MemberEvent] = [GameHosted("hanna"), TermsSet(pace=86400)]
        server.service.new(recipe.kind, recipe.options, name="k", by="hanna", served=member_events)
        for _ in range(recipe.move_count):
            position = server.service.position("k", EVERYTHING)
            text = "take 1" if recipe.kind == "nim" else next(iter(position.legal().texts()))
            server.service.play_or_raise("k", text, by="olga", viewer=EVERYTHING)
        server.service.undo("k", by="olga", viewer=EVERYTHING)
        server.service.redo("k", by="olga", viewer=EVERYTHING)
        server.service.tag("k@1", "early", by="olga", viewer=EVERYTHING)
        server.service.fork("k@1", "what-if", by="olga", viewer=EVERYTHING)
        seat = recipe.seat
        (other_seat,) = (each for each in server.service.position("k").seats if each != seat)
        seat_client = server.sit(seat)
        server.service.seat_bot("k", other_seat, "random", by="hanna", viewer=EVERYTHING)
        seat_client.say("k", "good luck", by=f"{seat}-player", viewer=Viewer(seat))
        server.service.open_league(NewLeague("cup", recipe.kind, public=True), host="hanna", by="hanna")
        for player in ("olga", "ben"):
            server.service.change_league("cup", LeagueChange("enter", player), by="hanna")
        CERTIFICATES[recipe.kind] = server.service.certificate("k@2", EVERYTHING)
        watch_link = format_link(server.url, invite(server.host(), "k", "spectator", "", "wanda", None).token)
        clients = {"host": server.host(), "seat": seat_client, "spectator": server.person("wanda", watch_link)}
        participants = {
            "host": Participant("host", "", "hanna"),
            "seat": Participant("seat", seat, f"{seat}-player", Viewer(seat, own=True)),
        }
        participants |= {
            "spectator": Participant("spectator", "", "wanda"),
            "stranger": Participant("stranger", "", "stan"),
        }
        yield ServedMatch(server, recipe, {**clients, "stranger": server.person("stan")}, participants)


@pytest.mark.parametrize("role", ["host", "seat", "spectator"])
@pytest.mark.parametrize("name", QUERIES)
def test_both_services_answer_the_same(served_match: ServedMatch, name: str, role: str) -> None:
    participant, query = served_match.participants[role], QUERIES[name]
    local_answer = answer_or_error(lambda: query(served_match.server.service, participant, served_match.recipe))
    remote_answer = answer_or_error(lambda: query(served_match.clients[role], participant, served_match.recipe))
    if (name, served_match.recipe.kind, role) in CLIENT_REFUSALS:
        assert remote_answer[:1] == ["raises"]
    else:
        assert remote_answer == local_answer


@pytest.mark.parametrize("name", QUERIES)
def test_the_token_says_who_the_viewer_is(served_match: ServedMatch, name: str) -> None:
    """At a server a command needs no `--as`: without it the client shows what the seat of the token may see."""
    if served_match.recipe.kind == "africana":
        participant, service = served_match.participants["seat"], served_match.clients["seat"]
        answer = answer_or_error(
            lambda: QUERIES[name](service, participant._replace(viewer=TABLE), served_match.recipe)
        )
        assert answer == answer_or_error(lambda: QUERIES[name](service, participant, served_match.recipe))


@pytest.mark.parametrize("name", QUERIES)
def test_a_stranger_gets_the_answer_of_an_empty_store(served_match: ServedMatch, name: str) -> None:
    empty_service = GameService(EventStore.open("memory:"), games=GAMES_BY_KIND)
    participant, query = served_match.participants["stranger"], QUERIES[name]
    local_answer = answer_or_error(lambda: query(empty_service, participant, served_match.recipe))
    remote_answer = answer_or_error(lambda: query(served_match.clients["stranger"], participant, served_match.recipe))
    assert remote_answer == local_answer or (remote_answer[0], local_answer[0]) == ("raises", "raises")


@pytest.fixture(scope="module")
def late_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LoopbackServer]:
    """A match of Nim that was begun two days ago, with an hour for each turn: Ben is out of time."""
    folder = tmp_path_factory.mktemp("late")
    with loopback_server(folder) as server:
        start_time = datetime.now(UTC) - timedelta(days=2)
        past_service = GameService(
            EventStore.open(f"sqlite:///{folder}/games.zim"), lambda: start_time, games=GAMES_BY_KIND
        )
        past_service.new("nim", {"seed": "7"}, name="k", by="hanna", served=[GameHosted("hanna"), TermsSet(pace=3600)])
        for _ in range(3):
            past_service.play_or_raise("k", "take 1", by="olga", viewer=EVERYTHING)
        past_service.store.close()
        yield server


def count_entries(server: LoopbackServer) -> int:
    """The number of entries in the store."""
    return sum(1 for _ in server.service.store.all_entries())


def stored_answer(service: GameService, answer: object) -> object:
    """The store's own answer to the same question."""
    match answer:
        case Position(match=match, line=line, commit=commit):
            return service.position(f"{match}/{line}@{commit.digest}", Viewer("ann"))
        case Replay(position=position, commits=commits, stored=True):
            place = f"{position.match}/{position.line}"
            return Replay(service.position(place), tuple(service.log(place)[-len(commits) :]), stored=True)
        case LeagueAnswer(name=name):
            return service.league(name)
        case Remark():
            return service.talk("k", by="ann-player", viewer=Viewer("ann"))[-1]
        case RequestsAnswer():
            return service.query(requests, PageQuery(), "k", Viewer("ann"))
        case OrdersAnswer():
            return service.orders("k", "ann", Viewer("ann"))
        case VotesAnswer():
            return service.query(votes, PageQuery(), "k")
        case [*tags] if all(isinstance(tag, TagInfo) for tag in tags):
            return service.tags("k")
    raise AssertionError(answer)


def test_a_write_at_a_server_is_stored_as_it_was_answered(late_server: LoopbackServer) -> None:
    link = format_link(late_server.url, invite(late_server.host(), "k", "spectator", "", "wanda", None).token)
    for by, service in (("wanda", late_server.person("wanda", link)), ("stan", late_server.person("stan"))):
        count_before = count_entries(late_server)
        for name, write in WRITES.items():
            with pytest.raises(GameError):
                write(service, by)
            assert count_entries(late_server) == count_before, name
    ann = late_server.sit("ann")
    late_server.sit("ben")
    for name, write in WRITES.items():
        count_before = count_entries(late_server)
        answer = write(
            late_server.host() if name in HOST_WRITES else ann, "hanna" if name in HOST_WRITES else "ann-player"
        )
        assert count_entries(late_server) > count_before, name
        assert to_plain(answer) == to_plain(stored_answer(late_server.service, answer)), name
