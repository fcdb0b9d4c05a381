"""The picture of a position, fit for a wall: a title, the board, and the standings below."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from zimcore.commits import Position
from zimcore.game import Board, Overlay, Panel
from zimcore.picture.arrows import draw_arrows
from zimcore.picture.borders import draw_borders_and_names
from zimcore.picture.overlays import GOLD, draw_overlay, last_move_frames
from zimcore.picture.palette import dark_mode_style, owner_style
from zimcore.picture.pieces import art_of, draw_piece, find_pieces, is_bare
from zimcore.picture.standings import draw_tables, height_of, width_of
from zimcore.toolkit.svg import FAINT_STYLE, PAPER, SIDE, TEXT_STYLE, tag, text, translate

MARGIN, TITLE_HEIGHT, CHEVRON_SIZE, LINE_HEIGHT, HEADING_HEIGHT = 74, 150, 22, 20, 44
MIN_WIDTH = 640
SERIF = "Palatino, 'Book Antiqua', Georgia, 'DejaVu Serif', serif"


def draw_picture(position: Position, overlay: Overlay | None = None, touched_squares: Collection[str] = ()) -> str:
    """The SVG of a position; `touched_squares` are those of the last move.

    Below the board are the cards and tracks that the game's art draws, or else the standings. A game without a board
    has all of its tables.
    """
    board = position.board
    tables = position.tables[:1] if board else position.tables
    widths = (len(board.columns) * SIDE if board else 0, *map(width_of, tables), MIN_WIDTH - 2 * MARGIN)
    width = max(widths) + 2 * MARGIN
    legend_texts = legend_lines(position, board, width) if board else []
    panels_top = top_of_panels(board) + LINE_HEIGHT * len(legend_texts)
    legend_to_panels = 38 if board and any(board.columns) else 66  # room for the names of columns
    elements = [*title_elements(position, overlay, width / 2)]
    if board:
        elements.append(
            translate(
                (width - len(board.columns) * SIDE) / 2,
                TITLE_HEIGHT,
                *board_elements(position, board, overlay, touched_squares),
            )
        )
    elements += [
        text(width / 2, panels_top - legend_to_panels + LINE_HEIGHT * index, line, 13, **FAINT_STYLE)
        for index, line in enumerate(legend_texts)
    ]
    panels = draw_panels(position, max(widths))
    if panels:
        elements += stack_panels(panels, MARGIN, panels_top)
        height = sum(panel.height + HEADING_HEIGHT for panel in panels)
    else:
        elements.append(translate(0, panels_top, *draw_tables(position, tables, width)))
        height = height_of(tables)
    return draw_sheet(elements, width, panels_top + height + 64)


def draw_panels(position: Position, width: float) -> Sequence[Panel]:
    """The panels that the game's art draws below the board."""
    styles = {seat: owner_style(colour) for seat, colour in position.colours.items()}
    return art_of(position.game).panels(position.state, styles, width)


def stack_panels(panels: Sequence[Panel], left_edge: float, top: float) -> Iterator[str]:
    """Panels one below another, each under its title."""
    for panel in panels:
        yield text(left_edge, top, panel.title, 17, text_anchor="start", letter_spacing=1, **TEXT_STYLE)
        yield translate(left_edge, top + HEADING_HEIGHT - 28, panel.drawing)
        top += panel.height + HEADING_HEIGHT


def top_of_panels(board: Board | None) -> float:
    """Where the panels begin without a legend: its lines move them down. Without a board there is room for titles."""
    if board is None:
        return TITLE_HEIGHT + LINE_HEIGHT
    return TITLE_HEIGHT + len(board.rows) * SIDE + 66


def draw_sheet(elements: Sequence[str], width: float, height: float) -> str:
    """A framed sheet of paper with these elements."""
    frame: dict[str, object] = {"fill": "none", "stroke": "#6f5325", "stroke_width": 1.5, "class_": "frame"}
    parts = [
        dark_mode_style(),
        tag("rect", width=width, height=height, fill=PAPER, class_="paper"),
        tag("rect", x=14, y=14, width=width - 28, height=height - 28, **frame),
        *(chevrons(width, y) for y in (22, height - 22 - CHEVRON_SIZE)),
        *elements,
    ]
    view_box = f"0 0 {width:g} {height:g}"
    attributes = {
        "xmlns": "http://www.w3.org/2000/svg",
        "viewBox": view_box,
        "width": f"{width:g}",
        "height": f"{height:g}",
    }
    return tag("svg", "".join(parts), font_family=SERIF, **attributes)


def board_elements(
    position: Position, board: Board, overlay: Overlay | None, touched_squares: Collection[str]
) -> Iterator[str]:
    """The board with its pieces, the last move and an overlay."""
    art, colours = art_of(position.game), position.colours
    labelled_squares = {square for square, label in overlay.squares.items() if label} if overlay else ()
    yield from art.ground(board)
    yield from draw_borders_and_names(board)
    yield from draw_arrows(board, board.arrows, colours)
    yield from (
        draw_piece(piece, art, leaves_corner=piece.cell.square in labelled_squares)
        for piece in find_pieces(board, colours)
    )
    if touched_squares:
        yield from last_move_frames(board, touched_squares)
        yield from draw_arrows(board, position.arrows, colours)
    if overlay:
        yield from draw_overlay(board, overlay)


def title_elements(position: Position, overlay: Overlay | None, middle: float) -> Iterator[str]:
    """The title of the game, and the place of the position."""
    location = f"{position.match} · {position.line} · after move {position.commit.number} · {position.status}"
    yield text(middle, 74, position.game.title, 32, letter_spacing=3, **TEXT_STYLE)
    yield text(middle, 95, location, 15, font_style="italic", **FAINT_STYLE)
    if overlay:
        yield text(middle, 113, overlay.title, 14, fill=GOLD, class_="gold", font_weight="bold")


def legend_lines(position: Position, board: Board, width: float) -> list[str]:
    """The meanings of texts on the board, in lines that fit the width; none if the game has art."""
    if position.game.art:
        return []
    undrawn_texts = {cell.text for row in board.cells for cell in row if cell.role == "place" or is_bare(cell)}
    lines = [""]
    for sign, meaning in board.legend:
        if sign not in undrawn_texts:
            entry = f"{sign}  {meaning}"
            if 6.6 * len(lines[-1] + entry) > width - 2 * MARGIN:
                lines.append("")
            lines[-1] += f"    ·    {entry}" if lines[-1] else entry
    return lines


def chevrons(width: float, y: float) -> str:
    """A band of triangles along the frame."""
    step, inner_width = CHEVRON_SIZE, width - 44
    count = int(inner_width // step)
    first_x = (width - count * step) / 2
    teeth_path = "".join(
        f"M{first_x + index * step:g} {y + CHEVRON_SIZE:g}l{step / 2:g} {-CHEVRON_SIZE}l{step / 2:g} {CHEVRON_SIZE}Z"
        for index in range(count)
    )
    notches_path = "".join(
        f"M{first_x + index * step + 6:g} {y + CHEVRON_SIZE:g}"
        f"l{step / 2 - 6:g} {12 - CHEVRON_SIZE}l{step / 2 - 6:g} {CHEVRON_SIZE - 12}Z"
        for index in range(count)
    )
    return tag("path", d=teeth_path, fill="#b98a45", class_="teeth") + tag(
        "path", d=notches_path, fill=PAPER, class_="paper"
    )
