"""Games are set up and played; a refused, unreadable or late command leaves no trace."""

from __future__ import annotations

import pytest

from tests.nim import HeapLaid, NimPlayed, RoundBegun, SetUp, StonesTaken, Take
from tests.service.nim_service import FIRST_TIME, NIM_ONLY, log_texts, play, service_on
from zimcore.game import GameError, NotationError, OptionError, Refusal, Refused
from zimcore.games.registry import GAMES
from zimcore.service import EVERYTHING, ConflictError, EventStore, GameService, UnknownError, game, open_service


def test_a_new_game_is_set_up_by_its_first_commit(service: GameService) -> None:
    commit = service.position("nim").commit
    set_up = SetUp(10)
    assert commit.events == (NimPlayed("", set_up), HeapLaid(("ann", "ben"), 10), RoundBegun(1))
    assert (commit.number, commit.text, commit.by, commit.at) == (0, "set up 10", "ann", FIRST_TIME)
    assert (commit.command, commit.parent) == (set_up, "")


def test_a_commit_holds_the_command_and_its_facts(service: GameService) -> None:
    commit = play(service, "take 3").commit
    assert commit.events == (NimPlayed("ann", Take(3)), StonesTaken("ann", 3))
    assert (commit.number, commit.seat, commit.text) == (1, "ann", "take 3")
    assert commit.parent == service.position("nim@0").commit.digest


def test_a_position_has_legal_moves_and_figures(service: GameService) -> None:
    position = play(service, "take 3")
    assert (position.match, position.line, position.actor) == ("nim", "main", "ben")
    assert list(position.legal().texts("take 1")) == ["take 1"]
    assert position.figures["stones"] == 7


def test_each_position_has_a_state_of_its_own(service: GameService) -> None:
    service.position("nim").state.stones = 0
    assert service.position("nim").state.stones == 10


def test_a_game_without_a_name_gets_the_next_free_one(service: GameService) -> None:
    assert [service.new("nim", {}, by="ann").match for _ in range(2)] == ["nim-1", "nim-2"]


def test_a_seed_is_drawn_where_none_is_given() -> None:
    service = service_on("memory:", GAMES)
    assert len({service.new("zimbabwe", {}, by="ann").commit.text for _ in range(3)}) == 3, "other set-ups"


@pytest.mark.parametrize(
    ("kind", "options", "name", "error", "message"),
    [
        ("nim", {}, "nim", UnknownError, "there is a game called 'nim' already"),
        ("nim", {}, "what if", GameError, "not a name: 'what if'"),
        ("nim", {"colour": "red"}, "", OptionError, "there is no option colour"),
        ("nim", {"seed": "seven"}, "", OptionError, "seed=seven: a seed is a whole number"),
        ("chess", {}, "", UnknownError, "there is no kind of game called 'chess'"),
    ],
)
def test_a_game_that_can_t_be_begun_leaves_nothing(
    service: GameService, kind: str, options: dict[str, str], name: str, error: type[GameError], message: str
) -> None:
    with pytest.raises(error, match=message):
        service.new(kind, options, name=name, by="ann")
    assert [info.name for info in service.games()] == ["nim"]


def test_a_forbidden_command_is_refused_and_not_stored(service: GameService) -> None:
    refusal = service.play("nim", "take 4", by="ann")
    assert refusal == Refused((Refusal("MOVE", "1 to 3 of 10 stones, not 4"),), ("take 1", "take 2", "take 3"))
    assert log_texts(service) == ["0 set up 10"]


def test_an_unreadable_command_is_not_stored(service: GameService) -> None:
    with pytest.raises(NotationError):
        service.play("nim", "steal 4", by="ann")
    assert log_texts(service) == ["0 set up 10"]


def test_a_command_may_be_given_as_an_object(service: GameService) -> None:
    answer = service.play("nim", Take(2), by="ann")
    assert not isinstance(answer, Refused)
    assert answer.commit.text == "take 2"


def test_the_named_seat_or_the_seat_to_move_plays(service: GameService) -> None:
    assert service.parse("nim", "take 2") == ("ann", Take(2))
    assert service.parse("nim", "ben: take 2") == ("ben", Take(2))
    refusal = service.play("nim", "take 2", by="ann", seat="ben")
    assert refusal == Refused((Refusal("TURN", "ann may act now, not ben"),), ("legal",))
    with pytest.raises(GameError, match="you play ann"):
        service.play("nim", "ben: take 2", by="ann", seat="ann")


def test_the_author_of_a_command_may_differ_from_its_seat(service: GameService) -> None:
    answer = service.play("nim", "take 2", by="cid")
    assert not isinstance(answer, Refused)
    assert (answer.commit.by, answer.commit.seat) == ("cid", "ann")


def test_no_player_plays_after_the_end(service: GameService) -> None:
    position = play(service, "take 3", "take 3", "take 3", "take 1")
    assert (position.actor, position.outcome.winner) == (None, "ben")
    assert isinstance(service.play("nim", "take 1", by="ann"), Refused)


def test_a_command_is_played_at_the_head_only(service: GameService) -> None:
    play(service, "take 1")
    with pytest.raises(GameError, match="this can only be done at the head of a line") as error:
        service.play("nim@0", "take 1", by="ann")
    assert error.value.hints == ("goto nim@0", "fork nim@0 NAME")


def test_a_player_who_saw_another_head_gets_a_conflict(service: GameService) -> None:
    seen_head = service.position("nim").commit.digest
    current_head = play(service, "take 1").commit.digest
    with pytest.raises(ConflictError, match="nim/main has moved on: ann has brought it to @1: take 1") as conflict:
        service.play("nim", "take 2", by="ben", expected=seen_head)
    assert conflict.value.head == current_head
    assert not isinstance(service.play("nim", "take 2", by="ben", expected=current_head), Refused)


def test_a_retry_never_plays_twice(service: GameService) -> None:
    first_answer = service.play("nim", "take 1", by="ann", command_id="c1")
    play(service, "take 2")
    second_answer = service.play("nim", "take 1", by="ann", command_id="c1")
    assert not isinstance(first_answer, Refused)
    assert not isinstance(second_answer, Refused)
    assert second_answer.commit == first_answer.commit
    assert log_texts(service) == ["0 set up 10", "1 take 1", "2 take 2"]


def test_try_returns_positions_and_stores_nothing(service: GameService) -> None:
    positions = service.try_("nim", ["take 3", "take 2"]).positions
    assert [(each.commit.number, each.commit.text, each.state.stones) for each in positions] == [
        (1, "take 3", 7),
        (2, "take 2", 5),
    ]
    assert positions[0].commit.digest == ""
    assert positions[1].commit.marks == ("r2",)
    assert log_texts(service) == ["0 set up 10"]


def test_try_ends_at_the_first_refusal(service: GameService) -> None:
    try_result = service.try_("nim", ["take 3", "take 9", "take 1"])
    assert [position.commit.text for position in try_result.positions] == ["take 3"]
    assert try_result.refused
    assert [refusal.code for refusal in try_result.refused.refusals] == ["MOVE"]


def test_try_may_begin_at_any_position(service: GameService) -> None:
    play(service, "take 3", "take 3")
    positions = service.try_("nim@1", ["take 1"]).positions
    assert positions[0].state.stones == 6


def test_positions_of_long_games_are_read_from_snapshots(service: GameService) -> None:
    service.new("nim", {"stones": "300"}, name="long", by="ann")
    play(service, *["take 1"] * 120, place="long")
    assert [service.position(f"long@{number}").state.stones for number in (120, 3, 60, 50, 0)] == [
        180,
        297,
        240,
        250,
        300,
    ]


def test_equal_play_gives_equal_digests_in_every_store(url: str) -> None:
    digests = []
    for store_url in ("memory:", url):
        service = service_on(store_url)
        service.new("nim", {"seed": "7"}, name="nim", by="ann")
        digests.append(play(service, "take 3", "take 1").commit.digest)
    assert digests[0] == digests[1]


def test_a_service_can_be_opened_by_a_url() -> None:
    assert open_service("memory:").games() == []


def test_two_services_may_share_a_store(service: GameService) -> None:
    second_service = GameService(service.store, games=service.kinds)
    play(service, "take 1")
    assert log_texts(second_service) == ["0 set up 10", "1 take 1"]


def test_games_are_looked_up_in_the_registry() -> None:
    assert game("nim", NIM_ONLY).title == "Nim"
    assert EventStore.open("memory:")


def test_names_have_a_greatest_length(service: GameService) -> None:
    longest_name, too_long_name = "x" * 64, "x" * 65
    service.new("nim", {}, name=longest_name, by="ann")
    assert service.fork(f"{longest_name}@start", longest_name, by="ann").line == longest_name
    for send_request in (
        lambda: service.new("nim", {}, name=too_long_name, by="ann"),
        lambda: service.fork(longest_name, too_long_name, by="ann"),
        lambda: service.amend(f"{longest_name}@start", "take 1", by="ann", name=too_long_name),
        lambda: service.rename(f"{longest_name}/{longest_name}", too_long_name, by="ann"),
        lambda: service.adopt(service.certificate(longest_name), f"{too_long_name}/main", by="ann"),
        lambda: service.adopt(service.certificate(longest_name), f"{longest_name}/{too_long_name}", by="ann"),
    ):
        with pytest.raises(GameError, match=r"not a name: x+...: a name has up to 64 characters, this has 65"):
            send_request()
    assert len(service.adopt(service.certificate(f"{longest_name}/main"), by="ann").line) <= 64, (
        "so that it can be exported"
    )


def test_an_import_with_too_long_a_name_of_a_person_is_refused(service: GameService) -> None:
    service.play("nim", "take 1", by="e" * 257)
    other_service = service_on("memory:", id_prefix="other")
    for send_request in (
        lambda: other_service.adopt(service.certificate("nim"), by="ann"),
        lambda: other_service.import_(service.export(EVERYTHING), by="ann"),
    ):
        with pytest.raises(GameError, match="the name of a person has up to 256 characters, this has 257"):
            send_request()
    assert not list(other_service.store.rows())


def test_an_import_may_have_the_longest_name_of_a_person(service: GameService) -> None:
    service.play("nim", "take 1", by="e" * 256)
    other_service, third_service = service_on("memory:", id_prefix="other"), service_on("memory:", id_prefix="another")
    assert len(other_service.log(other_service.adopt(service.certificate("nim"), by="ann").place)[1].by) == 256
    assert third_service.import_(service.export(EVERYTHING), by="ann").entries > 0
    assert third_service.verify("nim").fault is None
