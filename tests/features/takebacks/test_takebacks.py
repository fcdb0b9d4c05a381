"""Takebacks with consent, on both services: a request shows its effects, and is carried out when all agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from tests.event_store.golden import check_golden
from tests.remote.loopback_server import log_lines, loopback_server
from tests.server.game_server import GAMES_BY_KIND
from zimcore.analysis.help_permission import check_help_allowed
from zimcore.documents.discussion import Takebacks
from zimcore.documents.query_parameters import PageQuery
from zimcore.features.takebacks.actions import answer, ask, requests
from zimcore.features.takebacks.documents import NewRequest, RequestInfo, RequestReply
from zimcore.features.takebacks.events import RequestAnswered, RequestGranted, RequestWithdrawn, TakebackRequested
from zimcore.game import GameError, RefusedError, UnknownError
from zimcore.service import ConflictError, EventStore, GameService, TakenError, Viewer
from zimcore.service.records.discussion import TakebacksAgreed, terms_events
from zimcore.service.records.memberships import GameHosted

if TYPE_CHECKING:
    from zimcli.shell.service_types import AnyService

VIEWERS_BY_SEAT = {"ann": Viewer("ann", own=True), "ben": Viewer("ben", own=True)}


class Players(NamedTuple):
    """The services of two who play a game of Nim with ten stones."""

    ann: AnyService
    ben: AnyService

    def play(self, *moves: str) -> None:
        for text in moves:
            seat = self.ann.position("k").to_move[0]
            self.service_of(seat).play_or_raise("k", text, by=f"{seat}-player")

    def service_of(self, seat: str) -> AnyService:
        return self.ann if seat == "ann" else self.ben

    def ask(self, seat: str, steps: int = 1, place: str = "k", move: str = "", **options: Any) -> RequestInfo:
        options |= {"by": f"{seat}-player", "viewer": VIEWERS_BY_SEAT[seat]}
        (request,) = self.service_of(seat).change(ask, NewRequest(steps, move=move), place, **options).requests
        return request

    def answer(self, seat: str, reply: RequestReply, number: int, **options: Any) -> RequestInfo:
        path = {"number": number} if number else {}
        options |= {"by": f"{seat}-player", "viewer": VIEWERS_BY_SEAT[seat]}
        (request,) = self.service_of(seat).change(answer, reply, "k", path, **options).requests
        return request

    def accept(self, seat: str, number: int = 0, **options: str) -> RequestInfo:
        return self.answer(seat, RequestReply("granted"), number, **options)

    def decline(self, seat: str, number: int = 0) -> RequestInfo:
        return self.answer(seat, RequestReply("declined"), number)

    def withdraw(self, seat: str, number: int = 0) -> RequestInfo:
        return self.answer(seat, RequestReply("withdrawn"), number)

    def requests(self, seat: str) -> Sequence[RequestInfo]:
        return self.service_of(seat).query(requests, PageQuery(), "k").requests

    def undo(self, seat: str, steps: int = 1) -> None:
        self.service_of(seat).undo("k", steps, by=f"{seat}-player", viewer=VIEWERS_BY_SEAT[seat])

    def request_statuses(self) -> list[str]:
        statuses = [[request.status for request in self.requests(seat)] for seat in VIEWERS_BY_SEAT]
        assert statuses[0] == statuses[1]
        return [*statuses[0]]


@pytest.fixture(params=["ask", "free", "never"])
def takebacks(request: pytest.FixtureRequest) -> Takebacks:
    parameter: Takebacks = request.param
    return parameter


@pytest.fixture(params=["local", "remote"])
def players(request: pytest.FixtureRequest, takebacks: Takebacks, tmp_path: Path) -> Iterator[Players]:
    terms = [TakebacksAgreed(takebacks)] if takebacks != "ask" else []
    if request.param == "remote":
        with loopback_server(tmp_path) as server:
            member_events = [GameHosted("hanna")]
            server.service.new("nim", {"seed": "7"}, name="k", by="hanna", served=member_events, agreed=terms)
            yield Players(server.sit("ann"), server.sit("ben"))
        return
    services = [GameService(EventStore.open(f"sqlite:///{tmp_path}/k.zim"), games=GAMES_BY_KIND) for _ in range(2)]
    services[0].new("nim", {"seed": "7"}, name="k", by="hanna", agreed=terms)
    yield Players(services[0], services[1])
    for service in services:
        service.store.close()


only_with_consent = pytest.mark.parametrize("takebacks", ["ask"], indirect=True)


@only_with_consent
def test_a_takeback_that_all_accept_is_done_and_logged(players: Players) -> None:
    players.play("take 3", "take 1")
    with pytest.raises(GameError, match="you can only take back your own moves") as error:
        players.undo("ann", 2)
    assert error.value.hints == ("takeback 2",)
    takeback = players.ask("ann", 2)
    assert (takeback.status, takeback.seat, takeback.to, takeback.waiting) == ("open", "ann", 0, ("ben",))
    assert [each.text for each in takeback.gone] == ["take 3", "take 1"]
    assert players.requests("ben") == (takeback,)
    granted_request = players.accept("ben")
    assert (granted_request.status, granted_request.accepted) == ("granted", ("ben",))
    assert log_lines(players.ann) == log_lines(players.ben) == ["0 set up 10"]
    assert log_lines(players.ann, all_=True) == ["0 set up 10", "1 take 3", "2 take 1"]
    assert players.ann.verify("k").fault is None
    operations = [(each.what, each.source) for each in players.ben.operations("k") if each.what not in ("play", "move")]
    assert operations[-3:] == [("request", "ann"), ("accept", "ben"), ("grant", "ann")]
    players.play("take 2")
    assert log_lines(players.ben) == ["0 set up 10", "1 take 2"]


@only_with_consent
def test_a_declined_or_withdrawn_takeback_changes_nothing(players: Players) -> None:
    players.play("take 3", "take 1")
    first_request = players.ask("ann", 2)
    assert players.decline("ben").status == "declined"
    assert players.request_statuses() == ["declined"]
    with pytest.raises(GameError, match=f"request {first_request.number} is declined"):
        players.accept("ben", first_request.number)
    second_request = players.ask("ann", 2)
    with pytest.raises(GameError, match="does not wait for ann"):
        players.accept("ann", second_request.number)
    with pytest.raises(GameError, match="only they can withdraw it"):
        players.withdraw("ben", second_request.number)
    assert players.withdraw("ann").status == "withdrawn"
    with pytest.raises(UnknownError):
        players.accept("ben")
    with pytest.raises(UnknownError, match="there is no request 99"):
        players.accept("ben", 99)
    assert log_lines(players.ben) == ["0 set up 10", "1 take 3", "2 take 1"]
    assert players.request_statuses() == ["declined", "withdrawn"]


@only_with_consent
def test_a_request_lapses_when_its_line_moves_on(players: Players) -> None:
    players.play("take 3", "take 1")
    takeback = players.ask("ann", 2)
    players.play("take 2")
    assert players.request_statuses() == ["lapsed"]
    with pytest.raises(GameError, match=f"request {takeback.number} is lapsed"):
        players.accept("ben", takeback.number)
    players.undo("ann")
    assert players.request_statuses() == ["lapsed"], "a lapsed request stays lapsed when the head is back"
    digest = players.ann.position("k").commit.digest
    players.play("take 1")
    with pytest.raises(ConflictError):
        players.ask("ann", 2, expected=digest)


@only_with_consent
def test_a_request_to_replace_a_move_keeps_the_later_ones(players: Players) -> None:
    players.play("take 3", "take 3", "take 3")
    takeback = players.ask("ann", place="k@1", move="take 2")
    assert (takeback.to, takeback.move, takeback.status) == (0, "take 2", "open")
    assert [each.text for each in takeback.gone] == ["take 3"], "the other moves stay played"
    players.withdraw("ann")
    with pytest.raises(GameError, match="take 3 is not yours"):
        players.ask("ann", place="k@2", move="take 2")
    with pytest.raises(RefusedError):
        players.ask("ann", place="k@1", move="take 9")
    with pytest.raises(GameError, match="is the set-up"):
        players.ask("ann", place="k@0", move="take 1")


@only_with_consent
def test_conflicting_moves_are_shown_first_and_then_left_out(players: Players) -> None:
    players.play("take 1", "take 3", "take 3", "take 2")
    takeback = players.ask("ann", place="k@1", move="take 3")
    assert [each.text for each in takeback.gone] == ["take 1", "take 2"]
    assert players.requests("ben") == (takeback,)
    assert players.accept("ben", takeback.number).status == "granted"
    assert log_lines(players.ben) == log_lines(players.ann) == ["0 set up 10", "1 take 3", "2 take 3", "3 take 3"]
    assert players.ben.verify("k").fault is None


@only_with_consent
def test_a_request_with_an_id_is_asked_and_answered_once(players: Players) -> None:
    players.play("take 3", "take 1")
    takeback = players.ask("ann", 2, command_id="c1")
    assert players.ask("ann", 2, command_id="c1") == takeback
    with pytest.raises(TakenError):
        players.ask("ann", 1, command_id="c1")
    assert players.accept("ben", takeback.number, command_id="c2").status == "granted"
    assert players.accept("ben", takeback.number, command_id="c2").status == "granted"
    assert players.request_statuses() == ["granted"]
    assert log_lines(players.ben) == ["0 set up 10"]


@only_with_consent
def test_a_takeback_of_too_many_moves_or_of_a_finished_game_is_refused(players: Players) -> None:
    players.play("take 3")
    with pytest.raises(UnknownError, match="you can undo no more than 1"):
        players.ask("ben", 5)
    players.play("take 3", "take 3", "take 1")
    with pytest.raises(GameError, match="a finished game can't be changed"):
        players.ask("ann", 2)


def test_undo_follows_what_was_agreed_when_the_game_began(players: Players, takebacks: Takebacks) -> None:
    players.play("take 3", "take 1")
    if takebacks == "never":
        for takeback_call in (lambda: players.undo("ben"), lambda: players.ask("ann", 2)):
            with pytest.raises(GameError, match="takebacks are off in this game"):
                takeback_call()
    elif takebacks == "free":
        players.undo("ann", 2)
        assert log_lines(players.ben) == ["0 set up 10"]
        players.play("take 2", "take 1")
        takeback = players.ask("ann", 2)
        assert (takeback.status, takeback.waiting) == ("granted", ())
        assert log_lines(players.ben) == ["0 set up 10"]
    else:
        players.undo("ben")
        assert log_lines(players.ann) == ["0 set up 10", "1 take 3"]


@pytest.mark.parametrize("is_help_allowed", [False, True])
def test_a_client_knows_whether_program_help_is_allowed(tmp_path: Path, is_help_allowed: bool) -> None:
    with loopback_server(tmp_path) as server:
        member_events = [GameHosted("hanna")]
        server.service.new(
            "nim", {}, name="k", by="hanna", served=member_events, agreed=terms_events("ask", helps=is_help_allowed)
        )
        with nullcontext() if is_help_allowed else pytest.raises(GameError, match="help is off"):
            check_help_allowed(server.sit("ann"), "k")


def test_the_stored_bytes_of_takeback_requests() -> None:
    events = [
        TakebackRequested("zulu", "5f3b", 41, bytes(range(16)), bytes(range(16, 32)), "build d7"),
        RequestAnswered(7, "kilwa", accepted=True),
        RequestWithdrawn(7),
        RequestGranted(7),
    ]
    check_golden(Path(__file__).with_name("golden.json"), events)
