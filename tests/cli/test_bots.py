"""Bots at the shell: they play when it is their turn, and meet in an arena."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from zimcli.main import cli
from zimcore.bots.registry import VERSION
from zimcore.games.africana import GAME as AFRICANA

Zim = Callable[..., Result]


@pytest.fixture
def zim(tmp_path: Path) -> Zim:
    def run(*words: str) -> Result:
        return CliRunner().invoke(cli, ["--store", f"sqlite:///{tmp_path}/zim.db", *words])

    return run


def document(result: Result) -> Any:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def log_rows(zim: Zim) -> list[tuple[str, str]]:
    return [(each["text"], each["by"]) for each in document(zim("log", "k", "--json"))["commits"]]


def test_a_bot_plays_one_turn_and_is_in_the_log(zim: Zim) -> None:
    zim("new", "k", "players=2", "seed=7")
    for _ in range(2):
        assert zim("bot", "k", "random", "--seed", "x").exit_code == 0
    answer = document(zim("bot", "k", "quick:nodes=50", "--json"))
    assert len(answer["played"]) == len(answer["why"]) >= 1
    assert answer["bot"] == "quick:nodes=50"
    authors = [authors for _, authors in log_rows(zim)[1:]]
    assert dict.fromkeys(authors) == dict.fromkeys([f"bot random.{VERSION} seed-x", f"bot quick.{VERSION} nodes-50"])
    assert authors.count(f"bot quick.{VERSION} nodes-50") == len(answer["played"])


def test_a_bot_plays_the_same_in_the_same_position(zim: Zim) -> None:
    turns = []
    for name in ("a", "b"):
        zim("new", name, "players=2", "seed=7")
        turns.append([each["text"] for each in document(zim("bot", name, "quick", "--json"))["played"]])
    assert turns[0] == turns[1]


def test_a_bot_plays_one_bid_or_one_turn_even_where_its_seat_goes_on(zim: Zim) -> None:
    zim("new", "k", "players=2", "seed=7", "max_rounds=3")
    turns = list[list[str]]()
    while not document(zim("show", "k", "--json"))["position"]["over"]:
        turns.append([each["text"].split()[0] for each in document(zim("bot", "k", "random", "--json"))["played"]])
    first_words = {turn[0] for turn in turns if len(turn) == 1}
    assert {"start", "bid", "pass"} <= first_words
    assert all(
        turn[-1:] == ["end"] and turn.count("end") == 1 for turn in turns if turn[0] not in first_words - {"end"}
    )


def test_a_whole_game_is_played_by_bots(zim: Zim) -> None:
    zim("new", "k", "players=2", "seed=7", "max_rounds=2")
    while not document(zim("show", "k", "--json"))["position"]["over"]:
        assert zim("bot", "k", "quick").exit_code == 0
    result = zim("bot", "k", "quick")
    assert result.exit_code == 2
    assert result.output.startswith("error: the game is over\n  round")
    assert "strong" not in result.output
    for command in ("hint", "legal", "advice"):
        assert "the game is over" in zim(command, "k").output


def test_another_seat_of_a_session_is_not_played(zim: Zim) -> None:
    zim("new", "k", "players=kilwa,zulu", "order=kilwa,zulu", "seed=7")
    refusal = zim("--as", "zulu", "bot", "k", "quick")
    assert refusal.exit_code == 2
    assert "kilwa can't be played here" in refusal.output
    assert "try: zim legal k\n" in refusal.output, "the hint does not propose --as kilwa, which would show their cards"
    assert len(log_rows(zim)) == 1


def test_bots_play_games_with_hidden_hands(zim: Zim) -> None:
    zim("new", "k", "--game", "africana", "players=2", "seed=7")
    for level in ("random", "peer", "quick", "strong:nodes=50"):
        assert zim("bot", "k", level).exit_code == 0


@pytest.mark.parametrize(
    ("level", "message"),
    [("clever", "no such level: 'clever'"), ("quick:nodes=0", "not a budget: 'nodes=0'"), ("quick:", "'quick:'")],
)
def test_an_unknown_bot_is_an_error(zim: Zim, level: str, message: str) -> None:
    zim("new", "k", "players=2", "seed=7")
    refusal = zim("bot", "k", level)
    assert refusal.exit_code == 2
    assert message in refusal.output
    assert "Traceback" not in refusal.output


def test_an_arena_keeps_its_games_and_goes_on(zim: Zim, tmp_path: Path) -> None:
    arena = ("arena", "quick", "random", "--players", "2", "--workers", "1", "--into", str(tmp_path / "arena.db"))
    first = document(zim(*arena, "--games", "2", "--json"))
    again = document(zim(*arena, "--games", "4", "--json"))
    assert [each["matches"] for each in first["standings"]] == [2, 2]
    assert [each["matches"] for each in again["standings"]] == [4, 4]
    options = ["--store", again["kept"]]
    games = document(CliRunner().invoke(cli, [*options, "games", "--json"]))["games"]
    assert len(games) == 4
    audit = CliRunner().invoke(cli, [*options, "verify", "--all"])
    assert audit.exit_code == 0, audit.output


def test_the_number_of_workers_changes_no_result_of_an_arena(zim: Zim) -> None:
    arena = ("arena", "quick", "random", "--players", "2", "--games", "4", "--json")
    first, second = (document(zim(*arena, "--workers", number))["standings"] for number in ("1", "2"))
    assert [each | {"milliseconds": 0} for each in first] == [each | {"milliseconds": 0} for each in second]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--cluster", "127.0.0.1:1"), "there is no cluster at 127.0.0.1:1"),
        (("--cluster", "kilwa"), "an address is HOST:PORT, or auto"),
        (("--cluster", "auto", "--workers", "2"), "use only one of them"),
    ],
)
def test_a_missing_cluster_is_an_error(zim: Zim, options: tuple[str, ...], message: str) -> None:
    pytest.importorskip("ray")
    refusal = zim("arena", "quick", "random", "--games", "2", *options)
    assert refusal.exit_code == 2
    assert message in refusal.output


def test_bots_with_seats_go_on_by_themselves(zim: Zim) -> None:
    zim("new", "k", "players=kilwa,zulu,lozi", "order=zulu,kilwa,lozi", "seed=7", "bots=zulu:quick,lozi:random")
    first_log = log_rows(zim)
    assert [by for _, by in first_log[1:]] == [f"bot quick.{VERSION}"]
    start = json.loads(zim("legal", "k", "--json").stdout)["legal"][0]
    played = document(zim("--by", "anna", "do", "k", start, "--json"))["played"]
    assert {each["by"] for each in played} > {"anna"}
    position = document(zim("show", "k", "--json"))["position"]
    assert position["over"] or position["actor"] == "kilwa"
    assert zim("verify", "k").exit_code == 0


def test_bots_go_on_after_a_bot_has_played_for_a_person(zim: Zim) -> None:
    zim("new", "k", "players=kilwa,zulu", "order=kilwa,zulu", "seed=7", "bots=zulu:random")
    assert [each["seat"] for each in document(zim("bot", "k", "quick", "--json"))["played"]][:2] == ["kilwa", "zulu"]
    assert "zulu" not in document(zim("show", "k", "--json"))["position"]["to_move"]


def test_bots_answer_the_moves_before_a_refused_one(zim: Zim) -> None:
    zim("new", "k", "players=kilwa,zulu", "order=kilwa,zulu", "seed=7", "bots=zulu:random")
    start = json.loads(zim("legal", "k", "--json").stdout)["legal"][0]
    refusal = zim("do", "k", f"{start}; {start}")
    assert refusal.exit_code == 1
    assert "zulu" not in document(zim("show", "k", "--json"))["position"]["to_move"]


def test_people_play_the_seats_of_bots_on_a_fork(zim: Zim) -> None:
    zim("new", "k", "players=kilwa,zulu", "order=kilwa,zulu", "seed=7", "bots=zulu:quick")
    note = zim("fork", "k", "what-if").stderr
    start = json.loads(zim("legal", "k/what-if", "--json").stdout)["legal"][0]
    assert len(document(zim("do", "k/what-if", start, "--json"))["played"]) == 1
    assert note.startswith("you play zulu too on this line; to give it to the program again: ")
    assert zim(*note.partition(": zim ")[2].split()).exit_code == 0
    assert document(zim("show", "k/what-if", "--json"))["position"]["to_move"] == ["kilwa"], "zulu has moved"
    assert len(document(zim("do", "k/main", start, "--json"))["played"]) > 1


def test_a_program_is_seated_on_the_line_that_is_named(zim: Zim) -> None:
    zim("new", "k", "players=kilwa,zulu", "order=kilwa,zulu", "seed=7")
    zim("fork", "k", "what-if")
    assert zim("bot", "k/what-if", "quick", "--for", "zulu").exit_code == 0
    start = json.loads(zim("legal", "k/main", "--json").stdout)["legal"][0]
    assert len(document(zim("do", "k/main", start, "--json"))["played"]) == 1
    assert len(document(zim("do", "k/what-if", start, "--json"))["played"]) > 1
    zim("bot", "k/what-if", "people", "--for", "zulu")
    assert zim("undo", "k/what-if", "--op").exit_code == 0
    operations = document(zim("log", "k/what-if", "--ops", "--json"))["operations"]
    assert [each["target"] for each in operations if each["what"] == "bot"] == ["quick", "people", "quick"]


def test_a_line_is_begun_against_the_same_programs(zim: Zim) -> None:
    zim("new", "k", "players=kilwa,zulu,lozi", "order=kilwa,zulu,lozi", "seed=7", "bots=zulu:quick,lozi:random")
    start = json.loads(zim("legal", "k", "--json").stdout)["legal"][0]
    zim("do", "k", start)
    first_fork = document(zim("fork", "k@0", "again", "--bots", "--id", "f1", "--json"))
    assert first_fork["position"]["number"] == 0
    assert document(zim("fork", "k@0", "again", "--bots", "--id", "f1", "--json"))["position"]["line"] == "again"
    played = document(zim("do", "k/again", start, "--json"))["played"]
    assert {each["seat"] for each in played} >= {"kilwa", "zulu", "lozi"}
    zim("bot", "k/again", "people", "--for", "lozi")
    second_fork = zim("fork", "k/again@0", "twice", "--bots")
    assert second_fork.exit_code == 0, second_fork.output
    played = document(zim("do", "k/twice", start, "--json"))["played"]
    assert [each["seat"] for each in played][-1] == "zulu", "people play lozi on the forked line"
    assert zim("verify", "k/again").exit_code == 0


def test_a_fork_in_which_a_program_is_to_move_goes_on(zim: Zim) -> None:
    zim("new", "k", "players=kilwa,zulu", "order=kilwa,zulu", "seed=7", "bots=zulu:quick")
    start = json.loads(zim("legal", "k", "--json").stdout)["legal"][0]
    zim("do", "k", start)
    assert document(zim("show", "k@1", "--json"))["position"]["to_move"] == ["zulu"]
    position = document(zim("fork", "k@1", "again", "--bots", "--json"))["position"]
    assert position["number"] > 1
    assert position["to_move"] == ["kilwa"]


def test_a_seat_is_given_to_a_bot_and_back(zim: Zim) -> None:
    zim("new", "k", "players=kilwa,zulu", "order=kilwa,zulu", "seed=7")
    answer = document(zim("bot", "k", "quick", "--for", "kilwa", "--json"))
    assert [each["seat"] for each in answer["played"]] == ["kilwa"]
    people_answer = document(zim("bot", "k", "people", "--for", "kilwa", "--json"))
    assert people_answer["position"]["actor"] == "zulu"
    operations = document(zim("log", "k", "--ops", "--json"))["operations"]
    assert [(each["source"], each["target"]) for each in operations if each["what"] == "bot"] == [
        ("kilwa", "quick"),
        ("kilwa", "people"),
    ]
    assert zim("undo", "k", "--op").exit_code == 0
    assert "kilwa" in json.dumps(document(zim("log", "k", "--ops", "--json"))["operations"][-1])


@pytest.mark.parametrize("bots", ["zulu", "zulu:clever", "nobody:quick", "zulu:quick,zulu:peer"])
def test_a_game_with_impossible_bots_is_not_begun(zim: Zim, bots: str) -> None:
    refusal = zim("new", "k", "players=kilwa,zulu", f"bots={bots}")
    assert refusal.exit_code == 2
    assert "Traceback" not in refusal.output
    assert zim("show", "k").exit_code != 0


def test_a_hidden_hand_is_played_and_not_shown(zim: Zim) -> None:
    zim("new", "k", "--game", "africana", "players=2", "seed=7", "bots=france:random")
    results: list[Any] = []
    while "draw" in (texts := document(zim("legal", "k", "--json"))["legal"]) and len(results) < 20:
        results += document(zim("do", "k", "draw" if "draw" in texts else texts[0], "--json"))["played"]
    france_moves = [each for each in results if each["seat"] == "france"]
    seen_commits = {each["number"]: each for each in document(zim("log", "k", "--json"))["commits"]}
    open_commits = {each["number"]: each for each in document(zim("--open", "log", "k", "--json"))["commits"]}
    assert france_moves
    assert [each["events"] for each in france_moves] == [
        seen_commits[each["number"]]["events"] for each in france_moves
    ]
    assert any(each["events"] != open_commits[each["number"]]["events"] for each in france_moves), (
        "something was hidden"
    )


@pytest.mark.parametrize("level", ["peer", "quick", "strong", "deep"])
def test_a_game_that_no_bot_can_play_is_not_begun(zim: Zim, level: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(AFRICANA.__dict__, "strategy", None)
    refusal = zim("new", "k", "--game", "africana", "players=2", f"bots=italy:{level}")
    assert refusal.exit_code == 2
    assert "no bot can play Africana well" in refusal.output
    zim("new", "k", "--game", "africana", "players=2")
    assert zim("bot", "k", level, "--for", "italy").exit_code == 2
    assert [each["what"] for each in document(zim("log", "k", "--ops", "--json"))["operations"]] == ["play", "name"]


@pytest.mark.parametrize(("bot", "message"), [("RaisingBot", "KeyError: 'clay'"), ("CrashingBot", "stopped")])
def test_a_bot_that_fails_keeps_its_seat_and_harms_no_game(zim: Zim, bot: str, message: str) -> None:
    level = f"tests.bots.strangers:{bot}"
    zim("new", "k", "players=kilwa,zulu,lozi", "order=kilwa,zulu,lozi", "seed=7", f"bots=zulu:{level}")
    start = json.loads(zim("legal", "k", "--json").stdout)["legal"][0]
    result = zim("do", "k", start)
    assert result.exit_code == 2
    assert message in result.output
    assert "Traceback" not in result.output
    assert [text for text, _ in log_rows(zim)[1:]] == [start], "the move before the failure stays played"
    operations = document(zim("log", "k", "--ops", "--json"))["operations"]
    assert ("zulu", level) in [(each["source"], each["target"]) for each in operations]
    assert zim("bot", "k", "quick").exit_code == 0, "another bot can play for the seat"
