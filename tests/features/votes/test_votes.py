"""Votes about a seat that is out of time: on both services, by one voter and by several."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.event_store.golden import check_golden
from tests.remote.loopback_server import LoopbackServer, log_lines, loopback_server
from tests.server.game_server import GAMES_BY_KIND
from zimcore.commits import Position
from zimcore.documents.query_parameters import PageQuery
from zimcore.features.votes.actions import vote, votes
from zimcore.features.votes.documents import LateSeat, NewVote, VoteWhat
from zimcore.features.votes.events import VoteCast, Votes
from zimcore.game import GameError, UnknownError
from zimcore.service import EventStore, GameService, Viewer
from zimcore.service.records.memberships import GameHosted, MemberEvent, TermsSet

if TYPE_CHECKING:
    from zimcli.shell.service_types import AnyService

EARLIER = datetime.now(UTC) - timedelta(days=2)
HOUR = timedelta(hours=1)
ANN, BEN = Viewer("ann"), Viewer("ben")


@pytest.fixture
def late_server(tmp_path: Path) -> Iterator[LoopbackServer]:
    """A game that was begun two days ago, with an hour for each turn: ann is out of time."""
    with loopback_server(tmp_path) as server:
        past_service = GameService(
            EventStore.open(f"sqlite:///{tmp_path}/games.zim"), lambda: EARLIER, games=GAMES_BY_KIND
        )
        past_service.new("nim", {"seed": "7"}, name="k", by="hanna", served=[GameHosted("hanna"), TermsSet(pace=3600)])
        past_service.store.close()
        yield server


@pytest.fixture(params=["local", "remote"])
def ben_service(request: pytest.FixtureRequest, late_server: LoopbackServer) -> AnyService:
    late_server.sit("ann")
    ben_client = late_server.sit("ben")
    return ben_client if request.param == "remote" else late_server.service


def test_a_vote_to_wait_gives_more_time(ben_service: AnyService) -> None:
    assert ben_service.query(votes, PageQuery(), "k").late == (LateSeat("ann", {}, ("ben",)),)
    assert ben_service.due("k")["ann"].due == EARLIER + HOUR
    answer = ben_service.change(vote, NewVote("wait"), "k", by="ben-player", viewer=BEN, command_id="v1")
    assert ben_service.change(vote, NewVote("wait"), "k", by="ben-player", viewer=BEN, command_id="v1") == answer, (
        "a retry with the same id gets the same answer"
    )
    (only_vote,) = answer.votes
    assert (only_vote.seat, only_vote.about, only_vote.what, only_vote.carried, answer.late) == (
        "ben",
        "ann",
        "wait",
        True,
        (),
    )
    assert ben_service.due("k")["ann"].due >= only_vote.at + HOUR
    assert [each.what for each in ben_service.discussion("k").of(Votes).cast] == ["wait"]
    with pytest.raises(GameError, match="nobody is out of time"):
        ben_service.change(vote, NewVote("end"), "k", by="ben-player", viewer=BEN)


def test_a_vote_for_a_bot_gives_it_the_seat(ben_service: AnyService, late_server: LoopbackServer) -> None:
    ann_client = late_server.person("ann-player")
    ben_service.change(vote, NewVote("bot", "ann"), "k", by="ben-player", viewer=BEN)
    late_server.service.names("k")
    assert late_server.service.bots("k") == {"ann": "quick"}
    with pytest.raises(GameError, match="not valid"):
        ann_client.play("k", "take 1", by="ann-player", viewer=ANN)


def test_a_vote_to_end_ends_the_match_where_it_stands(ben_service: AnyService, late_server: LoopbackServer) -> None:
    assert ben_service.change(vote, NewVote("end"), "k", by="ben-player", viewer=BEN).ended
    ann_client = late_server.person("ann-player")
    with pytest.raises(GameError, match="k was ended"):
        ann_client.play("k", "take 1", by="ann-player", viewer=ANN)
    with pytest.raises(GameError, match="k was ended"):
        late_server.service.undo("k", by="ben-player")
    assert log_lines(late_server.service) == ["0 set up 10"]
    fork_position = ann_client.fork("k", "what-if", by="ann-player", viewer=ANN)
    assert ann_client.play_or_raise(fork_position.place, "take 1", by="ann-player", seat="ann").commit.number == 1
    assert ben_service.due("k") == {}


def test_a_seat_without_a_vote_is_refused(ben_service: AnyService, late_server: LoopbackServer) -> None:
    with pytest.raises(UnknownError, match="ben is not out of time"):
        ben_service.change(vote, NewVote("end", "ben"), "k", by="ben-player", viewer=BEN)
    with pytest.raises(GameError, match="ann has no vote"):
        late_server.person("ann-player").change(vote, NewVote("wait"), "k", by="ann-player", viewer=ANN)
    with pytest.raises(GameError, match="vote: no seat given"):
        late_server.service.change(vote, NewVote("wait"), "k", by="eve")


def test_a_vote_needs_all_others_and_ends_with_a_move() -> None:
    now = EARLIER
    service = GameService(EventStore.open("memory:"), lambda: now)
    member_events: list[MemberEvent] = [GameHosted("hanna"), TermsSet(pace=3600)]
    position = service.new("zimbabwe", {"players": "3", "seed": "7"}, name="z", by="hanna", served=member_events)
    late_seat, *other_seats = seat_players(service, position)
    now += 2 * HOUR

    def cast(seat: str, choice: VoteWhat) -> Mapping[str, str]:
        answer = service.change(vote, NewVote(choice), "z", by=seat, viewer=Viewer(seat))
        return answer.late[0].votes if answer.late else {}

    assert cast(other_seats[0], "wait") == {other_seats[0]: "wait"}
    assert cast(other_seats[1], "bot") == {other_seats[0]: "wait", other_seats[1]: "bot"}
    assert cast(other_seats[0], "bot") == {}
    assert service.bots("z") == {late_seat: "quick"}
    assert late_seat not in service.members("z").token_ids

    service = GameService(EventStore.open("memory:"), lambda: now)
    now = EARLIER
    position = service.new("zimbabwe", {"players": "3", "seed": "7"}, name="z", by="hanna", served=member_events)
    late_seat, *other_seats = seat_players(service, position)
    now += 2 * HOUR
    assert cast(other_seats[0], "end") == {other_seats[0]: "end"}
    legal_text = next(iter(service.head("z").legal().texts("")))
    service.play_or_raise("z", legal_text, by=late_seat)
    service.undo("z", by=late_seat)
    service.play_or_raise("z", legal_text, by=late_seat)
    assert service.query(votes, PageQuery(), "z").late == ()


def seat_players(service: GameService, position: Position) -> list[str]:
    """Seats a player everywhere; returns the seats, first the one whose turn it is."""
    from zimcore.service.records.memberships import SeatOffered, SeatTaken

    events = list[MemberEvent]()
    for seat in position.seats:
        events += [SeatOffered(seat, seat, bytes(32)), SeatTaken(seat, seat, seat, f"{seat}-token", bytes(32))]
    service.change_members("z", lambda _: events, by="hanna")
    return sorted(position.seats, key=lambda seat: seat not in position.to_move)


def test_the_stored_bytes_of_a_vote() -> None:
    check_golden(
        Path(__file__).with_name("golden.json"), [VoteCast("ann", "zulu", "wait", bytes(range(16)), carried=True)]
    )
