"""The whole picture: a title, the board, and the standings beneath."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from zimcli.render.palette import INK, owner_style
from zimcli.render.picture import icons
from zimcli.render.picture.ground import ON_GROUND, ground
from zimcli.render.picture.pieces import last, marked, pieces
from zimcli.render.picture.svg import PAPER, SIDE, moved, tag, text
from zimcore.game import Board, Overlay, Table
from zimcore.service import Position

MARGIN, HEAD, ROW, CHEVRON, LINE = 74, 150, 30, 22, 20
SERIF = "Palatino, 'Book Antiqua', Georgia, 'DejaVu Serif', serif"
BROWN = "#6f5325"


def picture(position: Position, overlay: Overlay | None, touched: Collection[str]) -> str:
    """The drawing of a position as a text in SVG."""
    board = position.board or Board((), (), ())
    width = max(len(board.columns) * SIDE + 2 * MARGIN, 640)
    told = legend(board, width)
    foot = HEAD + len(board.rows) * SIDE + 66 + LINE * len(told)
    height = foot + standings_height(position) + 64
    squares = [*ground(board), *pieces(board, position.colours), *last(board, touched)]
    if overlay:
        squares += marked(board, overlay)
    parts = [
        tag("rect", width=width, height=height, fill=PAPER),
        tag("rect", x=14, y=14, width=width - 28, height=height - 28, fill="none", stroke=BROWN, stroke_width=1.5),
        *(chevrons(width, y) for y in (22, height - 22 - CHEVRON)),
        *title(position, overlay, width / 2),
        moved((width - len(board.columns) * SIDE) / 2, HEAD, *squares),
        *(text(width / 2, foot - 66 + LINE * at, line, 13, fill=BROWN) for at, line in enumerate(told)),
        moved(0, foot, *standings(position, width)),
    ]
    box = f"0 0 {width} {height}"
    settings = {"xmlns": "http://www.w3.org/2000/svg", "viewBox": box, "width": width, "height": height}
    return tag("svg", "".join(parts), font_family=SERIF, **settings)


def title(position: Position, overlay: Overlay | None, middle: float) -> Iterator[str]:
    """What game it is, and where in it."""
    where = f"{position.match} · {position.line} · after move {position.commit.number} · {position.status}"
    yield text(middle, 78, position.game.title, 32, fill=INK, letter_spacing=3)
    yield text(middle, 100, where, 14, fill=BROWN, font_style="italic")
    if overlay:
        yield text(middle, 119, overlay.title, 13, fill="#a8741a", font_weight="bold")


def legend(board: Board, width: float) -> list[str]:
    """What the texts mean on a board that is no ground, but for squares and borders, in lines of that width."""
    if any(cell.role in ON_GROUND for row in board.cells for cell in row):
        return []
    names = {cell.text for row in board.cells for cell in row if cell.square or cell.role == "border"}
    lines = [""]
    for words, meaning in board.legend:
        if words not in names:
            entry = f"{words}  {meaning}"
            if 6.6 * len(lines[-1] + entry) > width - 2 * MARGIN:
                lines.append("")
            lines[-1] += f"    ·    {entry}" if lines[-1] else entry
    return lines


def chevrons(width: float, y: float) -> str:
    """A band of the pattern that runs around the wall of the Great Enclosure."""
    step, inner = CHEVRON, width - 44
    count = int(inner // step)
    begin = (width - count * step) / 2
    teeth = "".join(
        f"M{begin + at * step:g} {y + CHEVRON:g}l{step / 2:g} {-CHEVRON}l{step / 2:g} {CHEVRON}Z" for at in range(count)
    )
    notches = "".join(
        f"M{begin + at * step + 6:g} {y + CHEVRON:g}l{step / 2 - 6:g} {12 - CHEVRON}l{step / 2 - 6:g} {CHEVRON - 12}Z"
        for at in range(count)
    )
    return tag("path", d=teeth, fill="#b98a45") + tag("path", d=notches, fill=PAPER)


def standings_height(position: Position) -> float:
    """Room that the standings take."""
    return ROW * (len(position.tables[0].rows) + 1) if position.tables else 0


def standings(position: Position, width: float) -> Iterator[str]:
    """The first table of the position, in the colours of its seats."""
    if not position.tables:
        return
    table = position.tables[0]
    begins, whole = columns(table)
    left = (width - whole) / 2
    for begin, head in zip(begins, table.heads, strict=True):
        yield text(left + begin, 0, head, 11, fill=BROWN, text_anchor="start", letter_spacing=1)
    for at, row in enumerate(table.rows):
        y = ROW * at + 26
        yield tag("path", d=f"M{left} {y - 19}h{whole}", stroke="#d9c394")
        seat = table.seats[at] if at < len(table.seats) else ""
        if seat:
            ink, paper = owner_style(position.colours.get(seat, ""))
            yield moved(left - 18, y - 9, icons.tower(3, ink, paper), scale=0.6)
        for begin, cell in zip(begins, row, strict=True):
            style = {"font_weight": "bold"} if begin == 0 else {}
            yield text(left + begin, y, cell.replace("_", " "), 15, fill=INK, text_anchor="start", **style)


def columns(table: Table) -> tuple[list[float], float]:
    """Where each column begins, and how wide all are: about 8 units a letter."""
    begins, at = [], 0.0
    for column, head in enumerate(table.heads):
        begins.append(at)
        at += (8.8 if begins[1:] else 9.8) * max(len(head), *(len(row[column]) for row in table.rows), 2) + 16
    return begins, at
