"""A replay: one page with a whole game, to step through in a browser without a network."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import msgspec

from zimcore.commits import Position
from zimcore.game import Art, Board, Played, Seat, Table
from zimcore.picture.arrows import draw_arrows
from zimcore.picture.borders import draw_borders_and_names
from zimcore.picture.overlays import last_move_frames
from zimcore.picture.palette import DARK_CSS, owner_style
from zimcore.picture.pieces import Piece, art_of, draw_piece, find_pieces, piece_text
from zimcore.picture.squares import squares_of_last_move
from zimcore.toolkit.printable import json_for_page, printable_all
from zimcore.toolkit.svg import SIDE, escape_text

EDGE_WIDTH = 40
"""Units around the board, for the names of columns and rows."""


CHANCE_TITLE = "chance %"
"""The title of the graph of chances to win."""


class PageRow(msgspec.Struct):
    """A row of a table, with the colour of its seat."""

    colour: str
    cells: Sequence[str]


class PageTable(msgspec.Struct):
    """A table of the page."""

    title: str
    heads: Sequence[str]
    rows: list[PageRow]


class PagePlayer(msgspec.Struct):
    """A seat, and its colour."""

    name: Seat
    colour: str


class DrawingPart(msgspec.Struct):
    """A part of drawings, and its description if it is a piece."""

    drawing: str
    about: str = ""


class PageThought(msgspec.Struct):
    """The judgement of a turn: each seat's chance after it in hundredths, a note, and the positions of a better one."""

    chances: Sequence[int]
    note: str = ""
    better: Sequence[Position] = ()


class PageStep(msgspec.Struct, omit_defaults=True):
    """A position on the page: the numbers of its drawing's parts, its tables, its texts, and each seat's figures.

    `note` is the judgement of the turn that ended there, `better` are the positions of a better turn. `link` is the
    address of the position on the site that the game was recorded on.
    """

    drawing: list[int]
    tables: list[PageTable]
    status: str
    seat: str
    colour: str
    text: str
    summary: str
    marks: Sequence[str]
    round: str
    facts: list[str]
    figures: list[list[int | None]]
    note: str = ""
    better: list[PageStep] = []
    link: str = ""


NO_THOUGHTS: Mapping[int, PageThought] = {}
NO_LINKS: Mapping[str, str] = {}


class Page(msgspec.Struct):
    """The data of the page.

    `box` is the board's `viewBox`, "" without a board. `squares` holds the names of the squares row by row, each `side`
    units wide. `series` are the figures with a graph.
    """

    title: str
    box: str
    side: int
    squares: list[list[str]]
    seats: list[PagePlayer]
    series: Sequence[str]
    parts: list[DrawingPart]
    steps: list[PageStep]


class DrawingParts:
    """The parts of drawings. Each is drawn and stored once, as few change from move to move."""

    def __init__(self) -> None:
        self.drawings: list[DrawingPart] = []
        self._numbers: dict[Piece | str, int] = {}

    def part_number(self, part: Piece | str, art: Art) -> int:
        """The number of a part; a new one is drawn."""
        if part not in self._numbers:
            self._numbers[part] = len(self.drawings)
            self.drawings.append(
                DrawingPart(draw_piece(part, art), piece_text(part)) if isinstance(part, Piece) else DrawingPart(part)
            )
        return self._numbers[part]


def replay_page(
    positions: Iterable[Position],
    report: Callable[[int], None] = lambda _: None,
    thoughts: Mapping[int, PageThought] = NO_THOUGHTS,
    notes: Iterable[tuple[str, str]] = (),
    links: Mapping[str, str] = NO_LINKS,
) -> str:
    """The page for these positions; calls `report` with the number of positions done.

    A position's state may change when you take the next one, so nothing of it is kept. `thoughts` are read as positions
    are drawn, by the number of a turn's last commit. `notes` are the digests of positions with what happened there
    around the game, and `links` the addresses of positions on the site that the game was recorded on, by digest.
    """
    texts_by_digest = defaultdict[str, list[str]](list)
    for digest, text in notes:
        texts_by_digest[digest].append(text)
    page, parts = Page("", "", SIDE, [], [], (), [], []), DrawingParts()
    for number, position in enumerate(positions, 1):
        board = position.board
        page.title = f"{position.game.title} · {position.match} {position.line}"
        page.box = view_box(board) if board else ""
        page.squares = [[cell.square for cell in row] for row in board.cells] if board else []
        page.seats = [
            PagePlayer(seat_label(seat, position), owner_style(colour)[1]) for seat, colour in position.colours.items()
        ]
        page.series = page.series or figure_labels(position, position.game.display.SERIES)
        step = page_step(position, board, parts)
        step.facts += texts_by_digest[position.commit.digest]
        step.link = links.get(position.commit.digest, "")
        page.steps.append(step)
        if number - 1 in thoughts:
            add_judgement(page, thoughts[number - 1], parts)
        report(number)
    if thoughts:
        page.series = [*page.series, CHANCE_TITLE]
        fill_in_chances(page)
    page.parts = parts.drawings
    return render_page(page)


def add_judgement(page: Page, thought: PageThought, parts: DrawingParts) -> None:
    """Adds a judgement to the last step."""
    last_step = page.steps[-1]
    last_step.note, last_step.better = (
        thought.note,
        [page_step(position, position.board, parts) for position in thought.better],
    )
    for figures, chance in zip(last_step.figures, thought.chances, strict=True):
        figures.append(chance)


def fill_in_chances(page: Page) -> None:
    """Fills in the chances of steps within a turn from the step before; None before the first judged turn."""
    carried_chances: list[int | None] = [None] * len(page.seats)
    for step in page.steps:
        for seat_index, figures in enumerate(step.figures):
            if len(figures) == len(page.series):
                carried_chances[seat_index] = figures[-1]
            else:
                figures.append(carried_chances[seat_index])


def render_page(page: Page) -> str:
    """The HTML of the page, with its style, its script and its data."""
    source_path = Path(__file__)
    template, css, script = (source_path.with_suffix(suffix).read_text("utf-8") for suffix in (".html", ".css", ".js"))
    drawing_script = (
        source_path.with_name("drawing.js").read_text("utf-8").replace("export ", "")
    )  # one page has no imports
    values_by_placeholder = {
        "title": escape_text(page.title),
        "style": css.replace("{{dark}}", DARK_CSS),
        "game": json_for_page(msgspec.json.encode(printable_all(msgspec.to_builtins(page))).decode()),
        "script": drawing_script + script,
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda placeholder: values_by_placeholder[placeholder[1]], template)


def page_step(position: Position, board: Board | None, parts: DrawingParts) -> PageStep:
    """The data of a position; with a board its only table is the standings."""
    commit, game, colours = position.commit, position.game, position.colours
    status = position.status
    mark = next((mark for mark in commit.marks if "." not in mark), "")
    art = art_of(game)
    return PageStep(
        drawing=[parts.part_number(part, art) for part in drawing_parts(position, board, colours)] if board else [],
        tables=[page_table(table, colours) for table in (position.tables[:1] if board else position.tables)],
        status=status,
        seat=commit.seat,
        colour=owner_style(colours.get(commit.seat, ""))[1],
        text=commit.text,
        summary=commit.summary,
        marks=commit.marks,
        round=status.partition(" · ")[0] if mark else "",
        facts=[game.notation.describe(event) for event in commit.events if not isinstance(event, Played)],
        figures=[list(series_values(position, seat)) for seat in colours],
    )


def seat_label(seat: Seat, position: Position) -> str:
    """A seat, with the name of its player if known."""
    name = position.names.get(seat)
    return f"{seat} ({name})" if name else seat


def figures_of(position: Position, seat: Seat) -> Sequence[str]:
    """The figures of a seat that have a graph, in words: `28 VP`, `25 VR`."""
    labels = figure_labels(position, position.game.display.SERIES)
    values_and_labels = zip(series_values(position, seat), labels, strict=True)
    return [f"{value} {counted_label(label, value)}" for value, label in values_and_labels if value is not None]


def figure_labels(position: Position, figures: Iterable[str]) -> Sequence[str]:
    """The labels of figures: as in the head of the standings, if they are there. Makes the tables once."""
    tables = position.tables
    heads = {head.casefold(): head for head in reversed(tables[0].heads if tables else ())}
    names = [figure.replace("_", " ") for figure in figures]
    return [heads.get(name, name) for name in names]


def counted_label(label: str, value: int | None) -> str:
    """The label of a figure beside its value.

    >>> [counted_label(label, 1) for label in ("cards", "VP")], counted_label("cards", 2)
    (['card', 'VP'], 'cards')
    """
    return label.removesuffix("s") if value == 1 else label


def series_values(position: Position, seat: Seat) -> Iterator[int | None]:
    """The figures of a seat that have a graph; None for unknown ones."""
    display = position.game.display
    figures = display.figures(position.state, seat)
    values = (figures.get(name) for name in display.SERIES)
    return (value if isinstance(value, int) else None for value in values)


def drawing_parts(
    position: Position, board: Board, colours: Mapping[Seat, str], framed_squares: Collection[str] | None = None
) -> Iterator[Piece | str]:
    """The ground, lines and pieces of the board, and frames around `framed_squares`, or the last move."""
    yield from art_of(position.game).ground(board)
    yield "".join(draw_borders_and_names(board))
    yield from draw_arrows(board, board.arrows, colours)
    yield from find_pieces(board, colours)
    yield from last_move_frames(
        board, squares_of_last_move(position, board) if framed_squares is None else framed_squares
    )
    yield from draw_arrows(board, position.arrows, colours)


def page_table(table: Table, colours: Mapping[Seat, str]) -> PageTable:
    """A table for the page, with the colours of its seats."""
    seats = [*table.seats, *[""] * (len(table.rows) - len(table.seats))]
    rows = zip(seats, table.rows, strict=False)
    return PageTable(
        table.title,
        table.heads,
        [PageRow(owner_style(colours.get(seat, ""))[1] if seat else "", cells) for seat, cells in rows],
    )


def view_box(board: Board) -> str:
    """The `viewBox` of the board."""
    width, height = len(board.columns) * SIDE, len(board.rows) * SIDE
    return f"{-EDGE_WIDTH} {-EDGE_WIDTH} {width + 2 * EDGE_WIDTH} {height + 2 * EDGE_WIDTH}"
