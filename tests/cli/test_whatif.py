"""`whatif`, `bot --to-end` and `amend --then`: bots play alternatives on."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from zimcli.main import cli

Zim = Callable[..., Result]


@pytest.fixture
def zim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Zim:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def run_zim(*words: str) -> Result:
        return CliRunner().invoke(cli, ["--store", f"sqlite:///{tmp_path}/zim.db", *words])

    run_zim("new", "k", "players=2", "seed=7", "max_rounds=2")
    run_zim("do", "k", "start f6", "start c6", "bid 1", "pass")
    return run_zim


def parse_document(result: Result) -> Any:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_alternatives_are_compared(zim: Zim) -> None:
    result = zim("whatif", "k@r1", "bid *", "pass", "--games", "3")
    assert result.exit_code == 0, result.output
    assert "behind the best" in result.output
    assert "12 games by quick; ± is a 95 % interval" in result.output
    answer = parse_document(zim("whatif", "k@r1", "pass", "bid 1", "--games", "4", "--json"))
    assert answer["reused"] == 6, "games are reused for other questions"
    assert {tuple(alternative["commands"]) for alternative in answer["alternatives"]} == {("pass",), ("bid 1",)}
    assert parse_document(zim("log", "k", "--json"))["commits"][-1]["text"] == "pass", "nothing was played"


def test_alternatives_are_ordered_by_an_expression(zim: Zim) -> None:
    seat = parse_document(zim("show", "k@r1", "--json"))["position"]["to_move"][0]
    for expression, sign in ((f"{seat}.vp", 1), (f"-{seat}.vp", -1)):
        answer = parse_document(zim("whatif", "k@r1", "bid *", "--games", "2", f"--by={expression}", "--json"))
        means = [alternative["values"][expression]["mean"] for alternative in answer["alternatives"]]
        assert means == sorted(means, reverse=True)
        assert all(sign * mean >= 0 for mean in means)
        assert [alternative["behind"] is None for alternative in answer["alternatives"]] == [True, False, False]


def test_keep_stores_a_line_for_each_alternative(zim: Zim) -> None:
    answer = parse_document(zim("whatif", "k@r1", "bid 2", "pass", "--games", "1", "--keep", "--json"))
    for alternative in answer["alternatives"]:
        log_answer = parse_document(zim("log", alternative["line"], "--json"))
        assert log_answer["commits"][3]["text"] == alternative["commands"][0]
        assert parse_document(zim("show", alternative["line"], "--json"))["position"]["over"]
    assert [line["name"] for line in parse_document(zim("lines", "k", "--json"))["lines"] if line["current"]] == [
        "main"
    ]


@pytest.mark.parametrize(
    ("words", "exit_code", "message"),
    [
        (["k"], 2, "no alternative given"),
        (["k", "bid 9"], 1, "players are taking their turns now"),
        (["k@r1", "bid 9"], 1, "R-BID"),
        (["k@r1", "zzz *"], 2, "try: "),
        (["k@r1", "bid *", "--by", "foo"], 2, "no such name here: foo"),
        (["k@r1", "bid *", "--by", "kilwa.vp ="], 2, "to compare, write =="),
        (["k@r1", "bid *", "--by", "kilwa.vp@r1"], 2, "--by looks at the end of each game"),
        (["k@r1", "bid *", "--games", "1", "--by", "winner"], 2, "it is no number at the end of any game"),
        (["k@r1", "zulu: bid *"], 2, "it is the turn of"),
        (["k@r1", "bid *", "--then", "clever"], 2, "no such level"),
        (["k@r1", "bid *", "--workers", "2", "--cluster", "auto"], 2, "use only one of them"),
    ],
)
def test_an_impossible_alternative_is_an_error(zim: Zim, words: list[str], exit_code: int, message: str) -> None:
    refusal = zim("whatif", *words)
    assert (refusal.exit_code, message in refusal.output) == (exit_code, True), refusal.output


def test_whatif_needs_the_seat_s_hand_and_a_game_that_goes_on(zim: Zim) -> None:
    zim("new", "a", "--game", "africana", "players=2", "seed=7")
    refusal = zim("whatif", "a", "draw", "--games", "1")
    assert (refusal.exit_code, "is hidden" in refusal.output) == (1, True)
    seat = parse_document(zim("show", "a", "--json"))["position"]["to_move"][0]
    assert zim("whatif", "a", "draw", "--games", "1", "--as", seat).exit_code == 0
    assert zim("bot", "k", "quick", "--to-end").exit_code == 0
    assert "the game is over" in zim("whatif", "k", "pass").output


def test_a_bot_plays_to_the_end(zim: Zim) -> None:
    answer = parse_document(zim("bot", "k", "quick", "--to-end", "--json"))
    assert answer["position"]["over"]
    assert len(answer["played"]) == len(answer["why"]) > 4
    assert parse_document(zim("bot", "k", "quick", "--to-end", "--json"))["played"] == [], "it is over"
    assert zim("bot", "k", "quick", "--to-end", "--for", "kilwa").exit_code == 2


def test_an_amended_line_is_played_on(zim: Zim) -> None:
    answer = parse_document(zim("amend", "k@3", "bid 3", "--then", "quick", "--name", "b3", "--json"))
    assert (answer["position"]["line"], answer["position"]["over"]) == ("b3", True)
    commits = parse_document(zim("log", "k/b3", "--json"))["commits"]
    assert (commits[3]["text"], commits[-1]["by"].startswith("bot quick")) == ("bid 3", True)
    assert zim("amend", "k/main@3", "bid 2", "--then", "quick", "--dry-run").exit_code == 2


def test_a_round_is_amended_at_its_first_move(zim: Zim) -> None:
    answer = parse_document(zim("amend", "k@r1", "bid 2", "--skip", "--json"))
    assert answer["played"][0]["number"] == 3
    assert parse_document(zim("log", "k", "--json"))["commits"][3]["text"] == "bid 2"


def test_the_accuracy_of_a_part_names_its_last_move(zim: Zim) -> None:
    zim("bot", "k", "quick", "--to-end")
    assert zim("analyse", "k@4", "--nodes", "30", "--workers", "1").exit_code == 0
    assert "Accuracy up to @4" in zim("stats", "k").output
    assert "Accuracy up to" not in zim("stats", "k@4").output


def test_an_alternative_may_go_on_into_the_turns_of_others(zim: Zim) -> None:
    answer = parse_document(
        zim("whatif", "k@r1", "bid 1; pass; adore *", "--games", "1", "--keep", "--by", "round", "--json")
    )
    for alternative in answer["alternatives"]:
        commits = parse_document(zim("log", alternative["line"], "--json"))["commits"]
        assert tuple(commit["text"] for commit in commits[3:6]) == tuple(alternative["commands"])
    assert len({commands[2] for commands in (alternative["commands"] for alternative in answer["alternatives"])}) > 3
    zim("new", "a", "--game", "africana", "players=2", "seed=7")
    seat = parse_document(zim("show", "a", "--json"))["position"]["to_move"][0]
    refusal = zim("whatif", "a", "draw; move *", "--games", "1", "--as", seat)
    assert (refusal.exit_code, "whose cards are hidden" in refusal.output) == (2, True)
    keep_refusal = zim("whatif", "a", "draw", "--games", "1", "--keep", "--as", seat)
    assert (keep_refusal.exit_code, "cards are dealt anew in every game" in keep_refusal.output) == (2, True)


def test_games_that_can_t_be_kept_are_compared_all_the_same(zim: Zim, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null/nowhere")
    result = zim("whatif", "k@r1", "bid 1", "pass", "--games", "1")
    assert (result.exit_code, "not kept for the next time: not a directory: /dev/null/nowhere" in result.output) == (
        0,
        True,
    )


def test_a_move_is_left_out_by_an_empty_text(zim: Zim) -> None:
    zim("bot", "k", "quick", "--to-end")
    commits = parse_document(zim("log", "k", "--json"))["commits"]
    answer = parse_document(zim("amend", "k@5", "", "--skip", "--json"))
    assert commits[5]["text"] not in [move["text"] for move in answer["played"]]
    assert zim("do", "k", "").exit_code == 2, "an empty text is no move of `do`"
