"""Connect four with nothing but its rules, and no points: seats drop stones into columns; four in a row win."""

from collections.abc import Iterator, Mapping
from random import Random

import msgspec

from zimcore.game import Command, Deal, Event, Outcome, Seat
from zimcore.toolkit.bundle import Bundle
from zimcore.toolkit.rules import Draft, number

SEATS = ("red", "yellow")
HEIGHT = 6
OPTIONS = {"columns": "how wide the board is, 4 to 9 (7)"}


class SetUp(Deal, frozen=True, tag="set_up.1"):
    columns: int


class Drop(Command, frozen=True, tag="drop.1"):
    column: int


class BoardPlaced(Event, frozen=True, tag="board_placed.1"):
    columns: int


class StoneDropped(Event, frozen=True, tag="stone_dropped.1"):
    seat: Seat
    column: int


class State(msgspec.Struct):
    seats: tuple[Seat, ...] = ()
    columns: tuple[tuple[Seat, ...], ...] = ()
    turn: int = 0
    winner: Seat = ""


def set_up(options: Mapping[str, str], chance: Random) -> SetUp:
    return SetUp(number(options, "columns", 7, least=4, most=9))


def to_move(state: State) -> list[Seat]:
    return [] if not state.seats or outcome(state).over else [state.seats[state.turn % 2]]


def moves(state: State, seat: Seat) -> Iterator[Drop]:
    return (Drop(index) for index, column in enumerate(state.columns) if len(column) < HEIGHT)


def follow(draft: Draft, seat: Seat, command: SetUp | Drop) -> None:
    event = BoardPlaced(command.columns) if isinstance(command, SetUp) else StoneDropped(seat, command.column)
    draft.happen(event)


def on_board_placed(state: State, event: BoardPlaced) -> None:
    state.seats, state.columns = SEATS, ((),) * event.columns


def on_stone_dropped(state: State, event: StoneDropped) -> None:
    columns, index = list(state.columns), event.column
    columns[index] += (event.seat,)
    state.columns, state.turn = tuple(columns), state.turn + 1
    row = len(columns[index]) - 1
    if any(
        1 + count_stones(state, index, row, x, y) + count_stones(state, index, row, -x, -y) >= 4 for x, y in DIRECTIONS
    ):
        state.winner = event.seat


DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))


def count_stones(state: State, column: int, row: int, x: int, y: int) -> int:
    """How many stones of the same seat follow one another in a direction."""
    columns, seat, length = state.columns, state.columns[column][row], 0
    while (
        0 <= (column := column + x) < len(columns)
        and 0 <= (row := row + y) < len(columns[column])
        and columns[column][row] == seat
    ):
        length += 1
    return length


def outcome(state: State) -> Outcome:
    if state.winner:
        return Outcome(True, ((state.winner,), tuple(seat for seat in state.seats if seat != state.winner)))
    is_full = bool(state.seats) and state.turn == HEIGHT * len(state.columns)
    return Outcome(is_full, (state.seats,) if is_full else ())


GAME = Bundle(__name__, "four", "Connect Four", version="1")
