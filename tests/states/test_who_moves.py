"""Who is to move after an operation, by each door: where programs play, it is a person's turn, whatever led there."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.states.doors import DOORS, Shell, Table, World, a_world
from zimcore.analysis.seated_programs import let_programs_move
from zimcore.commits import Position
from zimcore.library.store import Store
from zimcore.service import EVERYTHING, TABLE

OPTIONS = {
    "nim": {"stones": "40"},
    "zimbabwe": {"players": "kilwa,zulu", "order": "kilwa,zulu", "seed": "7"},
    "africana": {"players": "italy,france", "seed": "3"},
}
PEOPLE = {"nim": "ann", "zimbabwe": "kilwa", "africana": "italy"}
"""The seat that a person plays; a program has the other one."""
OPERATIONS = {
    "do": ("MOVE", None),
    "undo": ("undo", -1),
    "undo 2": ("undo 2", -2),
    "redo": ("redo", 0),
    "goto a program's turn": ("goto PROGRAM", None),
    "undo --op": ("undo --op", -1),
    "fork": ("fork alt", None),
    "fork before a program's move": ("fork PROGRAM alt", None),
    "amend": ("amend OWN OTHER --stop", None),
    "switch": ("switch g/side", None),
    "bot": ("bot random", None),
    "rename": ("rename other", None),
}
"""What is typed, and after how many fewer decisions of the person it is their turn again, if that is certain."""


@pytest.fixture
def world() -> Iterator[World]:
    with a_world() as world:
        yield world


def first_command(position: Position) -> str:
    return next(iter(position.legal().texts("")))


def head(world: World, door: Shell) -> Position:
    """The head of the current line of a door."""
    service = world.new_service()
    place = door.open_session.place if hasattr(door, "open_session") else service.current_line("g", by="anna")
    return service.head(place)


def decisions(world: World, place: str, seat: str) -> list[int]:
    """The numbers of the commits that a person has played up to the head."""
    return [commit.number for commit in world.new_service().log(place) if commit.seat == seat]


def begin_game(world: World, kind: str) -> str:
    """A game of a person against a program, with a few moves; returns the person's seat."""
    person = PEOPLE[kind]
    library = Store(world.service, by="anna")
    seats = library.new(kind, name="g", **OPTIONS[kind]).seats
    for seat in seats:
        if seat != person:
            world.service.seat_bot("g", seat, "random", by="anna")
    list(let_programs_move(world.service, "g", TABLE))
    while len(decisions(world, "g/main", person)) < 4:
        library.play("g/main", first_command(library.look("g/main")))
        if len(decisions(world, "g/main", person)) == 2:
            # Nobody lets its program move.
            world.service.fork("g/main@1", "side", by="ben", current=False, viewer=EVERYTHING)
    return person


def filled(line: str, world: World, person: str) -> str:
    """The line with the places and moves of this game."""
    service = world.new_service()
    log, bots = service.log("g/main"), service.bots("g/main")
    before_program = [commit.number - 1 for commit in log if commit.seat in bots]
    own = decisions(world, "g/main", person)
    position = service.head("g/main")
    before_own = service.position(f"g/main@{own[-1] - 1}")
    others = [text for text in before_own.legal().texts("") if text != log[own[-1]].text]
    return (
        line.replace("PROGRAM", f"@{before_program[-1]}")
        .replace("OWN", f"@{own[-1]}")
        .replace("MOVE", first_command(position))
        .replace("OTHER", others[0] if others else "")
    )


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("door_type", DOORS, ids=lambda door: door.name)
def test_a_person_is_to_move_after_every_write(world: World, door_type: type[Shell], operation: str) -> None:
    person = begin_game(world, "nim")
    service = world.new_service()
    if operation == "redo":
        service.undo("g", by="anna")
    count = len(decisions(world, "g/main", person))
    line, difference = OPERATIONS[operation]
    door = world.open(door_type)
    reply = door.run(filled(line, world, person))
    assert reply.code == 0, reply
    position = head(world, door)
    assert position.to_move == (person,), reply
    if difference is not None:
        expected = count + difference if operation != "redo" else count + 1
        assert len(decisions(world, position.place, person)) == expected


@pytest.mark.parametrize("kind", OPTIONS)
@pytest.mark.parametrize("door_type", DOORS, ids=lambda door: door.name)
def test_undo_goes_back_to_ones_own_last_decision_in_every_game(
    world: World, door_type: type[Shell], kind: str
) -> None:
    person = begin_game(world, kind)
    last = decisions(world, "g", person)[-1]
    door = world.open(door_type)
    if kind == "africana":
        pytest.skip("its cards are hidden: what was drawn can't be undrawn")
    assert door.run("undo").code == 0
    assert (head(world, door).commit.number, head(world, door).to_move) == (last - 1, (person,))
    assert door.run("redo").code == 0
    assert head(world, door).to_move == (person,)
    assert decisions(world, "g", person)[-1] == last


@pytest.mark.parametrize("door_type", DOORS, ids=lambda door: door.name)
def test_on_a_fork_of_your_own_you_play_every_seat(world: World, door_type: type[Shell]) -> None:
    begin_game(world, "nim")
    door = world.open(door_type)
    assert door.run("fork alt --alone").code == 0
    door.place = "g/alt"  # in a script and a pipe your current line stays
    position = world.new_service().head(door.place)
    for _ in range(3):
        assert door.run(first_command(position)).code == 0
        position = world.new_service().head(door.place)
    assert [commit.by for commit in world.new_service().log(position.place)][-3:] == ["anna"] * 3
    assert door.run("bot random --for ben").code == 0
    assert world.new_service().head(door.place).to_move == ("ann",)


def test_the_library_lets_programs_answer(world: World) -> None:
    begin_game(world, "nim")
    library = Store(world.service, by="anna")
    assert library.play("g", "take 1").to_move == ("ann",)
    assert library.fork("g@1", "beside").to_move == ("ann",)


def test_an_open_table_lets_a_program_move_that_nobody_else_moves(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin_game(world, "nim")
    table = world.open(Table)
    assert isinstance(table, Table)
    world.service.play("g", "take 1", by="a process that was killed")
    assert world.service.head("g").to_move == ("ben",)
    table.look()
    monkeypatch.setattr("zimcli.session.bot_moves.PATIENCE_SECONDS", 0.0)
    table.look()
    table.look()
    assert world.new_service().head("g").to_move == ("ann",)


def test_two_doors_that_let_the_same_program_move_agree(world: World) -> None:
    begin_game(world, "nim")
    world.service.play("g", "take 1", by="a process that was killed")
    first, second = world.open(DOORS[3]), world.open(DOORS[3])
    assert [first.run("show").code, second.run("show").code] == [0, 0]
    assert world.new_service().head("g").to_move == ("ann",)


@pytest.mark.parametrize("door_type", DOORS, ids=lambda door: door.name)
def test_no_program_plays_for_a_seat_when_the_game_is_over(world: World, door_type: type[Shell]) -> None:
    world.service.new("nim", {"stones": "1"}, name="g", by="anna")
    world.service.play("g", "take 1", by="anna")
    reply = world.open(door_type, seat="ben").run("bot random")
    assert reply.code == 0
    assert not world.new_service().head("g").to_move
