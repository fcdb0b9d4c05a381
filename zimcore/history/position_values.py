"""The values of a position for expressions: figures, chances, squares, and the same at other positions.

Each value is computed only when used: a sweep over a thousand positions mostly uses one figure of one seat.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Any, TypeAlias

from zimcore.game import Cell, Game, Seat
from zimcore.history.board_differences import cells_by_square

ValuesAt: TypeAlias = Callable[[str], "PositionValues"]
"""Returns the values at another position of the line, by the text after `@`: `r3`, `12`. Raises `GameError`."""
ReadChances: TypeAlias = Callable[[Game, Any], Mapping[Seat, float]]
"""Returns each seat's chance to win, from 0 to 1. Raises `GameError` if it is not known."""


class PositionValues(Mapping[str, Any]):
    """The figures of a position by name, those of a seat by the seat: `{"round": 4, "kilwa": {"vp": 3}}`.

    With `chances` each seat has a `chance`. `at` gives the values at other positions; without it there are none.
    """

    def __init__(self, game: Game, state: Any, chances: ReadChances | None = None, at: ValuesAt | None = None) -> None:
        self.game = game
        self.state = state
        self.seats = game.evolution.seats(state)
        self.chances = chances
        self.at = at
        self._values: dict[str, Any] = dict(game.display.common(state))
        self._extra_values: Mapping[Seat, Mapping[str, Any]] = {}
        self._squares: dict[str, Cell] | None = None

    def __getitem__(self, name: str) -> Any:
        if name not in self._values and name in self.seats:
            figures = {**self.game.display.figures(self.state, name), **self._extra_values.get(name, {})}
            if self.chances:
                figures["chance"] = round(self._chances[name], 3)
            self._values[name] = figures
        return self._values[name]

    @cached_property
    def _chances(self) -> Mapping[Seat, float]:
        """The chances of all seats, computed at once: this is the most expensive value."""
        return self.chances(self.game, self.state) if self.chances else {}

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys((*self._values, *self.seats)))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def include(self, match_values: Mapping[str, Any], seat_values: Mapping[Seat, Mapping[str, Any]]) -> PositionValues:
        """The same values, with further ones for the match and for each seat."""
        self._values = {**match_values, **self._values}
        self._extra_values = seat_values
        return self

    def square(self, name: str) -> Mapping[str, Any] | None:
        """The content of a square: role, kind, owner and marks (also the level of a monument); None if unknown."""
        if self._squares is None:
            self._squares = cells_by_square(self.game.display.board(self.state))
        cell = self._squares.get(name)
        if cell is None:
            return None
        kind = int(cell.kind) if cell.kind.isdigit() else cell.kind
        return {
            "role": cell.role,
            "kind": kind,
            "owner": cell.owner or None,
            "marks": cell.marks,
            "level": cell.marks,
        }
