"""`zim league`: a season in a store on this machine, as it is typed and as it is shown."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cli.conftest import Zim
from zimcore.service import EVERYTHING, GameService


def play_out(service: GameService, game: str) -> None:
    while not service.position(game, EVERYTHING).outcome.over:
        service.play_or_raise(game, "take 1", by="anna", viewer=EVERYTHING)


def ok(zim: Zim, *words: str) -> str:
    result = zim("league", *words)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_season(zim: Zim, service: GameService, snapshot: Any) -> None:
    outputs = [
        ok(zim, "open", "cup", "pairing=swiss", "rounds=1", "herd=2"),
        ok(zim, "enter", "cup", "ben", "cem", "dia"),
    ]
    outputs += [ok(zim, "enter", "cup"), ok(zim, "pair", "cup", "--seed", "7")]
    play_out(service, "cup-r1-t1")
    outputs += [ok(zim, "record", "cup")]
    outputs += [ok(zim, "correct", "cup", "cup-r1-t2", *ranks(zim), "--why", "it was given up")]
    service.undo("cup-r1-t1", by="anna", viewer=EVERYTHING)
    outputs += [
        ok(zim, "show", "cup"),
        ok(zim, "withdraw", "cup", "dia"),
        ok(zim, "close", "cup"),
        ok(zim, "standings", "cup"),
    ]
    outputs += [ok(zim)]
    assert "\n\n".join(outputs) == snapshot


def ranks(zim: Zim) -> list[str]:
    (_, table) = json.loads(ok(zim, "show", "cup", "--json"))["rounds"][0]["tables"]
    return [f"{player}={at}" for at, player in enumerate(table["seats"].values(), 1)]


@pytest.mark.parametrize(
    ("words", "why", "hint"),
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
def test_what_is_wrong_is_said_with_what_to_type(zim: Zim, words: tuple[str, ...], why: str, hint: str) -> None:
    ok(zim, "open", "cup")
    ok(zim, "enter", "cup", "anna")
    result = zim("league", *words)
    assert result.exit_code != 0
    assert why in result.stderr
    assert hint in result.stderr
    assert "try: " in result.stderr
    assert "bug" not in result.stderr


def test_games_of_programs_are_played_by_what_pairing_proposes(zim: Zim) -> None:
    ok(zim, "open", "cup")
    ok(zim, "enter", "cup", "one", "two", "--bot", "random")
    ok(zim, "pair", "cup")
    assert "try: zim bot cup-r1-t1" in zim("league", "pair", "cup").stderr
    played = zim("bot", "cup-r1-t1", "--json")
    assert (played.exit_code, json.loads(played.stdout)["bot"]) == (0, "random")
    assert "cup-r1-t1  1. " in ok(zim, "record", "cup"), "the game is over"


def test_with_an_id_a_change_is_made_once(zim: Zim) -> None:
    ok(zim, "open", "cup")
    for _ in range(2):
        ok(zim, "enter", "cup", "anna", "ben", "--id", "e")
        ok(zim, "pair", "cup", "--id", "p")
    assert len(json.loads(ok(zim, "show", "cup", "--json"))["rounds"]) == 1
