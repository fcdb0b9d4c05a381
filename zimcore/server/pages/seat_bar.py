"""The seat bar of a page: the players with their figures, who is to move, and who is watching now."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

import msgspec

from zimcore.commits import Commit, Position
from zimcore.documents.seats import SeatInfo
from zimcore.game import Seat
from zimcore.picture.replay import counted_label, figure_label, series_values
from zimcore.server.access import Visitor


class SeatEntry(msgspec.Struct, frozen=True):
    """A seat in the bar: its figures in the order of their graphs; its points and its goal in percent of the bar.

    `program` is what plays the seat of `by` on a line of the visitor's own; "" for nothing.
    """

    seat: Seat
    by: str
    classes: str
    figures: Sequence[tuple[str, int | None]]
    reached: float
    goal: float | None
    bot: bool = False
    you: bool = False
    here: bool = False
    due: datetime | None = None
    program: str = ""


def seat_bar(
    position: Position,
    visitor: Visitor,
    seats: Sequence[SeatInfo],
    is_here: Callable[[str], bool],
    programs: Mapping[Seat, str],
) -> Sequence[SeatEntry]:
    """The seats at a position.

    `is_here(token_id)` says whether a player is watching now; `programs` play on a line of the visitor's own.
    """
    names = position.game.display.SERIES
    by_seat = {each.seat: each for each in seats}
    values = {seat: [*series_values(position, seat)] for seat in position.colours}
    goal = position.game.display.GOAL
    at = names.index(goal) if goal in names else None
    most = max(
        [1, *(value for figures in values.values() for n, value in enumerate(figures) if value and n in (0, at))]
    )

    def entry(seat: Seat) -> SeatEntry:
        info, figures = by_seat.get(seat, SeatInfo(seat)), values[seat]
        moves, you = seat in position.to_move, seat == visitor.seat
        return SeatEntry(
            seat=seat,
            by=info.by or position.names.get(seat, ""),
            classes=" ".join(filter(None, ["to-move" if moves else "", "mine" if you else ""])),
            figures=[
                (counted_label(figure_label(name, position), value), value)
                for name, value in zip(names, figures, strict=True)
            ],
            reached=share(figures[0] if figures else 0, most),
            goal=share(figures[at], most) if at is not None else None,
            bot=info.bot,
            you=you,
            here=is_here(visitor.members.seated.get(seat, "")),
            due=info.due,
            program=programs.get(seat, ""),
        )

    return [entry(seat) for seat in position.colours]


def share(value: int | None, most: int) -> float:
    """A value as a percentage of `most`, with one decimal; negative values and None count as 0."""
    return round(100 * max(0, value or 0) / most, 1)


def people_of(entries: Sequence[SeatEntry]) -> Mapping[Seat, str]:
    """The name of each seat's player, by seat."""
    return {each.seat: each.by for each in entries}


def prose(commit: Commit) -> str:
    """A move in plain words, without its player."""
    return commit.game.notation.describe_turn(commit.events)
