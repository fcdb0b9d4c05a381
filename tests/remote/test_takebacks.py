"""Takebacks with consent, on both services: requested with their effects, and done when all agree."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.remote.loopback_server import loopback_server, texts
from tests.server.game_server import KINDS
from zimcore.analysis.allowed import check_help_allowed
from zimcore.documents.discussion import RequestInfo, Takebacks
from zimcore.game import GameError, RefusedError, UnknownError
from zimcore.service import ConflictError, EventStore, GameService, TakenError, Viewer
from zimcore.service.discussion import TakebacksAgreed, terms_events
from zimcore.service.memberships import GameHosted

if TYPE_CHECKING:
    from zimcli.service_types import Door

SEATS = {"ann": Viewer("ann", own=True), "ben": Viewer("ben", own=True)}


class Doors(NamedTuple):
    """The services of two who play a game of Nim with ten stones."""

    ann: Door
    ben: Door

    def play(self, *moves: str) -> None:
        for text in moves:
            seat = self.ann.position("k").to_move[0]
            self.of(seat).play_or_raise("k", text, by=f"{seat}-player")

    def of(self, seat: str) -> Door:
        return self.ann if seat == "ann" else self.ben

    def ask(self, seat: str, steps: int = 1, place: str = "k", **more: str) -> RequestInfo:
        return self.of(seat).ask(place, steps, by=f"{seat}-player", viewer=SEATS[seat], **more)

    def accept(self, seat: str, number: int = 0, **extra: str) -> RequestInfo:
        return self.of(seat).answer("k", "granted", number, by=f"{seat}-player", viewer=SEATS[seat], **extra)

    def decline(self, seat: str, number: int = 0) -> RequestInfo:
        return self.of(seat).answer("k", "declined", number, by=f"{seat}-player", viewer=SEATS[seat])

    def withdraw(self, seat: str, number: int = 0) -> RequestInfo:
        return self.of(seat).answer("k", "withdrawn", number, by=f"{seat}-player", viewer=SEATS[seat])

    def undo(self, seat: str, steps: int = 1) -> None:
        self.of(seat).undo("k", steps, by=f"{seat}-player", viewer=SEATS[seat])

    def status(self) -> list[str]:
        statuses = [[each.status for each in self.of(seat).requests("k")] for seat in SEATS]
        assert statuses[0] == statuses[1]
        return [*statuses[0]]


@pytest.fixture(params=["ask", "free", "never"])
def how(request: pytest.FixtureRequest) -> Takebacks:
    parameter: Takebacks = request.param
    return parameter


@pytest.fixture(params=["local", "remote"])
def doors(request: pytest.FixtureRequest, how: Takebacks, tmp_path: Path) -> Iterator[Doors]:
    terms = [TakebacksAgreed(how)] if how != "ask" else []
    if request.param == "remote":
        with loopback_server(tmp_path) as server:
            served = [GameHosted("hanna")]
            server.service.new("nim", {"seed": "7"}, name="k", by="hanna", served=served, agreed=terms)
            yield Doors(server.sit("ann"), server.sit("ben"))
        return
    services = [GameService(EventStore.open(f"sqlite:///{tmp_path}/k.zim"), games=KINDS) for _ in range(2)]
    services[0].new("nim", {"seed": "7"}, name="k", by="hanna", agreed=terms)
    yield Doors(services[0], services[1])
    for service in services:
        service.store.close()


asks = pytest.mark.parametrize("how", ["ask"], indirect=True)


@asks
def test_what_all_agree_to_is_done_at_once_and_named_in_the_log(doors: Doors) -> None:
    doors.play("take 3", "take 1")
    with pytest.raises(GameError, match="only what you have played last can be taken back") as error:
        doors.undo("ann", 2)
    assert error.value.hints == ("takeback 2",)
    takeback = doors.ask("ann", 2)
    assert (takeback.status, takeback.seat, takeback.to, takeback.waiting) == ("open", "ann", 0, ("ben",))
    assert [each.text for each in takeback.gone] == ["take 3", "take 1"]
    assert doors.ben.requests("k") == [takeback]
    granted = doors.accept("ben")
    assert (granted.status, granted.accepted) == ("granted", ("ben",))
    assert texts(doors.ann) == texts(doors.ben) == ["0 set up 10"]
    assert texts(doors.ann, all_=True) == ["0 set up 10", "1 take 3", "2 take 1"]
    assert doors.ann.verify("k").fault is None
    operations = [(each.what, each.source) for each in doors.ben.operations("k") if each.what not in ("play", "move")]
    assert operations[-3:] == [("request", "ann"), ("accept", "ben"), ("grant", "ann")]
    doors.play("take 2")
    assert texts(doors.ben) == ["0 set up 10", "1 take 2"]


@asks
def test_what_is_declined_or_withdrawn_changes_nothing(doors: Doors) -> None:
    doors.play("take 3", "take 1")
    first = doors.ask("ann", 2)
    assert doors.decline("ben").status == "declined"
    assert doors.status() == ["declined"]
    with pytest.raises(GameError, match=f"request {first.number} is declined"):
        doors.accept("ben", first.number)
    second = doors.ask("ann", 2)
    with pytest.raises(GameError, match="does not wait for ann"):
        doors.accept("ann", second.number)
    with pytest.raises(GameError, match="only they can withdraw it"):
        doors.withdraw("ben", second.number)
    assert doors.withdraw("ann").status == "withdrawn"
    with pytest.raises(UnknownError):
        doors.accept("ben")
    with pytest.raises(UnknownError, match="there is no request 99"):
        doors.accept("ben", 99)
    assert texts(doors.ben) == ["0 set up 10", "1 take 3", "2 take 1"]
    assert doors.status() == ["declined", "withdrawn"]


@asks
def test_a_request_lapses_when_its_line_moves_on(doors: Doors) -> None:
    doors.play("take 3", "take 1")
    takeback = doors.ask("ann", 2)
    doors.play("take 2")
    assert doors.status() == ["lapsed"]
    with pytest.raises(GameError, match=f"request {takeback.number} is lapsed"):
        doors.accept("ben", takeback.number)
    doors.undo("ann")
    assert doors.status() == ["lapsed"], "that the head is back does not call it back"
    digest = doors.ann.position("k").commit.digest
    doors.play("take 1")
    with pytest.raises(ConflictError):
        doors.ask("ann", 2, expected=digest)


@asks
def test_a_move_is_replaced_and_what_still_stands_is_played_again(doors: Doors) -> None:
    doors.play("take 3", "take 3", "take 3")
    takeback = doors.ask("ann", place="k@1", move="take 2")
    assert (takeback.to, takeback.move, takeback.status) == (0, "take 2", "open")
    assert [each.text for each in takeback.gone] == ["take 3"], "the others stand"
    doors.withdraw("ann")
    with pytest.raises(GameError, match="take 3 is not yours"):
        doors.ask("ann", place="k@2", move="take 2")
    with pytest.raises(RefusedError):
        doors.ask("ann", place="k@1", move="take 9")
    with pytest.raises(GameError, match="is the set-up"):
        doors.ask("ann", place="k@0", move="take 1")


@asks
def test_conflicts_are_shown_before_and_left_out_then(doors: Doors) -> None:
    doors.play("take 1", "take 3", "take 3", "take 2")
    takeback = doors.ask("ann", place="k@1", move="take 3")
    assert [each.text for each in takeback.gone] == ["take 1", "take 2"]
    assert doors.ben.requests("k") == [takeback]
    assert doors.accept("ben", takeback.number).status == "granted"
    assert texts(doors.ben) == texts(doors.ann) == ["0 set up 10", "1 take 3", "2 take 3", "3 take 3"]
    assert doors.ben.verify("k").fault is None


@asks
def test_the_same_with_its_id_is_asked_and_answered_once(doors: Doors) -> None:
    doors.play("take 3", "take 1")
    takeback = doors.ask("ann", 2, command_id="c1")
    assert doors.ask("ann", 2, command_id="c1") == takeback
    with pytest.raises(TakenError):
        doors.ask("ann", 1, command_id="c1")
    assert doors.accept("ben", takeback.number, command_id="c2").status == "granted"
    assert doors.accept("ben", takeback.number, command_id="c2").status == "granted"
    assert doors.status() == ["granted"]
    assert texts(doors.ben) == ["0 set up 10"]


@asks
def test_what_there_is_not_can_not_be_taken_back(doors: Doors) -> None:
    doors.play("take 3")
    with pytest.raises(UnknownError, match="you can undo no more than 1"):
        doors.ask("ben", 5)
    doors.play("take 3", "take 3", "take 1")
    with pytest.raises(GameError, match="a finished game can't be changed"):
        doors.ask("ann", 2)


def test_as_it_was_agreed_when_the_game_began(doors: Doors, how: Takebacks) -> None:
    doors.play("take 3", "take 1")
    if how == "never":
        for what in (lambda: doors.undo("ben"), lambda: doors.ask("ann", 2)):
            with pytest.raises(GameError, match="takebacks are off in this game"):
                what()
    elif how == "free":
        doors.undo("ann", 2)
        assert texts(doors.ben) == ["0 set up 10"]
        doors.play("take 2", "take 1")
        takeback = doors.ask("ann", 2)
        assert (takeback.status, takeback.waiting) == ("granted", ())
        assert texts(doors.ben) == ["0 set up 10"]
    else:
        doors.undo("ben")
        assert texts(doors.ann) == ["0 set up 10", "1 take 3"]


@pytest.mark.parametrize("helps", [False, True])
def test_whether_programs_help_is_known_on_the_other_side_of_the_network(tmp_path: Path, helps: bool) -> None:
    with loopback_server(tmp_path) as server:
        served = [GameHosted("hanna")]
        server.service.new("nim", {}, name="k", by="hanna", served=served, agreed=terms_events("ask", helps=helps))
        with nullcontext() if helps else pytest.raises(GameError, match="help is off"):
            check_help_allowed(server.sit("ann"), "k")
