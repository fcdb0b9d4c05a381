"""The board as rows of cells: the ground and the pieces on it."""

from __future__ import annotations

from zimcore.game import Board, Cell, Seat
from zimcore.games.zimbabwe.board import square_name
from zimcore.games.zimbabwe.components import CRAFTSMEN, RESOURCES
from zimcore.games.zimbabwe.state import State
from zimcore.toolkit.words import spaced

LETTERS = {
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
    width, height = range(state.board.width), range(state.board.height)
    pieces = _pieces(state)
    rows = [[square_name(x, y) for x in width] for y in height]
    return Board(
        columns=tuple(square_name(x, 0)[0] for x in width),
        rows=tuple(str(y + 1) for y in height),
        cells=tuple(tuple(pieces.get(square) or _ground(state, square) for square in row) for row in rows),
        legend=_legend(state),
    )


def _ground(state: State, square: str) -> Cell:
    square_bit = state.board.square.get(square, 0)
    if not square_bit:
        return Cell(square, "", "void")
    if square_bit & state.board.water:
        return Cell(square, "~", "water")
    if square_bit & state.starts:
        return Cell(square, "o", "start")
    return Cell(square, ".", "land")


def _pieces(state: State) -> dict[str, Cell]:
    """The cells of all pieces, by square."""
    cells = {}
    for resource, squares in state.resources.items():
        for square in state.board.names(squares):
            markers = state.used.get(square, 0)
            cells[square] = Cell(square, resource[0] + "*" * markers, "resource", resource, marks=markers)
    for craftsman in state.craftsmen:
        texts = (LETTERS[craftsman.type], _initials(craftsman.owner), "", "")
        for square, text in zip(craftsman.squares, texts, strict=False):
            cells[square] = Cell(square, text, "craftsman", craftsman.type, craftsman.owner, piece=craftsman.at)
    for square, monument in state.monuments.items():
        text = f"{_initials(monument.owner)}{monument.level}"
        cells[square] = Cell(square, text, "monument", str(monument.level), monument.owner, marks=monument.level)
    return cells


def _initials(seat: Seat) -> str:
    return seat[:2].title()


def _legend(state: State) -> tuple[tuple[str, str], ...]:
    ground = ((".", "land"), ("~", "water"), ("o", "start area"))
    resources = tuple((resource[0], resource) for resource in RESOURCES)
    marks = (("w*", "used"), (f"{_initials(state.seats[0])}3" if state.seats else "", "a monument of level 3"))
    return (*ground, *resources, *marks, *((LETTERS[type_], spaced(type_)) for type_ in CRAFTSMEN))
