"""Positions as numbers: planes for the board, and figures for everything else.

Seats are numbered from the viewer: 0 is its own seat, 1 the next in the order of seats.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache

from zimcore.game import Encoded, Seat
from zimcore.games.zimbabwe.components import CONSTANTS, CRAFTSMEN, GODS, RESOURCES, SPECIALISTS
from zimcore.games.zimbabwe.encoding.squares import shape
from zimcore.games.zimbabwe.events import Account
from zimcore.games.zimbabwe.state import State

__all__ = ["figures", "observe", "planes", "shape"]

TYPES = tuple(CRAFTSMEN)
PHASES = ("setup", "bidding", "actions", "over")
ACTIONS = ("build", "craft", "raise")
WINDOWS = ("prices", "craftsmen", "raising", "monuments", "")
CARDS = (*GODS, *SPECIALISTS)
LEVELS = range(1, CONSTANTS.max_level + 1)

COMMON_FIGURES = (
    *("round", *(f"phase {phase}" for phase in PHASES), "gift", "given"),
    *(f"tiles of {resource}" for resource in RESOURCES),
    *("tiles of water", "card taken", *(f"action {action}" for action in ACTIONS)),
    *(f"window {window or 'none'}" for window in WINDOWS),
    *(f"used {name}" for name in SPECIALISTS),
    *(f"stood {type_}" for type_ in TYPES),
    *(f"free {card}" for card in CARDS),
    *(f"VR of {card}" for card in CARDS),
    *(f"cattle on {god}" for god in GODS),
    *("god's plaque", "cattle on the god's plaque"),
)
"""Figures of the game as a whole. Free cards are still available; those of the turn are about the seat to move."""
SEAT_FIGURES = (
    *("to move", "VP", "VR", "cattle", "cattle on the plaque", "place in the queue", "place in the order"),
    *("given", "passed", "bid last", "highest", "god's cattle"),
    *(f"adores {god}" for god in GODS),
    *(f"has {name}" for name in SPECIALISTS),
    *(f"cattle on {name}" for name in SPECIALISTS),
    *(f"VR of {type_}" for type_ in TYPES),
    *(f"price of {type_}" for type_ in TYPES),
    *(f"cattle on {type_}" for type_ in TYPES),
    *(f"took {type_}" for type_ in TYPES),
)
"""Figures of each seat. Places begin at 1, and 0 is none; `passed` is the place among those who passed; `highest` is
the level of the highest monument; a technology that the seat lacks has price and VR 0."""

COMMON_INDEX = {name: index for index, name in enumerate(COMMON_FIGURES)}
SEAT_INDEX = {name: index for index, name in enumerate(SEAT_FIGURES)}
PHASE_INDEX = {phase: COMMON_INDEX[f"phase {phase}"] for phase in PHASES}
TILES_INDEX = {name: COMMON_INDEX[f"tiles of {name}"] for name in (*RESOURCES, "water")}
ACTION_INDEX = {action: COMMON_INDEX[f"action {action}"] for action in ACTIONS}
WINDOW_INDEX = {window: COMMON_INDEX[f"window {window or 'none'}"] for window in WINDOWS}
USED_INDEX = {name: COMMON_INDEX[f"used {name}"] for name in SPECIALISTS}
STOOD_INDEX = {type_: COMMON_INDEX[f"stood {type_}"] for type_ in TYPES}
FREE_INDEX = {card: COMMON_INDEX[f"free {card}"] for card in CARDS}
CARD_VR_INDEX = {card: COMMON_INDEX[f"VR of {card}"] for card in CARDS}
ZERO_SEAT_FIGURES = {
    players: (0.0,) * (players * len(SEAT_FIGURES)) for players in range(CONSTANTS.players[0], CONSTANTS.players[1] + 1)
}
"""The figures of all seats as zeros, by the number of players."""


@cache
def planes(players: int) -> Sequence[str]:
    """The names of planes."""
    return (
        *("board", "water", "empty land", "free start areas", *RESOURCES, "used once", "used twice", "of this action"),
        *(f"level {level}" for level in LEVELS),
        *(f"monuments of {seat}" for seat in range(players)),
        *TYPES,
        *(f"craftsmen of {seat}" for seat in range(players)),
    )


@cache
def figures(players: int) -> Sequence[str]:
    """The names of figures."""
    return (*COMMON_FIGURES, *(f"{seat}: {name}" for seat in range(players) for name in SEAT_FIGURES))


def observe(state: State, seat: Seat, begun: Sequence[int] = ()) -> Encoded:
    """A position as a seat sees it; only the seed is hidden."""
    viewer_index = state.seats.index(seat)
    seats = (*state.seats[viewer_index:], *state.seats[:viewer_index])
    figure_values = [
        *_figures_with_free_cards(tuple(state.setup.gods.items()), tuple(state.setup.specialists.items())),
        *ZERO_SEAT_FIGURES[len(seats)],
    ]
    _fill_common(state, figure_values)
    _fill_seats(
        state,
        {
            other_seat: len(COMMON_FIGURES) + seat_index * len(SEAT_FIGURES)
            for seat_index, other_seat in enumerate(seats)
        },
        figure_values,
    )
    return Encoded(_planes(state, seats), figure_values)


def _planes(state: State, seats: Sequence[Seat]) -> list[int]:
    board, bit_by_name = state.board, state.board.square
    planes_by_level, monument_planes_by_seat = dict.fromkeys(LEVELS, 0), dict.fromkeys(seats, 0)
    for square, monument in state.monuments.items():
        planes_by_level[monument.level] |= bit_by_name[square]
        monument_planes_by_seat[monument.owner] |= bit_by_name[square]
    planes_by_type, craftsman_planes_by_seat = dict.fromkeys(TYPES, 0), dict.fromkeys(seats, 0)
    for craftsman in state.craftsmen:
        planes_by_type[craftsman.type] |= craftsman.zone
        craftsman_planes_by_seat[craftsman.owner] |= craftsman.zone
    squares_used_once = squares_used_twice = 0
    for square, marker_count in state.used_markers.items():
        squares_used_once |= bit_by_name[square]
        if marker_count > 1:
            squares_used_twice |= bit_by_name[square]
    squares_of_action = board.mask(state.turn.monuments)
    free_starts = state.start_areas & ~state.monument_squares
    land_planes = (
        board.existing_squares,
        board.water,
        state.empty_land,
        free_starts,
        *[state.resources[resource] for resource in RESOURCES],
    )
    return [
        *land_planes,
        squares_used_once,
        squares_used_twice,
        squares_of_action,
        *planes_by_level.values(),
        *monument_planes_by_seat.values(),
        *planes_by_type.values(),
        *craftsman_planes_by_seat.values(),
    ]


@lru_cache(maxsize=16)
def _figures_with_free_cards(
    gods: tuple[tuple[str, int], ...], specialists: tuple[tuple[str, int], ...]
) -> tuple[float, ...]:
    """The common figures with all cards free, and zeros elsewhere; cached, as they are the same throughout a match."""
    figure_values = [0.0] * len(COMMON_FIGURES)
    for card, vr in (*gods, *specialists):
        figure_values[FREE_INDEX[card]], figure_values[CARD_VR_INDEX[card]] = 1, vr
    return tuple(figure_values)


def _fill_common(state: State, figure_values: list[float]) -> None:
    turn = state.turn
    figure_values[COMMON_INDEX["round"]], figure_values[PHASE_INDEX[state.phase]] = state.round, 1
    figure_values[COMMON_INDEX["gift"]], figure_values[COMMON_INDEX["given"]] = state.gift, state.cattle_given
    for resource, tiles_left in state.tiles.items():
        figure_values[TILES_INDEX[resource]] = tiles_left
    (
        figure_values[TILES_INDEX["water"]],
        figure_values[COMMON_INDEX["card taken"]],
        figure_values[WINDOW_INDEX[turn.window]],
    ) = (
        state.water_tiles,
        turn.card,
        1,
    )
    if turn.action:
        figure_values[ACTION_INDEX[turn.action]] = 1
    for name in turn.used:
        figure_values[USED_INDEX[name]] = 1
    for craftsman in state.craftsmen[: turn.stood]:
        figure_values[STOOD_INDEX[craftsman.type]] = 1
    for god in state.adores.values():
        figure_values[FREE_INDEX[god]] = 0
    for name, owner in state.specialists.items():
        if owner:
            figure_values[FREE_INDEX[name]] = 0
    if state.plaques and state.plaques[0] in GODS:
        figure_values[COMMON_INDEX["god's plaque"]] = 1


def _fill_seats(state: State, index_by_seat: Mapping[Seat, int], figure_values: list[float]) -> None:
    """Fills in the figures of each seat from its index in `index_by_seat`; zeros are there already."""
    highest_level_by_seat = dict.fromkeys(index_by_seat, 0)
    for monument in state.monuments.values():
        highest_level_by_seat[monument.owner] = max(monument.level, highest_level_by_seat[monument.owner])
    actor = state.actor
    for seat, index in index_by_seat.items():
        first_figures = (
            seat == actor,
            state.vp[seat],
            state.vr[seat],
            state.cattle[seat],
            0,
            state.queue.index(seat) + 1,
            0,
        )
        figure_values[index : index + len(first_figures)] = first_figures
        figure_values[index + SEAT_INDEX["highest"]] = highest_level_by_seat[seat]
    for place, seat in enumerate(state.order, 1):
        figure_values[index_by_seat[seat] + SEAT_INDEX["place in the order"]] = place
    for place, seat in enumerate(state.passed_seats, 1):
        figure_values[index_by_seat[seat] + SEAT_INDEX["passed"]] = place
    for seat in state.givers:
        figure_values[index_by_seat[seat] + SEAT_INDEX["given"]] = 1
    if state.bidder:
        figure_values[index_by_seat[state.bidder] + SEAT_INDEX["bid last"]] = 1
    for seat, god in state.adores.items():
        figure_values[index_by_seat[seat] + SEAT_INDEX[f"adores {god}"]] = 1
    for name, owner in state.specialists.items():
        if owner:
            figure_values[index_by_seat[owner] + SEAT_INDEX[f"has {name}"]] = 1
    for card, technology in state.technologies.items():
        seat, _, type_ = card.partition("/")
        figure_values[index_by_seat[seat] + SEAT_INDEX[f"VR of {type_}"]] = technology.vr
        figure_values[index_by_seat[seat] + SEAT_INDEX[f"price of {type_}"]] = technology.price
    for type_ in state.turn.taken:
        figure_values[index_by_seat[state.turn.seat] + SEAT_INDEX[f"took {type_}"]] = 1
    for account, amount in state.cattle.items():
        if amount and "/" in account:
            _fill_account(account, amount, index_by_seat, figure_values)


def _fill_account(account: Account, amount: int, index_by_seat: Mapping[Seat, int], figure_values: list[float]) -> None:
    """Fills in cattle on a card or plaque.

    Accounts are `kilwa/potter`, `kilwa/gu`, `plaque/kilwa`, `plaque/shadipinyi` or `card/qamata`.
    """
    owner, _, card = account.partition("/")
    if owner in index_by_seat:
        figure_values[index_by_seat[owner] + SEAT_INDEX["god's cattle" if card in GODS else f"cattle on {card}"]] = (
            amount
        )
    elif card in index_by_seat:
        figure_values[index_by_seat[card] + SEAT_INDEX["cattle on the plaque"]] = amount
    else:
        figure_values[
            COMMON_INDEX["cattle on the god's plaque"] if owner == "plaque" else COMMON_INDEX[f"cattle on {card}"]
        ] = amount
