"""`zim league`: a season in a store on this machine, as it is typed and as it is shown."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cli.conftest import Zim
from zimcore.service import EVERYTHING, GameService


def play_to_the_end(service: GameService, game: str) -> None:
    while not service.position(game, EVERYTHING).outcome.over:
        service.play_or_raise(game, "take 1", by="anna", viewer=EVERYTHING)


def run_league(zim: Zim, *words: str) -> str:
    result = zim("league", *words)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_output_of_a_season(zim: Zim, service: GameService, snapshot: Any) -> None:
    outputs = [
        run_league(zim, "open", "cup", "pairing=swiss", "rounds=1", "herd=2"),
        run_league(zim, "enter", "cup", "ben", "cem", "dia"),
    ]
    outputs += [run_league(zim, "enter", "cup"), run_league(zim, "pair", "cup", "--seed", "7")]
    play_to_the_end(service, "cup-r1-t1")
    outputs += [run_league(zim, "record", "cup")]
    outputs += [run_league(zim, "correct", "cup", "cup-r1-t2", *rank_words(zim), "--why", "it was given up")]
    service.undo("cup-r1-t1", by="anna", viewer=EVERYTHING)
    outputs += [
        run_league(zim, "show", "cup"),
        run_league(zim, "withdraw", "cup", "dia"),
        run_league(zim, "close", "cup"),
        run_league(zim, "standings", "cup"),
    ]
    outputs += [run_league(zim)]
    assert "\n\n".join(outputs) == snapshot


def rank_words(zim: Zim) -> list[str]:
    (_, table_answer) = json.loads(run_league(zim, "show", "cup", "--json"))["rounds"][0]["tables"]
    return [f"{player}={rank}" for rank, player in enumerate(table_answer["seats"].values(), 1)]


@pytest.mark.parametrize(
    ("words", "reason", "hint"),
    [
        (("show",), "no league given", "league show cup"),
        (("show", "cap"), "there is no league called 'cap'", "league show cup"),
        (("open", "cup"), "there is a league called 'cup' already", "cup-1"),
        (("open", "new", "pairing=knock-out"), "pairing=knock-out", "pairing=swiss"),
        (("open", "new", "rounds=many"), "rounds=many", "rounds=5"),
        (("open", "new", "seats=99"), "seats=99", ""),
        (("open", "new", "pace=3d"), "pace", "zim --store https://HOST league open"),
        (("open", "new", "stones=3"), "there is no option stones", "help new"),
        (("open", "new", "seed=3"), "dealt anew", "league open"),
        (("enter", "cup", "anna"), "anna is in cup already", "league show cup"),
        (("enter", "cup", "Anna"), "another player is called Anna", "league enter cup Anna-2"),
        (("enter", "cup", "robo", "--bot", "nobody"), "nobody", ""),
        (("withdraw", "cup", "eve"), "eve is not in cup", "league withdraw cup anna"),
        (("pair", "cup"), "a table takes 2 players", "league enter"),
        (("record", "cup"), "there is nothing to record", "league pair cup"),
        (("correct", "cup", "anna=1"), "no result given", "league correct cup"),
        (("correct", "cup", "g", "anna=first"), "anna=first", "league correct cup"),
        (("correct", "cup", "g", "anna=1", "--why", "so"), "g is no game of cup", "league show cup"),
        (("join", "cup"), "league join is for a game on a server", "zim --store https://HOST"),
    ],
)
def test_errors_of_league_say_what_to_type(zim: Zim, words: tuple[str, ...], reason: str, hint: str) -> None:
    run_league(zim, "open", "cup")
    run_league(zim, "enter", "cup", "anna")
    result = zim("league", *words)
    assert result.exit_code != 0
    assert reason in result.stderr
    assert hint in result.stderr
    assert "try: " in result.stderr
    assert "bug" not in result.stderr


def test_games_of_programs_are_played_by_what_pairing_proposes(zim: Zim) -> None:
    run_league(zim, "open", "cup")
    run_league(zim, "enter", "cup", "one", "two", "--bot", "random")
    run_league(zim, "pair", "cup")
    assert "try: zim bot cup-r1-t1" in zim("league", "pair", "cup").stderr
    result = zim("bot", "cup-r1-t1", "--json")
    assert (result.exit_code, json.loads(result.stdout)["bot"]) == (0, "random")
    assert "cup-r1-t1  1. " in run_league(zim, "record", "cup"), "the game is over"


def test_with_an_id_a_change_is_made_once(zim: Zim) -> None:
    run_league(zim, "open", "cup")
    for _ in range(2):
        run_league(zim, "enter", "cup", "anna", "ben", "--id", "e")
        run_league(zim, "pair", "cup", "--id", "p")
    assert len(json.loads(run_league(zim, "show", "cup", "--json"))["rounds"]) == 1
