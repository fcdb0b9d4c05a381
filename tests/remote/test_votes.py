"""Votes on a seat that is out of time: by both doors, alone and among several."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.remote.loopback_server import LoopbackServer, loopback_server, texts
from tests.server.game_server import KINDS
from zimcore.commits import Position
from zimcore.documents.discussion import LateSeat
from zimcore.game import GameError, UnknownError
from zimcore.service import EventStore, GameService, Viewer
from zimcore.service.memberships import GameHosted, MemberEvent, TermsSet

if TYPE_CHECKING:
    from zimcli.service_types import Door

EARLIER = datetime.now(UTC) - timedelta(days=2)
HOUR = timedelta(hours=1)
ANN, BEN = Viewer("ann"), Viewer("ben")


@pytest.fixture
def late(tmp_path: Path) -> Iterator[LoopbackServer]:
    """A game that was begun two days ago, with an hour for each turn: ann is out of time."""
    with loopback_server(tmp_path) as server:
        past = GameService(EventStore.open(f"sqlite:///{tmp_path}/games.zim"), lambda: EARLIER, games=KINDS)
        past.new("nim", {"seed": "7"}, name="k", by="hanna", served=[GameHosted("hanna"), TermsSet(pace=3600)])
        past.store.close()
        yield server


@pytest.fixture(params=["local", "remote"])
def ben(request: pytest.FixtureRequest, late: LoopbackServer) -> Door:
    late.sit("ann")
    there = late.sit("ben")
    return there if request.param == "remote" else late.service


def test_the_others_wait(ben: Door) -> None:
    assert ben.votes("k").late == (LateSeat("ann", {}, ("ben",)),)
    assert ben.due("k")["ann"].due == EARLIER + HOUR
    answer = ben.vote("k", "wait", by="ben-player", viewer=BEN, command_id="v1")
    assert ben.vote("k", "wait", by="ben-player", viewer=BEN, command_id="v1") == answer, "it is asked for again"
    (vote,) = answer.votes
    assert (vote.seat, vote.about, vote.what, vote.carried, answer.late) == ("ben", "ann", "wait", True, ())
    assert ben.due("k")["ann"].due >= vote.at + HOUR
    assert [each.what for each in ben.discussion("k").votes] == ["wait"]
    with pytest.raises(GameError, match="nobody is out of time"):
        ben.vote("k", "end", by="ben-player", viewer=BEN)


def test_a_bot_takes_the_seat(ben: Door, late: LoopbackServer) -> None:
    ann = late.person("ann-player")
    ben.vote("k", "bot", "ann", by="ben-player", viewer=BEN)
    late.service.names("k")
    assert late.service.bots("k") == {"ann": "quick"}
    with pytest.raises(GameError, match="not valid"):
        ann.play("k", "take 1", by="ann-player", viewer=ANN)


def test_the_match_ends_where_it_stands(ben: Door, late: LoopbackServer) -> None:
    assert ben.vote("k", "end", by="ben-player", viewer=BEN).ended
    ann = late.person("ann-player")
    with pytest.raises(GameError, match="k was ended"):
        ann.play("k", "take 1", by="ann-player", viewer=ANN)
    with pytest.raises(GameError, match="k was ended"):
        late.service.undo("k", by="ben-player")
    assert texts(late.service) == ["0 set up 10"]
    fork = ann.fork("k", "what-if", by="ann-player", viewer=ANN)
    assert ann.play_or_raise(fork.place, "take 1", by="ann-player", seat="ann").commit.number == 1
    assert ben.due("k") == {}


def test_a_seat_without_a_vote_is_refused(ben: Door, late: LoopbackServer) -> None:
    with pytest.raises(UnknownError, match="ben is not out of time"):
        ben.vote("k", "end", "ben", by="ben-player", viewer=BEN)
    with pytest.raises(GameError, match="ann has no vote"):
        late.person("ann-player").vote("k", "wait", by="ann-player", viewer=ANN)
    with pytest.raises(GameError, match="vote: no seat given"):
        late.service.vote("k", "wait", by="eve")


def test_all_the_others_have_to_agree_and_a_move_makes_it_void() -> None:
    now = EARLIER
    service = GameService(EventStore.open("memory:"), lambda: now)
    began: list[MemberEvent] = [GameHosted("hanna"), TermsSet(pace=3600)]
    here = service.new("zimbabwe", {"players": "3", "seed": "7"}, name="z", by="hanna", served=began)
    late, *others = sitting(service, here)
    now += 2 * HOUR

    def vote(seat: str, what: str) -> Mapping[str, str]:
        answer = service.vote("z", what, by=seat, viewer=Viewer(seat))  # type: ignore[arg-type]
        return answer.late[0].votes if answer.late else {}

    assert vote(others[0], "wait") == {others[0]: "wait"}
    assert vote(others[1], "bot") == {others[0]: "wait", others[1]: "bot"}
    assert vote(others[0], "bot") == {}
    assert service.bots("z") == {late: "quick"}
    assert late not in service.members("z").seated

    service = GameService(EventStore.open("memory:"), lambda: now)
    now = EARLIER
    here = service.new("zimbabwe", {"players": "3", "seed": "7"}, name="z", by="hanna", served=began)
    late, *others = sitting(service, here)
    now += 2 * HOUR
    assert vote(others[0], "end") == {others[0]: "end"}
    legal = next(iter(service.head("z").legal().texts("")))
    service.play_or_raise("z", legal, by=late)
    service.undo("z", by=late)
    service.play_or_raise("z", legal, by=late)
    assert service.votes("z").late == ()


def sitting(service: GameService, here: Position) -> list[str]:
    """Everybody sits down; the seat that is to move comes first."""
    from zimcore.service.memberships import SeatOffered, SeatTaken

    events = list[MemberEvent]()
    for seat in here.seats:
        events += [SeatOffered(seat, seat, bytes(32)), SeatTaken(seat, seat, seat, f"{seat}-token", bytes(32))]
    service.enrol("z", lambda _: events, by="hanna")
    return sorted(here.seats, key=lambda seat: seat not in here.to_move)
