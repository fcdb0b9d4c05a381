"""The pieces of a picture: drawn by the game's art, or else as the texts of their cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from zimcore.game import GROUND, Art, Board, Cell, Game, Seat
from zimcore.picture import plain
from zimcore.picture.palette import owner_sign_path, owner_style
from zimcore.toolkit.outline import Point, outline
from zimcore.toolkit.svg import INK, SIDE, outlined_text, tag, text, translate

UNDRAWN_TEXTS = ("", ".", "~", "o")
"""The texts of ground that a picture draws as a colour."""
SIGN_OFFSET = (-14, -13)
"""Where the owner's sign is, relative to a piece without a tile."""
ASIDE_SHIFT = 5
"""Units that a piece moves to make room for a mark."""
UNOWNED_STYLE = (INK, "#e6cf98")
"""Ink and paper of pieces without an owner."""


class Piece(msgspec.Struct, frozen=True):
    """A piece on a board: its cell, the squares that it covers, its colours, and the meaning of its text.

    `sign_path` is the outline of its owner's sign: "" without an owner, and on a map, as letters name the owner there.
    """

    cell: Cell
    squares: tuple[Point, ...]
    ink: str
    paper: str
    meaning: str
    sign_path: str = ""


def art_of(game: Game) -> Art:
    """The art of a game, or the plain look if it has none."""
    return game.art or plain


def find_pieces(board: Board, colours: Mapping[Seat, str]) -> Iterator[Piece]:
    """The pieces on the board, row by row."""
    points_by_piece: dict[str, list[Point]] = {}
    found_cells: list[tuple[Point, Cell]] = []
    for y, row in enumerate(board.cells):
        for x, cell in enumerate(row):
            if is_bare(cell) or (cell.role == "path" and board.paths) or (cell.role == "arrow" and board.arrows):
                continue
            if cell.piece:
                points_by_piece.setdefault(cell.piece, []).append((x, y))
            if cell.square == cell.piece if cell.piece else cell.text:
                found_cells.append(((x, y), cell))
    meanings = dict(board.legend)
    for point, cell in found_cells:
        squares = tuple(points_by_piece[cell.piece]) if cell.piece else (point,)
        colour = colours.get(cell.owner, "")
        style = owner_style(colour) if cell.owner else UNOWNED_STYLE
        sign_path = owner_sign_path(colour) if cell.owner and cell.square and cell.role != "place" else ""
        yield Piece(cell, squares, *style, meanings.get(cell.text, ""), sign_path)


def is_bare(cell: Cell) -> bool:
    """Whether a cell has nothing to draw but its ground."""
    return cell.role in ("void", "border") or (cell.role in GROUND and not cell.owner and cell.text in UNDRAWN_TEXTS)


def draw_piece(piece: Piece, art: Art, *, leaves_corner: bool = False) -> str:
    """Draws a piece, on a tile if it covers squares. With `leaves_corner` a corner of its square is free for a mark."""
    cell, (left_column, top_row), size = piece.cell, *extent(piece.squares)
    x, y = (left_column + size[0] / 2) * SIDE, (top_row + size[1] / 2) * SIDE
    drawing = art.piece(cell, size, piece.ink, piece.paper) or "".join(draw_lettering(piece))
    if cell.piece:
        return (
            "".join(draw_tile(piece))
            + translate(x, y, drawing)
            + draw_owner_sign(piece, (left_column + 0.23) * SIDE, (top_row + 0.23) * SIDE)
        )
    drawing += draw_owner_sign(piece, *SIGN_OFFSET)
    return (
        translate(x + ASIDE_SHIFT, y + ASIDE_SHIFT, drawing, scale=0.78)
        if leaves_corner and cell.role != "place"
        else translate(x, y, drawing)
    )


def draw_owner_sign(piece: Piece, x: float, y: float) -> str:
    """The sign of a piece's owner around a point, drawn in the ink of its tile if it has one."""
    if not piece.sign_path:
        return ""
    fill, edge = (piece.ink, piece.paper) if piece.cell.piece else (piece.paper, INK)
    sign = tag("path", d=piece.sign_path, fill=fill, stroke=edge, stroke_width=1.8, stroke_linejoin="round")
    return translate(x, y, sign, scale=0.55)


def piece_text(piece: Piece) -> str:
    """A piece in words: `wood carver of Zulu`, `clay, used`, `Cape Town`."""
    cell = piece.cell
    piece_name = cell.kind.replace("_", " ")
    match cell.role:
        case "place":
            description = piece.meaning or cell.text
        case role if role in GROUND:
            description = piece_name or piece.meaning or f"{cell.square}: {cell.text}"
        case _:
            description = cell.role if piece_name.isdigit() else piece_name or piece.meaning or cell.role
            if cell.marks and cell.owner:
                description += f" of level {cell.marks}"
            elif cell.marks:
                description += ", used" + (f" {cell.marks} times" if cell.marks > 1 else "")
    return f"{description} of {cell.owner.title()}" if cell.owner and cell.role != "place" else description


def extent(squares: tuple[Point, ...]) -> tuple[Point, tuple[int, int]]:
    """The left column and top row of squares, and how many columns and rows they span."""
    columns, rows = [x for x, _ in squares], [y for _, y in squares]
    left_column, top_row = min(columns), min(rows)
    return (left_column, top_row), (max(columns) - left_column + 1, max(rows) - top_row + 1)


def draw_tile(piece: Piece) -> Iterator[str]:
    """The tile under a piece that covers squares, in its owner's colour."""
    tile_path = outline(piece.squares, SIDE, 9, 2.5)
    rim_path = outline(piece.squares, SIDE, 7, 5.5)
    yield tag("path", d=tile_path, fill="#000", fill_opacity=0.2, transform="translate(1.5 2.5)")
    yield tag("path", d=tile_path, fill=piece.paper, stroke=INK, stroke_width=1.2)
    yield tag("path", d=rim_path, fill="none", stroke=piece.ink, stroke_width=0.8, stroke_opacity=0.6)


def draw_lettering(piece: Piece) -> Iterator[str]:
    """The text of a piece's cell; a place also has its full name above it."""
    cell = piece.cell
    if cell.piece:
        yield text(0, 6, cell.text, 15, fill=piece.ink, font_weight="bold")
    elif cell.role in GROUND and not cell.owner:
        yield text(0, 6, cell.text, 15, fill=INK)
    elif cell.square or cell.owner:
        yield tag("rect", x=-21, y=-15, width=42, height=30, rx=6, fill=piece.paper, stroke=INK, stroke_width=1.2)
        yield text(0, 6, cell.text, 15, fill=piece.ink, font_weight="bold" if cell.square else "normal")
    else:
        yield outlined_text(0, 6, cell.text, 15, fill=piece.ink)
    if cell.role == "place" and piece.meaning:
        yield outlined_text(0, -19, piece.meaning, 13.5, fill=INK, font_style="italic")
