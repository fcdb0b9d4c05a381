"""The map inspector: what is within reach of a square."""

from __future__ import annotations

from collections.abc import Sequence

from zimcore.game import NotationError, Table
from zimcore.games.zimbabwe.previews import RANGES, Sight, sights_from
from zimcore.games.zimbabwe.state import State


def reach(state: State, words: Sequence[str]) -> Sequence[Table]:
    """What is within reach of `SQUARE`, or of the craftsman on it, at the usual range and the longest."""
    if len(words) != 1 or words[0] not in state.board.square:
        example = next(iter(state.monuments), "d4")
        raise NotationError(" ".join(words) or "reach", "name one square of the board", [f"reach {example}"])
    sights = sights_from(state, words[0])
    return _resource_table(state, words[0], sights), _piece_table([sight for sight in sights if sight.owner])


def _resource_table(state: State, square: str, sights: Sequence[Sight]) -> Table:
    headings = ("resource", "square", "used", "steps", *(f"within {steps}" for steps in RANGES))
    rows = [
        (
            sight.description,
            sight.square,
            str(state.used_markers.get(sight.square, 0)),
            _figure_text(sight.steps),
            *_within_cells(sight),
        )
        for sight in sights
        if not sight.owner
    ]
    return Table(f"Resources from {square}", headings, tuple(rows), numbers=("used", "steps"))


def _within_cells(sight: Sight) -> Sequence[str]:
    return ["yes" if sight.is_within(steps) else "no" for steps in RANGES]


def _piece_table(sights: Sequence[Sight]) -> Table:
    headings = ("owner", "what", "square", "steps", *(f"hubs (range {steps})" for steps in RANGES))
    rows = [
        (sight.owner, sight.description, sight.square, _figure_text(sight.steps), *map(_figure_text, sight.hubs))
        for sight in sights
    ]
    return Table(
        "Craftsmen and monuments", headings, tuple(rows), tuple(sight.owner for sight in sights), numbers=headings[3:]
    )


def _figure_text(figure: int | None) -> str:
    return "-" if figure is None else str(figure)
