"""Steps: each position of a line as a page draws it, cached for all viewers who see the same."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b

import msgspec

from zimcore.commits import Commit, Position
from zimcore.game import Art, Board, Consequence, Played, Seat, Transfer
from zimcore.history.replay_states import states_after_commits
from zimcore.picture.arrows import draw_arrows
from zimcore.picture.overlays import draw_consequences, draw_plate, last_move_frames, plate_width
from zimcore.picture.palette import owner_style
from zimcore.picture.pieces import Piece, art_of, draw_piece, piece_text
from zimcore.picture.replay import (
    DrawingPart,
    PagePlayer,
    drawing_parts,
    figure_labels,
    seat_label,
    series_values,
    view_box,
)
from zimcore.picture.squares import middles_of_pieces, squares_in, squares_of_last_move
from zimcore.server.pages.log_entries import render_entries, starts_round
from zimcore.server.pages.rendering import render_template
from zimcore.service import GameService, Viewer
from zimcore.toolkit.svg import SIDE
from zimcore.toolkit.words import spaced

MAX_CACHED = 4000
"""The most steps in the cache."""


class DrawnPart(msgspec.Struct, frozen=True):
    """A part of a drawing, and its number: a hash of its content."""

    number: int
    part: DrawingPart


class Step(msgspec.Struct, frozen=True):
    """A position: its drawing as numbers of parts, its side panel (`side`) and its log entry (`entry`) as HTML.

    `figures` are each seat's values for the graphs. `frame` are the numbers of the parts that mark the squares of the
    move; a page draws the frames of all moves since your last one. `transfers` say who paid whom.
    """

    number: int
    seat: Seat
    digest: str
    parent: str
    status: str
    round: str
    marks: Sequence[str]
    figures: Sequence[Sequence[int | None]]
    drawing: Sequence[int]
    frame: Sequence[int]
    side: str
    entry: str
    to_move: Sequence[Seat]
    transfers: Sequence[Transfer] = ()


class Steps(msgspec.Struct, frozen=True):
    """All steps to the head of a line, and the parts of their drawings by number.

    `box` is the SVG viewBox of the board, "" without a board. `squares` are the names of its squares row by row, each
    `unit` wide. `series` are the names of the figures that have a graph. Steps name no parent: it is the one before.
    """

    box: str
    unit: int
    squares: Sequence[Sequence[str]]
    seats: Sequence[PagePlayer]
    series: Sequence[str]
    parts: Mapping[int, DrawingPart]
    steps: Sequence[Step]


class StepNews(msgspec.Struct, frozen=True):
    """A step that was just played, and the parts that are not in the step before it."""

    step: Step
    parts: Mapping[int, DrawingPart]


class DrawnStep(msgspec.Struct, frozen=True):
    """A step, and its parts in drawing order."""

    step: Step
    parts: Sequence[DrawnPart]


_step_cache: dict[tuple[str, str | None], DrawnStep] = {}


def step_of(position: Position, viewer: Viewer) -> DrawnStep:
    """The step of a position, from the cache if possible. It depends only on the commit and on the viewing seat."""
    key = (position.commit.digest, viewer.seat if position.game.secrets else None)
    drawn_step = _step_cache.get(key)
    if drawn_step is None:
        drawn_step = _step_cache[key] = _draw_step(position)
        for old_key in list(_step_cache)[:-MAX_CACHED]:
            _step_cache.pop(old_key, None)
    return drawn_step


def _draw_step(position: Position) -> DrawnStep:
    commit, board = position.commit, position.board
    parts = tuple(parts_of(position, board, ())) if board else ()
    frame = tuple(frame_of(position, board, squares_of_last_move(position, board))) if board else ()
    status = position.status
    step = Step(
        number=commit.number,
        seat=commit.seat,
        digest=commit.digest,
        parent=commit.parent,
        status=status,
        round=status.partition(" · ")[0] if starts_round(commit) else "",
        marks=commit.marks,
        figures=[list(series_values(position, seat)) for seat in position.colours],
        drawing=[drawn_part.number for drawn_part in parts],
        frame=[drawn_part.number for drawn_part in frame],
        side=render_on_one_line(
            "side.html",
            tables=position.tables,
            colours=position.colours,
            facts=facts(position),
            figures=questions_by_seat(position),
            me="",  # the same HTML serves all viewers: a script marks your row, and names the players
            people={},
        ),
        entry=render_entries([commit], position.names, "", colours=position.colours).replace("\n", " "),
        to_move=position.to_move,
        transfers=position.transfers,
    )
    return DrawnStep(step, parts + frame)


def render_on_one_line(template: str, **values: object) -> str:
    """Renders a part of a page without line breaks."""
    return render_template(template, query_prefix="", **values).replace("\n", " ")


def facts(position: Position) -> Sequence[str]:
    """The events of the last commit, in words."""
    events = position.commit.events
    return [position.game.notation.describe(event) for event in events if not isinstance(event, Played)]


def questions_by_seat(position: Position) -> Mapping[Seat, Collection[str]]:
    """The figures of each seat that `why` can explain, by seat."""
    display = position.game.display
    return {seat: display.figures(position.state, seat).keys() for seat in position.colours}


def parts_of(position: Position, board: Board, framed_squares: Collection[str] | None = None) -> Iterator[DrawnPart]:
    """The parts of a board, with frames around `framed_squares`; None for those of the last move."""
    art = art_of(position.game)
    return (numbered_part(piece, art) for piece in drawing_parts(position, board, position.colours, framed_squares))  # type: ignore[arg-type]


def frame_of(position: Position, board: Board, squares: Collection[str]) -> Iterator[DrawnPart]:
    """The parts that draw frames around squares."""
    art = art_of(position.game)
    return (numbered_part(frame, art) for frame in last_move_frames(board, squares))  # type: ignore[arg-type]


def ghost_of(old_position: Position, new_position: Position, consequences: Sequence[Consequence] = ()) -> Sequence[str]:
    """SVG drawings of what a command adds to a board: pieces, arrows to who is paid, its consequences, its summary."""
    old_board, new_board = old_position.board, new_position.board
    if old_board is None or new_board is None:
        return ()
    known_numbers = {drawn_part.number for drawn_part in parts_of(old_position, old_board, ())}
    drawings = [
        drawn_part.part.drawing
        for drawn_part in parts_of(new_position, new_board)
        if drawn_part.number not in known_numbers
    ]
    arrows_to_paid = (transfer.arrow for transfer in new_position.transfers if transfer.arrow)
    drawings += draw_arrows(new_board, arrows_to_paid, new_position.colours)
    drawings += draw_consequences(new_board, consequences)
    middle_by_square = middles_of_pieces(new_board)
    points = [
        middle_by_square[square]
        for square in sorted(squares_of_last_move(new_position, new_board))
        if square in middle_by_square
    ]
    if points and new_position.commit.summary:
        x, y = max(points, key=lambda x_and_y: (x_and_y[0], -x_and_y[1]))
        left, _, board_width, _ = map(float, view_box(new_board).split())
        width = plate_width(new_position.commit.summary)
        right = board_width + 2 * left  # the letters and numbers beside the squares stay legible
        plate_top = y - SIDE if y >= SIDE else y + SIDE / 2
        drawings.append(draw_plate(max(0.0, min(x + SIDE / 2, right - width)), plate_top, new_position.commit.summary))
    return drawings


def news_squares(commits: Sequence[Commit], board: Board, seat: Seat) -> Collection[str]:
    """The squares of all moves since a seat's last one; of the last turn if the seat is "" or has just moved."""
    last_seat = commits[-1].seat
    first_index = (
        next((index for index in range(len(commits), 0, -1) if commits[index - 1].seat == seat), 0) if seat else 0
    )
    if not first_index or last_seat == seat:
        first_index = next((index for index in range(len(commits), 1, -1) if commits[index - 1].seat != last_seat), 0)
    return {square for commit in commits[first_index:] if commit.seat for square in squares_in(commit.text, board)}


@lru_cache(20_000)
def numbered_part(piece_or_drawing: Piece | str, art: Art) -> DrawnPart:
    """The numbered part for a piece or a drawing."""
    if isinstance(piece_or_drawing, Piece):
        square, piece_words = spaced(piece_or_drawing.cell.square), piece_text(piece_or_drawing)
        title = f"{square}: {piece_words}" if square not in ("", piece_words.lower()) else piece_words
        part = DrawingPart(draw_piece(piece_or_drawing, art), title)
    else:
        part = DrawingPart(piece_or_drawing)
    content = f"{part.about}\0{part.drawing}".encode()
    return DrawnPart(int.from_bytes(blake2b(content, digest_size=5).digest()), part)  # scripts count to 2**53


def steps_of(service: GameService, position: Position, viewer: Viewer) -> Steps:
    """All steps from the start to a position."""
    commits = service.log(f"{position.place}@{position.commit.digest}", viewer=viewer)
    steps = [step_of(step_position, viewer) for step_position in positions_to(position, commits)]
    board = position.board
    return Steps(
        box=view_box(board) if board else "",
        unit=SIDE,
        squares=[[cell.square for cell in row] for row in board.cells] if board else [],
        seats=[
            PagePlayer(seat_label(seat, position), owner_style(colour)[1]) for seat, colour in position.colours.items()
        ],
        series=figure_labels(position, position.game.display.SERIES),
        parts={part.number: part.part for drawn_step in steps for part in drawn_step.parts},
        steps=[msgspec.structs.replace(drawn_step.step, parent="") for drawn_step in steps],
    )


def positions_to(position: Position, commits: Sequence[Commit]) -> Iterable[Position]:
    """The positions that lead to one. For a viewer's redacted commits they are positions with hidden parts."""
    for commit, state in states_after_commits(position.game, commits):
        yield Position(position.match, position.line, commit, state, position.game, position.seen_by)


def news_of(service: GameService, position: Position, viewer: Viewer) -> StepNews:
    """The step of a position that was just reached, with the parts that the step before it does not have."""
    step, old_numbers = step_of(position, viewer), set[int]()
    if position.commit.parent:
        position_before = service.position(f"{position.place}@{position.commit.parent}", viewer)
        old_numbers = {drawn_part.number for drawn_part in step_of(position_before, viewer).parts}
    return StepNews(
        step.step,
        {drawn_part.number: drawn_part.part for drawn_part in step.parts if drawn_part.number not in old_numbers},
    )
