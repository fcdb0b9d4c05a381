"""The seat bar of a page: the players with their figures, who is to move, and who is watching now."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

import msgspec

from zimcore.bots.registry import is_installed
from zimcore.commits import Position
from zimcore.documents.seats import SeatInfo
from zimcore.game import Seat
from zimcore.picture.replay import counted_label, figure_labels, series_values
from zimcore.server.people.access import Visitor
from zimcore.toolkit.player_names import names_of_people


class SeatEntry(msgspec.Struct, frozen=True):
    """A seat in the bar: its figures in the order of their graphs; its points and its goal in percent of the bar.

    `program` is what plays the seat of `by` on a line of the visitor's own, or what is to play the seat but is not
    installed (`is_missing`); "" for nothing.
    """

    seat: Seat
    by: str
    classes: str
    figures: Sequence[tuple[str, int | None]]
    reached_percent: float
    goal_percent: float | None
    is_bot: bool = False
    is_you: bool = False
    is_here: bool = False
    due: datetime | None = None
    program: str = ""
    is_missing: bool = False


def seat_bar(
    position: Position,
    visitor: Visitor,
    seats: Sequence[SeatInfo],
    is_here: Callable[[str], bool],
    programs: Mapping[Seat, str],
) -> Sequence[SeatEntry]:
    """The seats at a position.

    `is_here(token_id)` says whether a player is watching now; `programs` play on a line of the visitor's own, or are
    not installed.
    """
    names = position.game.display.SERIES
    labels = figure_labels(position, names)
    info_by_seat = {info.seat: info for info in seats}
    figures_by_seat = {seat: [*series_values(position, seat)] for seat in position.colours}
    goal = position.game.display.GOAL
    goal_index = names.index(goal) if goal in names else None
    largest_value = max(
        [
            1,
            *(
                value
                for figures in figures_by_seat.values()
                for index, value in enumerate(figures)
                if value and index in (0, goal_index)
            ),
        ]
    )

    def make_entry(seat: Seat) -> SeatEntry:
        seat_info, figures = info_by_seat.get(seat, SeatInfo(seat)), figures_by_seat[seat]
        is_to_move, is_own = seat in position.to_move, seat == visitor.seat
        return SeatEntry(
            seat=seat,
            by=shown_name(seat_info) or position.names.get(seat, ""),
            classes=" ".join(filter(None, ["to-move" if is_to_move else "", "mine" if is_own else ""])),
            figures=[(counted_label(label, value), value) for label, value in zip(labels, figures, strict=True)],
            reached_percent=percent_of(figures[0] if figures else 0, largest_value),
            goal_percent=percent_of(figures[goal_index], largest_value) if goal_index is not None else None,
            is_bot=seat_info.bot,
            is_you=is_own,
            is_here=is_here(visitor.members.token_ids.get(seat, "")),
            due=seat_info.due,
            program=programs.get(seat, ""),
            is_missing=seat in programs and not is_installed(programs[seat]),
        )

    return [make_entry(seat) for seat in position.colours]


def shown_name(seat_info: SeatInfo) -> str:
    """The name of a seat's player; that of a program begins with a capital, as other names do."""
    return seat_info.by[:1].upper() + seat_info.by[1:] if seat_info.bot else seat_info.by


def percent_of(value: int | None, largest_value: int) -> float:
    """A value as a percentage of `largest_value`, with one decimal; negative values and None count as 0."""
    return round(100 * max(0, value or 0) / largest_value, 1)


def people_at(seats: Sequence[SeatInfo], position: Position | None) -> Mapping[Seat, str]:
    """How each seat of a game is called on every page, by unique names: the only source of names there."""
    known_names = position.names if position else {}
    return names_of_people({info.seat: shown_name(info) or known_names.get(info.seat, "") for info in seats})
