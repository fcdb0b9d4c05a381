"""A prompt or a table stays open while a second person changes what it is on: it says so once, and goes on."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.states.doors import Prompt, Shell, Table, World, a_world
from zimcli.session.session import Session

OPEN_DOORS = (Prompt, Table)


@pytest.fixture
def world() -> Iterator[World]:
    with a_world() as world:
        world.service.new("nim", {"stones": "40"}, name="g", by="anna")
        world.service.play("g", "take 1", by="anna")
        world.service.fork("g", "y", by="anna")
        yield world


def session_of(door: Shell) -> Session:
    assert isinstance(door, Prompt | Table)
    return door.open_session


@pytest.fixture(params=OPEN_DOORS, ids=lambda door: door.name)
def door(world: World, request: pytest.FixtureRequest) -> Shell:
    return world.open(request.param)


def test_a_line_that_is_renamed_is_followed(world: World, door: Shell) -> None:
    reply = door.run_after(lambda: world.new_service().rename("g/y", "z", by="ben"), "take 2")
    assert "y is called z now; nothing was played" in reply.text
    assert session_of(door).place == "g/z"
    assert door.run("take 2").code == 0
    assert world.new_service().head("g/z").commit.number == 2


def test_from_a_line_that_is_removed_the_session_goes_to_the_current_line(world: World, door: Shell) -> None:
    def remove_line() -> None:
        service = world.new_service()
        service.switch("g/main", by="anna")
        service.forget("g/y", by="ben")

    reply = door.run_after(remove_line, "take 2")
    assert "y was removed; you are on g/main now; nothing was played" in reply.text
    assert door.run("take 2").code == 0
    assert world.new_service().head("g/main").commit.number == 2


def test_nothing_is_played_in_a_game_that_was_deleted(world: World, door: Shell) -> None:
    reply = door.run_after(lambda: world.new_service().delete("g", by="ben"), "take 2")
    assert "g was deleted; to restore it: delete g --back" in reply.text
    world.new_service().restore("g", by="ben")
    assert world.new_service().head("g/y").commit.number == 1


def test_a_prompt_asks_even_if_news_can_not_be_read(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    prompt = world.open(Prompt)
    assert isinstance(prompt, Prompt)

    def fail(*_: object) -> None:
        from zimcore.service import StoreError

        raise StoreError("the store has gone", "it is being moved")

    monkeypatch.setattr("zimcli.repl.loop.show_new_moves", fail)
    assert "the store has gone" in prompt.run("help undo").text
    again = prompt.run("help undo").text
    assert "the store has gone" not in again
    assert "Undo moves" in again


def test_a_seat_that_a_program_leaves_is_played_by_people(world: World, door: Shell) -> None:
    world.new_service().seat_bot("g/y", "ann", "random", by="ben")
    assert door.run("take 1").code == 0  # ben is to move, and the program answers
    assert session_of(door).viewer.seat == "ben"
    world.new_service().seat_bot("g/y", "ann", "", by="ben")
    assert door.run("take 1").code == 0
    assert world.new_service().head("g/y").to_move == ("ann",)
    if isinstance(door, Table):
        door.look()
        assert "take" in door.menu_words(), "people play both seats now"
    assert door.run("take 1").code == 0
    assert door.run("fork alt").code == 0
    assert door.run("bot random --for ann").code == 0


def test_the_menu_offers_what_the_new_seats_may_play(world: World) -> None:
    table = world.open(Table)
    assert isinstance(table, Table)
    for program, own_seats in (("random", ()), ("", ("ben",))):
        world.new_service().seat_bot("g/y", "ben", program, by="ben")
        table.look()
        assert table.controller.model.view.own_seats == own_seats


def test_a_deleted_game_is_restored_from_a_seat(world: World) -> None:
    shell = world.open(Shell, seat="ann")
    assert shell.run("delete g").code == 0
    assert shell.run("show g").hints == ("zim delete g --back",)
    assert shell.run("zim delete g --back").code == 0


def test_who_archives_a_line_is_sent_to_no_command_that_is_refused(world: World) -> None:
    reply = world.open(Shell).run("archive g/main")
    assert reply.hints == ("zim archive g", "zim help forget")
    world.new_service().archive("g", by="ben")
    assert world.open(Shell).run("archive g/main").hints == ("zim archive g --back", "zim help forget")


def test_a_hint_about_a_position_names_the_line_where_it_works_on_the_head(world: World) -> None:
    world.service.new("nim", {"stones": "3"}, name="h", by="anna")
    world.service.play("h", "take 3", by="anna")
    shell = world.open(Shell, place="h")
    hints = shell.run("zim hint h@1").hints
    assert "zim undo h" in hints
    assert shell.run("zim undo h").code == 0


@pytest.mark.parametrize("line", ["order take 1", "takeback", "vote continue"])
def test_who_is_asked_for_no_seat_where_none_would_help(world: World, line: str) -> None:
    world.service.new("nim", {"stones": "3"}, name="h", by="anna")
    world.service.play("h", "take 3", by="anna")
    assert "no seat given" not in world.open(Shell, place="h").run(line).what


def test_a_move_after_the_end_is_refused_alike_at_every_door(world: World) -> None:
    world.service.new("nim", {"stones": "3"}, name="h", by="anna", bots={"ben": "random"})
    world.service.play("h", "take 3", by="anna")
    for door_type in (Shell, *OPEN_DOORS):
        reply = world.open(door_type, place="h").run("take 1")
        assert (reply.code, reply.what) == (1, "take 1")


def test_a_hint_of_amend_says_what_to_keep_where_later_moves_do_not_fit(world: World, door: Shell) -> None:
    world.service.new("nim", {"stones": "4"}, name="h", by="anna")
    for move in ("take 1", "take 3"):
        world.service.play("h", move, by="anna")
    hints = world.open(type(door), place="h").run("amend @1 take 9").hints
    assert [hint.endswith("--stop") for hint in hints] == [False, True, True]
    assert [world.open(type(door), place="h").run(hint).code for hint in hints] == [0, 0, 0]
