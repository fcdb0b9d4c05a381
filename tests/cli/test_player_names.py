"""The names of players next to their seats, in both games."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from zimcli.main import cli

Zim = Callable[..., str]
GAME_LINES = {
    "zimbabwe": (
        "players=kilwa:Ann,zulu:Bob seed=7 map=S.C./..../..../...S order=kilwa,zulu",
        ["start a1", "start d4"],
    ),
    "africana": ("players=italy:Ann,france:Bob seed=7", ["draw", "draw"]),
}


@pytest.fixture
def zim(tmp_path: Path) -> Zim:
    def run_zim(*words: str) -> str:
        result = CliRunner().invoke(cli, ["--store", f"sqlite:///{tmp_path}/zim.db", *words])
        assert result.exit_code == 0, result.output
        return result.stdout

    return run_zim


@pytest.fixture(params=GAME_LINES)
def game_kind(request: pytest.FixtureRequest, zim: Zim) -> str:
    options, lines = GAME_LINES[request.param]
    zim("new", "evening", "--game", request.param, *options.split())
    zim("do", "evening", *lines)
    return str(request.param)


def test_names_stand_beside_the_seats(game_kind: str, zim: Zim) -> None:
    first_seat, second_seat = {"zimbabwe": ("kilwa", "zulu"), "africana": ("italy", "france")}[game_kind]
    for words in (["show", "evening", "--open"], ["log", "evening"], ["story", "evening"]):
        text = zim(*words)
        assert f"{first_seat} (Ann)" in text, words
        assert f"{second_seat} (Bob)" in text, words
    seat, name = {"zimbabwe": ("Zulu", "Bob"), "africana": ("Italy", "Ann")}[game_kind]
    assert f"{seat} ({name}) " in zim("show", "evening").splitlines()[0]
    assert f"{seat.lower()} ({name})" in zim(
        "try", "evening", f"{name}: {'pass' if game_kind == 'zimbabwe' else 'draw'}"
    )


def test_names_are_in_the_documents_and_in_the_fact_of_the_set_up(game_kind: str, zim: Zim) -> None:
    names = sorted(GAME_LINES[game_kind][0].split()[0].removeprefix("players=").split(","))
    board = msgspec.json.decode(zim("--json", "board", "evening"))
    assert sorted(f"{seat}:{name}" for seat, name in board["position"]["names"].items()) == names
    events = msgspec.json.decode(zim("--json", "events", "evening"))["events"]
    set_up_event = next(event for event in events if "names" in event)
    assert sorted(f"{seat}:{name}" for seat, name in set_up_event["names"].items()) == names


def test_a_game_without_names_shows_none(zim: Zim) -> None:
    zim("new", "evening", "players=2", "seed=7")
    assert "(" not in zim("show", "evening").splitlines()[0]
    assert msgspec.json.decode(zim("--json", "show", "evening"))["position"]["names"] == {}


def test_a_line_can_name_a_player_and_no_player_has_the_name_of_a_seat(zim: Zim) -> None:
    zim("new", "evening", *GAME_LINES["zimbabwe"][0].split())
    assert "kilwa (Ann)" in zim("do", "evening", "ANN: start a1")
    refusal = CliRunner().invoke(cli, ["--store", "memory:", "new", "evening", "players=kilwa:Zulu,zulu:Bob"])
    assert refusal.exit_code == 2
    assert "Zulu is the name of a seat" in refusal.stderr


def test_a_player_s_name_may_stand_for_their_seat(game_kind: str, zim: Zim) -> None:
    seat = {"zimbabwe": "kilwa", "africana": "italy"}[game_kind]
    for words in (["show", "evening"], ["log", "evening"], ["legal", "evening"], ["board", "evening"]):
        assert zim(*words, "--as", "ann") == zim(*words, "--as", seat) == zim("--as", "Ann", *words)


def test_a_line_of_a_session_may_name_a_player(game_kind: str, zim: Zim, tmp_path: Path) -> None:
    outputs = list[str]()
    for name in ("Ann", {"zimbabwe": "kilwa", "africana": "italy"}[game_kind]):
        (tmp_path / "lines.zim").write_text(f"board evening\nlog --as {name}\nlegal --as {name}\n")
        outputs.append(
            zim("--as", {"zimbabwe": "Bob", "africana": "france"}[game_kind], "run", str(tmp_path / "lines.zim"))
        )
    assert outputs[0] == outputs[1]


def test_a_person_without_a_seat_sees_who_plays(game_kind: str, zim: Zim, tmp_path: Path) -> None:
    refusal = CliRunner().invoke(cli, ["--store", f"sqlite:///{tmp_path}/zim.db", "show", "evening", "--as", "Eve"])
    assert refusal.exit_code == 2
    assert "evening has no seat Eve" in refusal.stderr
    assert "--as Ann" in refusal.stderr
