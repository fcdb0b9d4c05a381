"""Bots at the shell: they play when it is their turn, and meet in an arena."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from zimcli.main import cli
from zimcore.bots.registry import BOTS_VERSION
from zimcore.games.africana import GAME as AFRICANA

Zim = Callable[..., Result]


@pytest.fixture
def zim(tmp_path: Path) -> Zim:
    def run_zim(*words: str) -> Result:
        return CliRunner().invoke(cli, ["--store", f"sqlite:///{tmp_path}/zim.db", *words])

    return run_zim


def parse_document(result: Result) -> Any:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def log_rows(zim: Zim) -> list[tuple[str, str]]:
    return [(commit["text"], commit["by"]) for commit in parse_document(zim("log", "k", "--json"))["commits"]]


def test_a_bot_plays_one_turn_and_is_in_the_log(zim: Zim) -> None:
    zim("new", "k", "players=2", "seed=7")
    for _ in range(2):
        assert zim("bot", "k", "random", "--seed", "x").exit_code == 0
    answer = parse_document(zim("bot", "k", "quick:nodes=50", "--json"))
    assert len(answer["played"]) == len(answer["why"]) >= 1
    assert answer["bot"] == "quick:nodes=50"
    authors = [authors for _, authors in log_rows(zim)[1:]]
    assert dict.fromkeys(authors) == dict.fromkeys(
        [f"bot random.{BOTS_VERSION} seed-x", f"bot quick.{BOTS_VERSION} nodes-50"]
    )
    assert authors.count(f"bot quick.{BOTS_VERSION} nodes-50") == len(answer["played"])


@pytest.mark.parametrize("option", ["--for zulu", "--seed x", "--to-end"])
def test_bot_serve_refuses_the_options_that_it_would_ignore(zim: Zim, tmp_path: Path, option: str) -> None:
    (tmp_path / "script").write_text(f"new k\nbot serve k strong {option}\n")
    reason = f"`bot serve` plays the seat of the link to the end: leave {option.split()[0]} out"
    for words in (["bot", "serve", "k", "strong", *option.split()], ["run", f"{tmp_path}/script"]):
        result = zim(*words)
        assert result.exit_code == 2
        assert reason in result.stderr


def test_a_bot_that_plays_to_the_end_takes_no_seat(zim: Zim) -> None:
    zim("new", "k", "players=2", "seed=7")
    result = zim("bot", "k", "random", "--to-end", "--for", "zulu")
    assert result.exit_code == 2
    assert "--to-end plays for every seat: leave --for out" in result.stderr


def test_a_bot_plays_the_same_in_the_same_position(zim: Zim) -> None:
    turns = []
    for match_name in ("a", "b"):
        zim("new", match_name, "players=2", "seed=7")
        turns.append([move["text"] for move in parse_document(zim("bot", match_name, "quick", "--json"))["played"]])
    assert turns[0] == turns[1]


def test_a_bot_plays_one_bid_or_one_turn_even_where_its_seat_goes_on(zim: Zim) -> None:
    zim("new", "k", "players=2", "seed=7", "max_rounds=3")
    turns = list[list[str]]()
    while not parse_document(zim("show", "k", "--json"))["position"]["over"]:
        turns.append(
            [move["text"].split()[0] for move in parse_document(zim("bot", "k", "random", "--json"))["played"]]
        )
    first_words = {turn[0] for turn in turns if len(turn) == 1}
    assert {"start", "bid", "pass"} <= first_words
    assert all(
        turn[-1:] == ["end"] and turn.count("end") == 1 for turn in turns if turn[0] not in first_words - {"end"}
    )


def test_a_whole_game_is_played_by_bots(zim: Zim) -> None:
    zim("new", "k", "players=2", "seed=7", "max_rounds=2")
    while not parse_document(zim("show", "k", "--json"))["position"]["over"]:
        assert zim("bot", "k", "quick").exit_code == 0
    result = zim("bot", "k", "quick")
    assert (result.exit_code, result.output[:26]) == (0, "nothing was played: round ")
    assert zim("bot", "k", "--to-end").output == result.output
    for command in ("hint", "legal", "advice"):
        assert "the game is over" in zim(command, "k").output


def test_bots_play_until_an_expression_is_true(zim: Zim) -> None:
    zim("new", "k", "players=2", "seed=7")
    for _ in range(2):  # the second time there is nothing to play
        assert zim("bot", "k", "quick", "--until", "round == 2").exit_code == 0
        assert zim("show", "k").output.splitlines()[0].count("round 2") == 1
    for goal, message in (("round ==", "expression"), ("nobody.vp > 3", "nobody")):
        refusal = zim("bot", "k", "quick", "--until", goal)
        assert (refusal.exit_code, message in refusal.output) == (2, True)
    assert "leave --for out" in zim("bot", "k", "quick", "--until", "round == 3", "--for", "zulu").output


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
    arena_words = ("arena", "quick", "random", "--players", "2", "--workers", "1", "--into", str(tmp_path / "arena.db"))
    first_answer = parse_document(zim(*arena_words, "--games", "2", "--json"))
    second_answer = parse_document(zim(*arena_words, "--games", "4", "--json"))
    assert [standing["matches"] for standing in first_answer["standings"]] == [2, 2]
    assert [standing["matches"] for standing in second_answer["standings"]] == [4, 4]
    store_options = ["--store", second_answer["kept"]]
    games = parse_document(CliRunner().invoke(cli, [*store_options, "games", "--json"]))["games"]
    assert len(games) == 4
    verify_result = CliRunner().invoke(cli, [*store_options, "verify", "--all"])
    assert verify_result.exit_code == 0, verify_result.output


def test_the_number_of_workers_changes_no_result_of_an_arena(zim: Zim) -> None:
    arena_words = ("arena", "quick", "random", "--players", "2", "--games", "4", "--json")
    standings_of_one_worker, standings_of_two_workers = (
        parse_document(zim(*arena_words, "--workers", workers))["standings"] for workers in ("1", "2")
    )
    assert [standing | {"milliseconds": 0} for standing in standings_of_one_worker] == [
        standing | {"milliseconds": 0} for standing in standings_of_two_workers
    ]


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
    assert [author for _, author in first_log[1:]] == [f"bot quick.{BOTS_VERSION}"]
    start_move = json.loads(zim("legal", "k", "--json").stdout)["legal"][0]
    played_moves = parse_document(zim("--by", "anna", "do", "k", start_move, "--json"))["played"]
    assert {move["by"] for move in played_moves} > {"anna"}
    position = parse_document(zim("show", "k", "--json"))["position"]
    assert position["over"] or position["actor"] == "kilwa"
    assert zim("verify", "k").exit_code == 0


def test_bots_go_on_after_a_bot_has_played_for_a_person(zim: Zim) -> None:
    zim("new", "k", "players=kilwa,zulu", "order=kilwa,zulu", "seed=7", "bots=zulu:random")
    assert [move["seat"] for move in parse_document(zim("bot", "k", "quick", "--json"))["played"]][:2] == [
        "kilwa",
        "zulu",
    ]
    assert "zulu" not in parse_document(zim("show", "k", "--json"))["position"]["to_move"]


def test_bots_answer_the_moves_before_a_refused_one(zim: Zim) -> None:
    zim("new", "k", "players=kilwa,zulu", "order=kilwa,zulu", "seed=7", "bots=zulu:random")
    start_move = json.loads(zim("legal", "k", "--json").stdout)["legal"][0]
    refusal = zim("do", "k", f"{start_move}; {start_move}")
    assert refusal.exit_code == 1
    assert "zulu" not in parse_document(zim("show", "k", "--json"))["position"]["to_move"]


def test_people_play_the_seats_of_bots_on_a_fork_of_their_own(zim: Zim) -> None:
    zim("new", "k", "players=kilwa,zulu", "order=kilwa,zulu", "seed=7", "bots=zulu:quick")
    fork_note = zim("fork", "k", "what-if", "--alone").stderr
    start_move = json.loads(zim("legal", "k/what-if", "--json").stdout)["legal"][0]
    assert len(parse_document(zim("do", "k/what-if", start_move, "--json"))["played"]) == 1
    assert fork_note.startswith("you play zulu too on this line; to give it to the program again: ")
    assert zim(*fork_note.partition(": zim ")[2].split()).exit_code == 0
    assert parse_document(zim("show", "k/what-if", "--json"))["position"]["to_move"] == ["kilwa"], "zulu has moved"
    assert len(parse_document(zim("do", "k/main", start_move, "--json"))["played"]) > 1


def test_a_program_is_seated_on_the_line_that_is_named(zim: Zim) -> None:
    zim("new", "k", "players=kilwa,zulu", "order=kilwa,zulu", "seed=7")
    zim("fork", "k", "what-if")
    assert zim("bot", "k/what-if", "quick", "--for", "zulu").exit_code == 0
    start_move = json.loads(zim("legal", "k/main", "--json").stdout)["legal"][0]
    assert len(parse_document(zim("do", "k/main", start_move, "--json"))["played"]) == 1
    assert len(parse_document(zim("do", "k/what-if", start_move, "--json"))["played"]) > 1
    zim("bot", "k/what-if", "people", "--for", "zulu")
    assert zim("undo", "k/what-if", "--op").exit_code == 0
    operations = parse_document(zim("log", "k/what-if", "--ops", "--json"))["operations"]
    assert [operation["target"] for operation in operations if operation["what"] == "bot"] == [
        "quick",
        "people",
        "quick",
    ]


def test_a_line_is_begun_against_the_same_programs(zim: Zim) -> None:
    zim("new", "k", "players=kilwa,zulu,lozi", "order=kilwa,zulu,lozi", "seed=7", "bots=zulu:quick,lozi:random")
    start_move = json.loads(zim("legal", "k", "--json").stdout)["legal"][0]
    zim("do", "k", start_move)
    first_fork = parse_document(zim("fork", "k@0", "again", "--id", "f1", "--json"))
    assert first_fork["position"]["number"] == 0
    assert parse_document(zim("fork", "k@0", "again", "--id", "f1", "--json"))["position"]["line"] == "again"
    played_moves = parse_document(zim("do", "k/again", start_move, "--json"))["played"]
    assert {move["seat"] for move in played_moves} >= {"kilwa", "zulu", "lozi"}
    zim("bot", "k/again", "people", "--for", "lozi")
    second_fork = zim("fork", "k/again@0", "twice", "--bots")  # an old script's option
    assert second_fork.exit_code == 0, second_fork.output
    played_moves = parse_document(zim("do", "k/twice", start_move, "--json"))["played"]
    assert [move["seat"] for move in played_moves][-1] == "zulu", "people play lozi on the forked line"
    assert zim("verify", "k/again").exit_code == 0


def test_a_fork_in_which_a_program_is_to_move_goes_on(zim: Zim) -> None:
    zim("new", "k", "players=kilwa,zulu", "order=kilwa,zulu", "seed=7", "bots=zulu:quick")
    start_move = json.loads(zim("legal", "k", "--json").stdout)["legal"][0]
    zim("do", "k", start_move)
    assert parse_document(zim("show", "k@1", "--json"))["position"]["to_move"] == ["zulu"]
    position = parse_document(zim("fork", "k@1", "again", "--bots", "--json"))["position"]
    assert position["number"] > 1
    assert position["to_move"] == ["kilwa"]


def test_a_seat_is_given_to_a_bot_and_back(zim: Zim) -> None:
    zim("new", "k", "players=kilwa,zulu", "order=kilwa,zulu", "seed=7")
    answer = parse_document(zim("bot", "k", "quick", "--for", "kilwa", "--json"))
    assert [move["seat"] for move in answer["played"]] == ["kilwa"]
    people_answer = parse_document(zim("bot", "k", "people", "--for", "kilwa", "--json"))
    assert people_answer["position"]["actor"] == "zulu"
    operations = parse_document(zim("log", "k", "--ops", "--json"))["operations"]
    assert [(operation["source"], operation["target"]) for operation in operations if operation["what"] == "bot"] == [
        ("kilwa", "quick"),
        ("kilwa", "people"),
    ]
    assert zim("undo", "k", "--op").exit_code == 0
    assert "kilwa" in json.dumps(parse_document(zim("log", "k", "--ops", "--json"))["operations"][-1])


@pytest.mark.parametrize("bots", ["zulu", "zulu:clever", "nobody:quick", "zulu:quick,zulu:peer"])
def test_a_game_with_impossible_bots_is_not_begun(zim: Zim, bots: str) -> None:
    refusal = zim("new", "k", "players=kilwa,zulu", f"bots={bots}")
    assert refusal.exit_code == 2
    assert "Traceback" not in refusal.output
    assert zim("show", "k").exit_code != 0


def test_a_hidden_hand_is_played_and_not_shown(zim: Zim) -> None:
    zim("new", "k", "--game", "africana", "players=2", "seed=7", "bots=france:random")
    played_moves: list[Any] = []
    while "draw" in (legal_moves := parse_document(zim("legal", "k", "--json"))["legal"]) and len(played_moves) < 20:
        played_moves += parse_document(zim("do", "k", "draw" if "draw" in legal_moves else legal_moves[0], "--json"))[
            "played"
        ]
    france_moves = [move for move in played_moves if move["seat"] == "france"]
    seen_commits = {commit["number"]: commit for commit in parse_document(zim("log", "k", "--json"))["commits"]}
    open_commits = {
        commit["number"]: commit for commit in parse_document(zim("--open", "log", "k", "--json"))["commits"]
    }
    assert france_moves
    assert [move["events"] for move in france_moves] == [
        seen_commits[move["number"]]["events"] for move in france_moves
    ]
    assert any(move["events"] != open_commits[move["number"]]["events"] for move in france_moves), (
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
    assert [operation["what"] for operation in parse_document(zim("log", "k", "--ops", "--json"))["operations"]] == [
        "play",
        "name",
    ]


@pytest.mark.parametrize(("bot_name", "message"), [("RaisingBot", "KeyError: 'clay'"), ("CrashingBot", "stopped")])
def test_a_bot_that_fails_keeps_its_seat_and_harms_no_game(zim: Zim, bot_name: str, message: str) -> None:
    level = f"tests.bots.foreign_bots:{bot_name}"
    zim("new", "k", "players=kilwa,zulu,lozi", "order=kilwa,zulu,lozi", "seed=7", f"bots=zulu:{level}")
    start_move = json.loads(zim("legal", "k", "--json").stdout)["legal"][0]
    result = zim("do", "k", start_move)
    assert result.exit_code == 2
    assert message in result.output
    assert "Traceback" not in result.output
    assert [text for text, _ in log_rows(zim)[1:]] == [start_move], "the move before the failure stays played"
    operations = parse_document(zim("log", "k", "--ops", "--json"))["operations"]
    assert ("zulu", level) in [(operation["source"], operation["target"]) for operation in operations]
    assert zim("bot", "k", "quick").exit_code == 0, "another bot can play for the seat"


def test_a_user_with_another_seat_plays_on_after_a_program_has_failed(zim: Zim) -> None:
    zim("new", "k", "players=kilwa,zulu", "order=kilwa,zulu", "seed=3", "bots=zulu:tests.bots.foreign_bots:RaisingBot")
    first_start = parse_document(zim("--json", "--as", "kilwa", "legal", "k"))["legal"][0]
    failed = zim("--as", "kilwa", "do", "k", first_start)
    assert "the bot of zulu, tests.bots.foreign_bots:RaisingBot, has failed" in failed.output
    assert "zim bot k quick" in failed.output
    zim("--as", "kilwa", "bot", "k", "quick")  # then it is the turn of the failing program again
    assert [by.split(".")[0] for _, by in log_rows(zim)][2] == "bot quick"
    assert zim("--as", "kilwa", "bot", "k", "strong", "--for", "zulu").exit_code == 0
    assert zim("--as", "kilwa", "bot", "k", "people", "--for", "zulu").exit_code == 0
    refusal = zim("--as", "kilwa", "bot", "k", "people", "--for", "zulu")
    assert (refusal.exit_code, "zulu can't be played here" in refusal.output) == (2, True), "it is a person's seat now"


def test_an_arena_names_the_bot_that_fails_and_proposes_nothing_about_a_game(zim: Zim) -> None:
    bot = "tests.bots.foreign_bots:RaisingBot"
    failed = zim("arena", bot, "random", "--players", "2", "--games", "2", "--workers", "1")
    assert f"{bot}, has failed" in failed.output
    assert "(foreign_bots.py, line " in failed.output
    assert failed.output.rstrip().endswith("try: zim help arena")
