"""Both services, local and remote, behave alike: one suite runs on each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.remote.loopback_server import LoopbackServer, log_lines, loopback_server
from tests.server.game_server import GAMES_BY_KIND
from zimcore.documents.positions import commit_documents, position_document
from zimcore.game import AmbiguousError, GameError, NotationError, Refused, RefusedError, UnknownError
from zimcore.history import bisect, compare, parse, why
from zimcore.service import ConflictError, EventStore, GameService, Position, Replay, TakenError, Viewer

if TYPE_CHECKING:
    from zimcli.shell.service_types import AnyService


class Players(NamedTuple):
    """The services of two players, and the server if they are remote."""

    ann: AnyService
    ben: AnyService
    server: LoopbackServer | None

    def play(self, *moves: str, place: str = "k") -> Position:
        """Plays moves, each by the seat whose turn it is."""
        position = self.ann.position(place)
        for text in moves:
            seat = position.to_move[0]
            service = {"ann": self.ann, "ben": self.ben}[seat]
            position = service.play_or_raise(place, text, by=f"{seat}-player")
        return position


@pytest.fixture(params=["local", "remote"])
def players(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Players]:
    """A game of Nim with ten stones: k, for ann and ben."""
    if request.param == "remote":
        with loopback_server(tmp_path) as server:
            server.begin_game("nim", {"seed": "7"})
            yield Players(server.sit("ann"), server.sit("ben"), server)
        return
    services = [GameService(EventStore.open(f"sqlite:///{tmp_path}/k.zim"), games=GAMES_BY_KIND) for _ in range(2)]
    services[0].new("nim", {"seed": "7"}, name="k", by="hanna")
    yield Players(services[0], services[1], None)
    for service in services:
        service.store.close()


def test_positions_and_logs_are_read(players: Players) -> None:
    position = players.play("take 3", "take 1")
    assert log_lines(players.ann) == log_lines(players.ben) == ["0 set up 10", "1 take 3", "2 take 1"]
    assert position.commit.by == "ben-player"
    assert players.ann.position("k@1").figures["stones"] == 7
    assert players.ann.position(f"k@{position.commit.digest[:6]}").commit.digest == position.commit.digest
    assert players.ann.marks("k") == players.ben.marks("k")
    assert players.ann.head("k").to_move == ("ann",)
    with pytest.raises(GameError, match="k@1 is a position"):
        players.ann.head("k@1")
    assert position_document(players.ann.position("k")) == position_document(players.ben.position("k"))
    assert commit_documents(players.ann.log("k")) == commit_documents(players.ben.log("k"))


def test_a_refusal_is_data_with_every_broken_rule_and_hints(players: Players) -> None:
    answer = players.ann.play("k", "take 9", by="ann-player")
    assert isinstance(answer, Refused)
    local_service = GameService(EventStore.open("memory:"), games=GAMES_BY_KIND)
    local_service.new("nim", {"seed": "7"}, name="k", by="hanna")
    assert answer == local_service.play("k", "take 9", by="ann")
    assert log_lines(players.ben) == ["0 set up 10"]
    with pytest.raises(RefusedError, match="take 9"):
        players.ann.play_or_raise("k", "take 9", by="ann-player")


def test_an_unknown_command_is_a_notation_error(players: Players) -> None:
    with pytest.raises(NotationError) as error:
        players.ann.play("k", "dance", by="ann-player")
    assert not isinstance(error.value, AmbiguousError)
    assert "dance" in error.value.what


def test_a_stale_head_is_a_conflict_that_names_where_it_is(players: Players) -> None:
    digest = players.ann.position("k").commit.digest
    head = players.play("take 1", "take 1").commit.digest
    with pytest.raises(ConflictError, match="k/main has moved on") as error:
        players.ann.play("k", "take 2", by="ann-player", expected=digest)
    assert error.value.head == head
    assert len(log_lines(players.ann)) == 3
    with pytest.raises(ConflictError, match="k/main has moved on"):
        players.ann.play("k", "take 2", by="ann-player", expected="ffffffff")
    with pytest.raises(GameError, match="not a digest: 'what'"):
        players.ann.play("k", "take 2", by="ann-player", expected="what")
    assert players.ann.play_or_raise("k", "take 2", by="ann-player", expected=head[:8]).commit.number == 3


def test_a_move_with_an_id_is_played_once(players: Players) -> None:
    first_position = players.ann.play_or_raise("k", "take 3", by="ann-player", command_id="a long walk")
    players.play("take 1")
    second_position = players.ann.play_or_raise("k", "take 3", by="ann-player", command_id="a long walk")
    assert second_position.commit.digest == first_position.commit.digest
    with pytest.raises(TakenError, match="is taken"):
        players.ann.play("k", "take 2", by="ann-player", command_id="a long walk")
    with pytest.raises(TakenError, match="is taken"):
        players.ben.play("k", "take 3", by="ben-player", seat="ben", command_id="a long walk")
    assert log_lines(players.ben) == ["0 set up 10", "1 take 3", "2 take 1"]


def test_the_head_goes_back_and_forth(players: Players) -> None:
    players.play("take 1", "take 2")
    assert players.ben.undo("k", by="ben-player").commit.number == 1
    assert log_lines(players.ann) == ["0 set up 10", "1 take 1"]
    assert log_lines(players.ann, all_=True) == ["0 set up 10", "1 take 1", "2 take 2"]
    assert players.ben.redo("k", by="ben-player").commit.number == 2
    assert players.ben.goto("k@1", by="ben-player").commit.number == 1
    with pytest.raises(UnknownError, match="you can redo no more than 1"):
        players.ben.redo("k", 5, by="ben-player")
    players.play("take 3")
    assert log_lines(players.ann, all_=True) == ["0 set up 10", "1 take 1", "2 take 2", "2 take 3"]
    operation_kinds = [each.what for each in players.ann.operations("k") if each.before or each.after]
    assert operation_kinds == ["play", "play", "play", "move", "move", "move", "play"]


def test_an_undo_with_an_id_is_done_once(players: Players) -> None:
    players.play("take 1")
    first_position = players.ann.undo("k", by="ann-player", command_id="u1")
    assert players.ann.undo("k", by="ann-player", command_id="u1").commit.digest == first_position.commit.digest
    assert log_lines(players.ben) == ["0 set up 10"]


def test_a_fork_is_the_current_line_of_the_person_who_forks(players: Players) -> None:
    players.play("take 1", "take 2")
    fork_position = players.ann.fork("k@1", "what-if", by="ann-player")
    assert (fork_position.commit.number, fork_position.line.endswith("what-if")) == (1, True)
    assert players.ann.current_line("k", by="ann-player") == f"k/{fork_position.line}"
    assert players.ben.current_line("k", by="ben-player") == "k"
    position = players.ann.play_or_raise(fork_position.place, "take 3", by="ann-player", seat="ben")
    assert position.figures["stones"] == 6
    assert log_lines(players.ann, fork_position.place) == ["0 set up 10", "1 take 1", "2 take 3"]
    assert log_lines(players.ann, "k/main") == ["0 set up 10", "1 take 1", "2 take 2"]
    (main_line, private_line) = players.ann.lines("k", by="ann-player")
    assert (main_line.name, private_line.name, private_line.parent, private_line.forked_at, private_line.current) == (
        "main",
        fork_position.line,
        "main",
        1,
        True,
    )
    assert players.ann.switch("k/main", by="ann-player").line == "main"
    assert players.ann.current_line("k", by="ann-player") == "k"
    renamed_position = players.ann.rename(fork_position.place, "better", by="ann-player")
    assert renamed_position.line.endswith("better")
    assert [each.name for each in players.ann.lines("k", by="ann-player")] == ["main", renamed_position.line]
    with pytest.raises(UnknownError):
        players.ann.position(fork_position.place)


def test_questions_to_the_past_are_answered(players: Players) -> None:
    players.play("take 1", "take 2", "take 3")
    ann, position = players.ann, players.ann.position("k")
    assert [posting.commit.text for posting in why(position.game, ann.log("k"), "stones").changes] == [
        *("take 3", "take 2", "take 1", "set up 10"),
    ]
    turns = bisect(position.game, ann.log("k"), parse("stones < 8")).turning_points
    assert [after.commit.text for _, after in turns] == ["take 2"]
    fork_position = ann.fork("k@1", "what-if", by="ann-player")
    ann.play_or_raise(fork_position.place, "take 1", by="ann-player", seat="ben")
    comparison = compare(position.game, ann.log("k/main"), ann.log(fork_position.place))
    assert [len(side) for side in (comparison.only_a, comparison.only_b)] == [2, 1]
    trial = ann.try_("k/main", ["take 1", "take 2"])
    assert [each.figures["stones"] for each in trial.positions] == [3, 1]
    assert list(position.legal().texts("take 1")) == ["take 1"]


def test_a_line_verifies_and_its_certificate_proves_it(players: Players) -> None:
    players.play("take 1", "take 2", "take 3")
    audit = players.ben.verify("k")
    assert (audit.fault, audit.commits, audit.digest) == (None, 4, players.ann.position("k").commit.digest)
    from zimcore.service.proofs import certificates

    certificate = certificates.to_bytes(players.ben.certificate("k"))
    assert players.ann.position("k").commit.digest.encode() in certificate


def test_games_are_listed_and_unknown_names_are_errors(players: Players) -> None:
    players.play("take 1")
    (game_info,) = players.ann.games(by="ann-player")
    assert (game_info.name, game_info.kind, game_info.line, game_info.head, game_info.seats) == (
        "k",
        "nim",
        "main",
        1,
        ("ann", "ben"),
    )
    assert players.ann.game_names() == ["k"]
    assert players.ann.has_game("k")
    assert not players.ann.has_game("chess-1")
    with pytest.raises(UnknownError, match="no line called 'nowhere'"):
        players.ann.position("k/nowhere")
    with pytest.raises(UnknownError):
        players.ann.position("k@99")
    assert players.ann.resolve("@1", "k/main") == "k/main@1"
    assert players.ann.resolve("main@1", "k/main") == "k/main@1"
    with pytest.raises(UnknownError, match="there is no game and no line of k called 'nothing'"):
        players.ann.resolve("nothing", "k/main")


def test_news_has_the_moves_since_a_revision(players: Players) -> None:
    revision_before = players.ann.revision("k")
    players.play("take 1", "take 2")
    assert [each.position.commit.text for each in players.ann.news("k", revision_before)] == ["take 1", "take 2"]


def remark_texts(service: AnyService, seat: str) -> list[str]:
    return [each.text for each in service.talk("k", by=f"{seat}-player", viewer=Viewer(seat))]


def test_talk_has_the_messages_of_all_and_own_notes(players: Players) -> None:
    ann, ben = players.ann, players.ben
    position = players.play("take 3")
    first_remark = ann.say("k", "good luck", by="ann-player", command_id="c1", viewer=Viewer("ann"))
    assert ann.say("k", "good luck", by="ann-player", command_id="c1", viewer=Viewer("ann")) == first_remark
    ann.say("k", "my plan", by="ann-player", own=True, viewer=Viewer("ann"))
    assert ben.say("k@1", "strong", by="ben-player", viewer=Viewer("ben")).about == position.commit.digest
    assert remark_texts(ann, "ann") == ["good luck", "my plan", "strong"]
    assert remark_texts(ben, "ben") == ["good luck", "strong"]
    with pytest.raises(GameError, match="can't be said"):
        ben.say("k", "a\nb", by="ben-player", viewer=Viewer("ben"))
    with pytest.raises(TakenError):
        ann.say("k", "bad luck", by="ann-player", command_id="c1", viewer=Viewer("ann"))


def test_orders_are_played_when_the_turn_comes(players: Players) -> None:
    ann, ben = players.ann, players.ben
    answer = ben.order("k", "take 2", by="ben-player", seat="ben", command_id="o1", viewer=Viewer("ben"))
    assert ben.order("k", "take 2", by="ben-player", seat="ben", command_id="o1", viewer=Viewer("ben")) == answer
    (order,) = answer.orders
    assert (order.text, order.seat, order.by) == ("take 2", "ben", "ben-player")
    with pytest.raises(GameError):
        ann.orders("k", "ben", Viewer("ann"))
    players.play("take 1")
    assert log_lines(ann) == ["0 set up 10", "1 take 1", "2 take 2"]
    orders_answer = ben.orders("k", "ben", Viewer("ben"))
    assert ([*orders_answer.orders], [each.why for each in orders_answer.ended]) == ([], [""])


def test_an_order_is_taken_back(players: Players) -> None:
    ben = players.ben
    (order,) = ben.order("k", "take 2", by="ben-player", seat="ben", viewer=Viewer("ben")).orders
    orders_answer = ben.take_back_order("k", order.number, by="ben-player", seat="ben", viewer=Viewer("ben"))
    assert ([*orders_answer.orders], [each.why for each in orders_answer.ended]) == ([], ["taken back"])
    players.play("take 1")
    assert log_lines(players.ann) == ["0 set up 10", "1 take 1"]


def test_moves_are_played_again_elsewhere_and_a_line_is_forgotten(players: Players) -> None:
    players.play("take 3", "take 1")
    ann = players.ann
    dry_run = ann.amend("k@1", "take 2", by="ann-player", dry_run=True)
    assert isinstance(dry_run, Replay)
    assert (dry_run.stored, [each.text for each in dry_run.commits]) == (False, ["take 2", "take 1"])
    answer = ann.amend("k@1", "take 2", by="ann-player", command_id="a1")
    assert isinstance(answer, Replay)
    second_answer = ann.amend("k@1", "take 2", by="ann-player", command_id="a1")
    assert isinstance(second_answer, Replay)
    assert (answer.stored, second_answer.position.place) == (True, answer.position.place)
    assert log_lines(ann, answer.position.place) == ["0 set up 10", "1 take 2", "2 take 1"]
    assert ann.current_line("k", by="ann-player") == f"k/{answer.position.line}"
    assert isinstance(ann.amend("k@1", "take 9", by="ann-player"), Refused)
    ann.play_or_raise(answer.position.place, "take 3", by="ann-player", seat="ann")
    pick_answer = ann.pick("k/main", f"{answer.position.place}@3", by="ann-player")
    assert (pick_answer.stored, [each.text for each in pick_answer.commits]) == (True, ["take 3"])
    assert log_lines(players.ben, "k/main") == ["0 set up 10", "1 take 3", "2 take 1", "3 take 3"]
    ann.switch("k/main", by="ann-player")
    assert ann.forget(answer.position.place, by="ann-player").line == "main"
    assert list(ann.line_names("k")) == ["main"]
