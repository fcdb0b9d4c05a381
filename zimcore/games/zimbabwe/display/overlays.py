"""Overlays of the board: range, hubs, owners, resources."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from zimcore.game import NotationError, Overlay
from zimcore.games.zimbabwe.board import Squares
from zimcore.games.zimbabwe.components import GODS
from zimcore.games.zimbabwe.rules.rituals import markers_left
from zimcore.games.zimbabwe.state import State


def overlay(state: State, name: str, words: Sequence[str]) -> Overlay:
    """The overlay with a name. Raises `NotationError` for an unknown name or square."""
    if name in OVERLAYS_OF_BOARD and not words:
        return OVERLAYS_OF_BOARD[name](state)
    if name in OVERLAYS_FROM_SQUARE and len(words) == 1 and words[0] in state.board.square:
        return OVERLAYS_FROM_SQUARE[name](state, words[0])
    typed_text = " ".join((name, *words))
    if name in OVERLAYS_FROM_SQUARE:
        raise NotationError(typed_text, "name one square of the board", [f"board --{name} {_example_square(state)}"])
    raise NotationError(
        typed_text,
        "the overlays are " + ", ".join((*OVERLAYS_FROM_SQUARE, *OVERLAYS_OF_BOARD)),
        [f"board --{overlay_name}" for overlay_name in OVERLAYS_OF_BOARD],
    )


def _example_square(state: State) -> str:
    return next(iter(state.monuments), "d4")


def reach_overlay(state: State, square: str) -> Overlay:
    """The squares within range (R-RNG-01), with their distances in steps."""
    zone = _zone(state, square)
    rings = [zone, *(state.squares_in_range(zone, steps) for steps in range(1, state.range_in_steps + 1))]
    return Overlay(f"in range of {square}: steps", _label_rings(state, rings))


def hubs_overlay(state: State, square: str) -> Overlay:
    """The squares within reach over hubs (R-HUB-01), with the fewest hubs to each."""
    return _hubs_overlay(state, square, state.range_in_steps, f"from {square}: hubs on the way")


def hubs_as_eshu_overlay(state: State, square: str) -> Overlay:
    """The squares within reach over hubs for who adores Eshu (R-RNG-01), which a player may still do this turn."""
    return _hubs_overlay(state, square, GODS["eshu"].range, f"from {square} as Eshu: hubs on the way")


def _hubs_overlay(state: State, square: str, steps: int, title: str) -> Overlay:
    rings = list(state.board.hub_rings(_zone(state, square), steps, state.monument_squares))
    return Overlay(title, _label_rings(state, rings))


def owner_overlay(state: State) -> Overlay:
    """The owner of each piece."""
    owner_by_square = {square: craftsman.owner for craftsman in state.craftsmen for square in craftsman.squares}
    owner_by_square |= {square: monument.owner for square, monument in state.monuments.items()}
    return Overlay("owner", {square: seat[:2].title() for square, seat in owner_by_square.items()})


def resources_overlay(state: State) -> Overlay:
    """The number of used markers that each resource can still take (R-RAI-07)."""
    seat = state.actor or ""
    label_by_square: dict[str, str] = {}
    for resource, squares in state.resources.items():
        for square in state.board.names(squares):
            markers = markers_left(state, seat, square)
            if markers > 0:
                label_by_square[square] = f"{resource[0]}{markers}"
    return Overlay("uses left", label_by_square)


def _zone(state: State, square: str) -> Squares:
    craftsman = state.craftsman_at(square)
    return craftsman.zone if craftsman else state.board.mask([square])


def _label_rings(state: State, rings: Sequence[Squares]) -> dict[str, str]:
    """Labels each square with the index of the first set that contains it; a craftsman shows the label at its end."""
    label_squares = {craftsman.squares[-1] for craftsman in state.craftsmen}
    covered_squares = {square for craftsman in state.craftsmen for square in craftsman.squares} | set(state.monuments)
    label_by_square: dict[str, str] = {}
    for index, ring in enumerate(rings):
        for square in state.board.names(ring):
            label_by_square.setdefault(square, "" if square in covered_squares - label_squares else str(index))
    return label_by_square


OVERLAYS_FROM_SQUARE: dict[str, Callable[[State, str], Overlay]] = {
    "reach": reach_overlay,
    "hubs": hubs_overlay,
    "hubs_as_eshu": hubs_as_eshu_overlay,
}
OVERLAYS_OF_BOARD: dict[str, Callable[[State], Overlay]] = {"owner": owner_overlay, "resources": resources_overlay}
