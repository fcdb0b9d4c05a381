"""A replay: one page that holds a whole game, to step through in any browser, without a network."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from html import escape
from pathlib import Path

import msgspec

from zimcore.commits import Position
from zimcore.game import Art, Board, Played, Seat, Table
from zimcore.picture.arrows import arrows
from zimcore.picture.lines import lines
from zimcore.picture.marks import last
from zimcore.picture.palette import owner_style
from zimcore.picture.pieces import Piece, art_of, drawn, pieces
from zimcore.picture.squares import last_move
from zimcore.toolkit.svg import SIDE

EDGE = 40
"""Units around the board, for the names of columns and rows."""


class Row(msgspec.Struct):
    """A row of a table, with the colour of its seat."""

    colour: str
    cells: Sequence[str]


class Shown(msgspec.Struct):
    """A table of the page."""

    title: str
    heads: Sequence[str]
    rows: list[Row]


class Step(msgspec.Struct):
    """A position of the page: its drawing as numbers of parts, its tables, and the text about it."""

    drawing: list[int]
    tables: list[Shown]
    status: str
    seat: str
    colour: str
    text: str
    summary: str
    marks: Sequence[str]
    round: str
    facts: list[str]


class Page(msgspec.Struct):
    """All that the page knows; `box` is the part of the plane that the board takes, "" where there is none."""

    title: str
    box: str
    parts: list[str]
    steps: list[Step]


class Parts:
    """The parts that drawings are made of. Each is drawn and stored once, as few change from move to move."""

    def __init__(self) -> None:
        self.drawings: list[str] = []
        self._numbers: dict[Piece | str, int] = {}

    def number(self, part: Piece | str, art: Art) -> int:
        """The number of a part, which is drawn if it is new."""
        if part not in self._numbers:
            self._numbers[part] = len(self.drawings)
            self.drawings.append(drawn(part, art) if isinstance(part, Piece) else part)
        return self._numbers[part]


def replay_page(positions: Iterable[Position], tell: Callable[[int], None] = lambda _: None) -> str:
    """The page for these positions, the first to the last; `tell` is called with how many are done.

    Nothing of a position is kept when the next one is asked for: its state may go on to be that one's.
    """
    page, parts = Page("", "", [], []), Parts()
    for number, position in enumerate(positions, 1):
        board = position.board
        page.title = f"{position.game.title} · {position.match} {position.line}"
        page.box = box(board) if board else ""
        page.steps.append(step(position, board, parts))
        tell(number)
    page.parts = parts.drawings
    data = msgspec.json.encode(page).decode().replace("</", "<\\/")
    template = Path(__file__).with_name("replay.html").read_text("utf-8")
    return template.replace("{{title}}", escape(page.title)).replace("{{game}}", data)


def step(position: Position, board: Board | None, parts: Parts) -> Step:
    """What the page knows of a position: beside a board the standings, without one all tables."""
    commit, game, colours = position.commit, position.game, position.colours
    status = position.status
    mark = next((mark for mark in commit.marks if "." not in mark), "")
    art = art_of(game)
    return Step(
        drawing=[parts.number(part, art) for part in drawing(position, board, colours)] if board else [],
        tables=[shown(table, colours) for table in (position.tables[:1] if board else position.tables)],
        status=status,
        seat=commit.seat,
        colour=owner_style(colours.get(commit.seat, ""))[1],
        text=commit.text,
        summary=commit.summary,
        marks=commit.marks,
        round=status.partition(" · ")[0] if mark else "",
        facts=[game.notation.describe(event) for event in commit.events if not isinstance(event, Played)],
    )


def drawing(position: Position, board: Board, colours: Mapping[Seat, str]) -> Iterator[Piece | str]:
    """The parts of the board: the ground, each piece, the frame of the last move."""
    yield from art_of(position.game).ground(board)
    yield "".join(lines(board))
    yield from arrows(board, board.arrows, colours)
    yield from pieces(board, colours)
    yield from last(board, last_move(position, board))
    yield from arrows(board, position.arrows, colours)


def shown(table: Table, colours: Mapping[Seat, str]) -> Shown:
    """A table with the colours of its seats."""
    seats = [*table.seats, *[""] * (len(table.rows) - len(table.seats))]
    rows = zip(seats, table.rows, strict=False)
    return Shown(
        table.title,
        table.heads,
        [Row(owner_style(colours.get(seat, ""))[1] if seat else "", cells) for seat, cells in rows],
    )


def box(board: Board) -> str:
    """The part of the plane that the board takes."""
    width, height = len(board.columns) * SIDE, len(board.rows) * SIDE
    return f"{-EDGE} {-EDGE} {width + 2 * EDGE} {height + 2 * EDGE}"
