"""Africana's map, as text and as a picture; and that its notation reads what it writes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace
from syrupy.assertion import SnapshotAssertion

from tests.africana.kit import BOX, explorers_at, given
from tests.africana.random_play import Recipe, play
from zimcli.main import cli
from zimcli.render.board import Size
from zimcli.render.map import MapDrawing, drawing_class
from zimcli.render.palette import MAP_COLOURS
from zimcore.game import NO_PIECE
from zimcore.games.africana import GAME
from zimcore.games.africana.art import SYMBOL_COLOURS, piece
from zimcore.games.africana.art.symbols import explorer
from zimcore.games.africana.box import box
from zimcore.service import open_service
from zimcore.toolkit.svg import INK, PAPER


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A store with the demonstration's game, up to its end."""
    store = f"sqlite:///{tmp_path_factory.mktemp('map') / 'games.db'}"
    lines = GAME.texts.demo().partition("\nexpect")[0].splitlines()
    service = open_service(store)
    service.new("africana", {"players": "3", "seed": "16"}, name="demo", by="anna")
    for line in lines:
        if line.partition(":")[0] in ("italy", "france", "germany"):
            service.play("demo", line, by="anna")
    service.store.close()
    return store


def zim(store: str, *words: str) -> Result:
    return CliRunner().invoke(cli, ["--store", store, *words])


@pytest.mark.parametrize("board_words", ["@r9", "@r9 --reach", "@r9 --reach cairo", "@end"])
def test_the_map_with_its_overlays(store: str, snapshot: SnapshotAssertion, board_words: str) -> None:
    place, *options = board_words.split()
    result = zim(store, "board", f"demo{place}", *options)
    assert result.exit_code == 0, result.stderr
    assert max(len(line) for line in result.stdout.splitlines()) <= 80
    assert result.stdout == snapshot


@pytest.mark.parametrize("seat", ["italy", ""])
def test_a_seat_sees_its_own_hand(
    store: str, snapshot: SnapshotAssertion, seat: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zimcore.games.africana.secrets.OPENS_AT_END", False)  # the game of the demo is over
    text = zim(store, *(["--as", seat] if seat else []), "show", "demo@r9").stdout
    assert re.sub(r"commit \w+ by anna, .*", "commit", text) == snapshot


def test_the_picture_names_every_location_and_draws_every_route(store: str, tmp_path: Path) -> None:
    file = tmp_path / "board.svg"
    assert zim(store, "board", "demo@r9", "--svg", str(file)).exit_code == 0
    svg = file.read_text("utf-8")
    assert all(f">{location.title}</text>" in svg for location in box().locations)
    assert svg.count("<polyline") == len(box().routes)
    assert "#b3261e" in svg


def test_the_picture_shows_symbols_in_their_colours_and_expeditions_as_arrows(store: str, tmp_path: Path) -> None:
    file = tmp_path / "board.svg"
    assert zim(store, "board", "demo@r9", "--svg", str(file)).exit_code == 0
    svg = file.read_text("utf-8")
    symbols = [symbol for location in box().locations for symbol in location.symbols]
    for colour in box().colours:
        assert svg.count(f'fill="{SYMBOL_COLOURS[colour]}"') >= symbols.count(colour) > 0
    for space in "12345":
        assert svg.count(f'font-weight="bold">{space}</text>') >= 2, "named where it begins and where it ends"
    assert svg.count("stroke-dasharray") == 1, "one equator"


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_command_is_read_as_it_is_written(players: int) -> None:
    for move in play(Recipe(players, 5), 400):
        text = GAME.notation.format(move.command)
        assert GAME.notation.parse(f"{move.state_before.actor}: {text}", move.state_before) == (
            move.state_before.actor,
            move.command,
        )


def test_four_explorers_at_a_place_are_marked_as_more_than_the_map_shows() -> None:
    seats = [company.name for company in BOX.companies]
    board = GAME.display.board(given(explorers_at(**dict.fromkeys(seats, "cairo")), players=4).state)
    assert board
    (explorers_cell,) = [cell for row in board.cells for cell in row if cell.role == "explorer" and cell.text]
    assert explorers_cell.text == f"{seats[0][0]}{seats[1][0]}+".upper()
    assert piece(explorers_cell, (1, 1), INK, PAPER).count(explorer(INK, PAPER)) == 2


def test_every_role_on_the_map_has_its_colours() -> None:
    position = open_service("memory:").new("africana", {"players": "2", "seed": "7"}, name="k", by="anna")
    assert position.board
    roles = {cell.role if cell.role in NO_PIECE else "piece" for row in position.board.cells for cell in row}
    assert roles - {"void"} == set(MAP_COLOURS)


@pytest.mark.parametrize("width", [3, 4])
@pytest.mark.parametrize("has_glyphs", [True, False])
def test_every_place_has_its_name_on_the_map(store: str, width: int, has_glyphs: bool) -> None:
    map_text = "\n".join(map_rows(store, width, has_glyphs=has_glyphs))
    names = [location.title for location in box().locations]
    assert [name for name in names if name not in map_text] == (["Mozambique"] if width == 3 else [])
    assert "Mozambiqu" in map_text  # any beginning can be typed


@pytest.mark.parametrize("width", [3, 4])
def test_routes_are_joined_from_place_to_place(store: str, width: int) -> None:
    service = open_service(store)
    board = service.position("demo@r9").board
    service.store.close()
    assert board
    assert len(board.paths) == len(box().routes)
    for path in board.paths:
        start_cells, end_cells = (
            {(x, y) for x in range(column * width, (column + 2) * width) for y in (row, row + 1)}
            for column, row in (path[0], path[-1])
        )
        route_cells = MapDrawing(replace(board, paths=(path,)), {}, size=Size(width)).routes().keys()
        visited_cells, frontier = set(start_cells), list(start_cells)
        while frontier:
            x, y = frontier.pop()
            neighbours = {(x + dx, y + dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)}
            reached_cells = (neighbours - visited_cells) & (route_cells | end_cells)
            visited_cells |= reached_cells
            frontier += reached_cells
        assert visited_cells & end_cells, path


def map_rows(store: str, width: int, *, has_glyphs: bool = True) -> list[str]:
    """The rows of the map, in characters."""
    service = open_service(store)
    position = service.position("demo@r9")
    service.store.close()
    assert position.board
    drawing = drawing_class(position.board)(position.board, {}, has_glyphs=has_glyphs, size=Size(width))
    return ["".join(text for text, _ in line[1:]) for line in drawing.grid(0)]


def test_a_route_has_the_ground_of_the_map(store: str) -> None:
    service = open_service(store)
    board = service.position("demo@r9").board
    service.store.close()
    assert board
    path_cells = [(x, y) for y, row in enumerate(board.cells) for x, cell in enumerate(row) if cell.role == "path"]
    assert path_cells
    drawing = MapDrawing(board, {}, size=Size(3))
    assert not {(x * 3, y) for x, y in path_cells if board.cells[y][0].role != "border"} & drawing.borders().keys()
