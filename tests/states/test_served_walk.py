"""A random walk around games on a server; `scripts/walk --served` takes long ones."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.project_files import code_seed
from tests.states.doors import Prompt, Shell, Table
from tests.states.served_doors import GAME, Http, Page, a_served_world
from tests.states.served_walk import served_walk
from tests.states.walk import SETTINGS, WALKED_FOLDERS, Setting, ViolationError
from zimcore.service import EVERYTHING

STEPS = {"people": 25, "a program": 20, "zimbabwe": 8, "africana": 10}
"""How many lines are typed in each setting."""
MAX_WALKS = 12


@pytest.mark.parametrize("setting", STEPS)
def test_every_state_of_a_served_game_has_a_way_on(setting: str, tmp_path: Path) -> None:
    seed = code_seed(*WALKED_FOLDERS)
    try:
        for _ in served_walk(tmp_path, seed, SETTINGS[setting], STEPS[setting]):
            pass
    except ViolationError as error:
        command = f"scripts/walk --served --setting {setting!r} --seed {seed} --steps {STEPS[setting]}"
        pytest.fail(f"{error}\n{command}", pytrace=False)


def seats_to_move(_: object, position: Any) -> Any:
    return position.to_move


def nothing(*_: object, **__: object) -> Any:
    return False


FAULTS: dict[str, tuple[str, str, object]] = {
    "a spectator is taken for people at one keyboard": (
        "people",
        "zimcore.remote.service.RemoteService.role_at",
        lambda *_: "keyboard",
    ),
    "the menu of who only watches has moves": ("people", "zimcli.table.service_thread.own_seats", seats_to_move),
    "nobody moves the programs of a server": (
        "a program",
        "zimcore.server.endpoints.bot_players.BotPlayers._play_turn",
        nothing,
    ),
    "a server shows everybody every hand": (
        "africana",
        "zimcore.server.endpoints.question_handlers.viewer_of",
        lambda *_: EVERYTHING,
    ),
    "a hint is no command": (
        "people",
        "zimcore.server.people.access.Visitor.host_reason_and_hints",
        lambda _, why="": (why, ["tell the host"]),
    ),
}
"""Faults of the reviews: in which setting they show, what is replaced, and by what."""


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found_around_a_server(fault: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    setting, place, replacement = FAULTS[fault]
    monkeypatch.setattr(place, replacement)
    with pytest.raises(ViolationError):
        take_walks(tmp_path, SETTINGS[setting])


def take_walks(folder: Path, setting: Setting) -> None:
    for seed in range(MAX_WALKS):
        for _ in served_walk(folder / str(seed), seed, setting, 40):
            pass


def test_on_a_line_of_ones_own_every_seat_is_offered_at_once(tmp_path: Path) -> None:
    with a_served_world(tmp_path, "nim", {"stones": "20"}, {}) as world:
        table = world.open(Table, "ben-player")
        assert isinstance(table, Table)
        assert "take" not in table.menu_words()
        assert table.run("fork mine").code == 0
        table.look()
        assert "take" in table.menu_words()
        assert table.run("take 1").code == 0


@pytest.mark.parametrize("door_type", [Table, Prompt, Shell, Http, Page], ids=lambda door: door.name)
def test_nothing_is_played_in_a_served_game_that_was_deleted(tmp_path: Path, door_type: type[Shell]) -> None:
    with a_served_world(tmp_path, "nim", {"stones": "20"}, {}) as world:
        person = next(each for each in world.people if each.seat == "ann")
        if door_type is Http:
            door: Shell = Http(person, world.server.url)
        elif door_type is Page:
            door = Page(person, world.server.url, Random(1))
        else:
            door = world.open(door_type, person.name)
        store = world.new_service()
        assert door.run("take 1").code == 0
        store.play(f"{GAME}/main", "take 1", by="ben")
        reply = door.run_after(lambda: store.delete(GAME, by="hanna"), "take 2")
        assert reply.code != 0
        assert "Traceback" not in reply.text
        store.restore(GAME, by="hanna")
        while isinstance(door, Table) and door.controller.model.head.commit.number != 2:
            door.look()
        assert store.head(GAME).commit.number == 2
        assert door.run("take 2").code == 0
        assert store.head(GAME).commit.number == 3


def test_who_can_not_go_back_over_the_moves_of_others_is_told_what_can_be_asked(tmp_path: Path) -> None:
    with a_served_world(tmp_path, "nim", {"stones": "20"}, {}) as world:
        ann, ben = world.open(Shell, "ann-player"), world.open(Shell, "ben-player")
        assert [door.run("take 1").code for door in (ann, ben)] == [0, 0]
        hints = ann.run("goto g@start").hints
        assert hints == ("zim takeback g 2",)
        assert ann.run(hints[0]).code == 0


def test_undo_of_a_move_that_was_answered_leads_to_a_takeback_of_it(tmp_path: Path) -> None:
    with a_served_world(tmp_path, "nim", {"stones": "20"}, {}) as world:
        ann, ben = world.open(Shell, "ann-player"), world.open(Shell, "ben-player")
        assert [door.run("take 1").code for door in (ann, ben, ann)] == [0, 0, 0]
        assert ben.run("undo").hints == ("zim takeback g 2",)


def test_a_player_has_one_current_line_at_every_terminal(tmp_path: Path) -> None:
    with a_served_world(tmp_path, "nim", {"stones": "20"}, {}) as world:
        table = world.open(Table, "ben-player")
        for name in ("a", "b"):
            assert "switch main goes back" in table.run(f"fork {name}").text
            person = next(each for each in world.people if each.name == "ben-player")
            assert person.service.current_line(GAME, by="ben-player") == f"{GAME}/ben--{name}"
            assert table.run("switch main").code == 0
            assert person.service.current_line(GAME, by="ben-player") in (GAME, f"{GAME}/main")


@pytest.mark.parametrize(
    "line",
    ["tag @9 here", "amend @1 take 9", "pick g/main g/x@9", "rename g/x y", "forget g/x", "fork g/x y", "undo g/x"],
)
def test_who_may_only_watch_is_told_so_before_what_else_is_wrong(tmp_path: Path, line: str) -> None:
    with a_served_world(tmp_path, "nim", {"stones": "20"}, {}) as world:
        assert world.open(Shell, "ann-player").run("take 1").code == 0
        assert "this is for a seat" in world.open(Shell, "spectator").run(line).what


@pytest.mark.parametrize("line", ["amend @1 draw", "undo", "undo 2", "pick g/main @1"])
def test_a_player_of_a_served_game_is_not_offered_to_see_everything(tmp_path: Path, line: str) -> None:
    with a_served_world(tmp_path, "africana", {"players": "2", "seed": "3"}, {}) as world:
        player = world.open(Shell, "italy-player")
        assert player.run("draw").code == 0
        reply = player.run(line)
        assert reply.code != 0
        assert not any("--open" in hint for hint in reply.hints), reply
