"""What a command changes on the board, for a drawing: resources claimed, monuments served, goods out of use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from zimcore.game import Consequence, Seat
from zimcore.games.zimbabwe.advice.distances import Distances
from zimcore.games.zimbabwe.commands import AnyCommand, Build, PlaceCraftsman, Square, Start
from zimcore.games.zimbabwe.components import RESOURCES
from zimcore.games.zimbabwe.previews.craftsmen import preview_craftsman
from zimcore.games.zimbabwe.rules.rituals import find_obsolete_types
from zimcore.games.zimbabwe.state import State


def find_consequences(state: State, seat: Seat, command: AnyCommand) -> Sequence[Consequence]:
    """The consequences of a first monument, of buildings and of a craftsman; none of other commands."""
    match command:
        case Start(square=square):
            return tuple(_resources_around(state, square))
        case Build(squares=squares):
            distances = Distances(state)
            return tuple(each for square in squares for each in _goods_for(state, distances, square))
        case PlaceCraftsman():
            return tuple(_of_craftsman(state, seat, command))
        case _:
            return ()


def _resources_around(state: State, square: Square) -> Iterator[Consequence]:
    """The resources within range of a first monument."""
    squares_in_range = state.board.ball(state.board.square[square], state.range_in_steps)
    for kind in RESOURCES:
        yield from (Consequence("gains", each) for each in state.board.names(squares_in_range & state.resources[kind]))


def _goods_for(state: State, distances: Distances, square: Square) -> Iterator[Consequence]:
    """The craftsmen whose goods could raise a monument, with the hubs on the way."""
    obsolete_types = find_obsolete_types(state)
    for craftsman, hubs in distances.hubs_to_craftsmen(state.board.square[square]).items():
        if craftsman.type not in obsolete_types:
            yield Consequence("serves", square, craftsman.at, str(hubs))


def _of_craftsman(state: State, seat: Seat, command: PlaceCraftsman) -> Iterator[Consequence]:
    """What a craftsman claims and shares, the monuments that it serves over hubs, and the type that it replaces."""
    preview = preview_craftsman(state, seat, command)
    at = command.squares[0]
    yield from (Consequence("gains", square) for square in preview.claimed_resources)
    yield from (Consequence("shares", square) for square in preview.shared_resources)
    if preview.obsolete_type != command.type:
        for square, hubs in preview.hubs_by_monument.items():
            yield Consequence("serves", square, at, str(hubs))
    if preview.obsolete_type:
        yield from (Consequence("loses", each.at) for each in state.craftsmen_of_type(preview.obsolete_type))
