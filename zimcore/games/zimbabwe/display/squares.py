"""The board as rows of cells: the ground and the pieces on it."""

from __future__ import annotations

from zimcore.game import Board, Cell, Seat
from zimcore.games.zimbabwe.board import square_name
from zimcore.games.zimbabwe.components import CRAFTSMEN, RESOURCES
from zimcore.games.zimbabwe.state import State
from zimcore.toolkit.words import spaced

CRAFTSMAN_LETTERS = {
    "wood_carver": "WC",
    "potter": "PO",
    "ivory_carver": "IC",
    "diamond_cutter": "DC",
    "sculptor": "SC",
    "vessel_maker": "VM",
    "throne_maker": "TM",
}


def board(state: State) -> Board:
    """The board of a position."""
    column_indexes, row_indexes = range(state.board.width), range(state.board.height)
    piece_cells = _piece_cells(state)
    rows = [[square_name(x, y) for x in column_indexes] for y in row_indexes]
    return Board(
        columns=tuple(square_name(x, 0)[0] for x in column_indexes),
        rows=tuple(str(y + 1) for y in row_indexes),
        cells=tuple(tuple(piece_cells.get(square) or _ground_cell(state, square) for square in row) for row in rows),
        legend=_legend(state),
    )


def _ground_cell(state: State, square: str) -> Cell:
    square_bit = state.board.square.get(square, 0)
    if not square_bit:
        return Cell(square, "", "void")
    if square_bit & state.board.water:
        return Cell(square, "~", "water")
    if square_bit & state.start_areas:
        return Cell(square, "o", "start")
    return Cell(square, ".", "land")


def _piece_cells(state: State) -> dict[str, Cell]:
    """The cells of all pieces, by square."""
    cells = {}
    for resource, squares in state.resources.items():
        for square in state.board.names(squares):
            markers = state.used_markers.get(square, 0)
            cells[square] = Cell(square, resource[0] + "*" * markers, "resource", resource, marks=markers)
    for craftsman in state.craftsmen:
        texts = (CRAFTSMAN_LETTERS[craftsman.type], _initials(craftsman.owner), "", "")
        for square, text in zip(craftsman.squares, texts, strict=False):
            cells[square] = Cell(square, text, "craftsman", craftsman.type, craftsman.owner, piece=craftsman.at)
    for square, monument in state.monuments.items():
        text = f"{_initials(monument.owner)}{monument.level}"
        cells[square] = Cell(square, text, "monument", str(monument.level), monument.owner, marks=monument.level)
    return cells


def _initials(seat: Seat) -> str:
    return seat[:2].title()


def _legend(state: State) -> tuple[tuple[str, str], ...]:
    ground_rows = ((".", "land"), ("~", "water"), ("o", "start area"))
    resource_rows = tuple((resource[0], resource) for resource in RESOURCES)
    mark_rows = (("w*", "used"), (f"{_initials(state.seats[0])}3" if state.seats else "", "a monument of level 3"))
    return (
        *ground_rows,
        *resource_rows,
        *mark_rows,
        *((CRAFTSMAN_LETTERS[type_], spaced(type_)) for type_ in CRAFTSMEN),
    )
