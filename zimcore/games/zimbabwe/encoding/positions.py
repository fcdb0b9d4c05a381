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
    values = [
        *_figures_with_free_cards(tuple(state.setup.gods.items()), tuple(state.setup.specialists.items())),
        *ZERO_SEAT_FIGURES[len(seats)],
    ]
    _fill_common(state, values)
    _fill_seats(
        state,
        {
            other_seat: len(COMMON_FIGURES) + seat_index * len(SEAT_FIGURES)
            for seat_index, other_seat in enumerate(seats)
        },
        values,
    )
    return Encoded(_planes(state, seats), values)


def _planes(state: State, seats: Sequence[Seat]) -> list[int]:
    board, bit_by_name = state.board, state.board.square
    planes_by_level, monument_planes = dict.fromkeys(LEVELS, 0), dict.fromkeys(seats, 0)
    for name, monument in state.monuments.items():
        planes_by_level[monument.level] |= bit_by_name[name]
        monument_planes[monument.owner] |= bit_by_name[name]
    planes_by_type, craftsman_planes = dict.fromkeys(TYPES, 0), dict.fromkeys(seats, 0)
    for craftsman in state.craftsmen:
        planes_by_type[craftsman.type] |= craftsman.zone
        craftsman_planes[craftsman.owner] |= craftsman.zone
    used_once = used_twice = 0
    for name, marker_count in state.used_markers.items():
        used_once |= bit_by_name[name]
        if marker_count > 1:
            used_twice |= bit_by_name[name]
    built_or_raised = board.mask(state.turn.monuments)
    free_starts = state.start_areas & ~state.monument_squares
    land_planes = (
        board.exists,
        board.water,
        state.empty_land,
        free_starts,
        *[state.resources[resource] for resource in RESOURCES],
    )
    return [
        *land_planes,
        used_once,
        used_twice,
        built_or_raised,
        *planes_by_level.values(),
        *monument_planes.values(),
        *planes_by_type.values(),
        *craftsman_planes.values(),
    ]


@lru_cache(maxsize=16)
def _figures_with_free_cards(
    gods: tuple[tuple[str, int], ...], specialists: tuple[tuple[str, int], ...]
) -> tuple[float, ...]:
    """The common figures with all cards free, and zeros elsewhere; cached, as they are the same throughout a match."""
    values = [0.0] * len(COMMON_FIGURES)
    for card, vr in (*gods, *specialists):
        values[FREE_INDEX[card]], values[CARD_VR_INDEX[card]] = 1, vr
    return tuple(values)


def _fill_common(state: State, values: list[float]) -> None:
    turn = state.turn
    values[COMMON_INDEX["round"]], values[PHASE_INDEX[state.phase]] = state.round, 1
    values[COMMON_INDEX["gift"]], values[COMMON_INDEX["given"]] = state.gift, state.cattle_given
    for resource, tiles_left in state.tiles.items():
        values[TILES_INDEX[resource]] = tiles_left
    values[TILES_INDEX["water"]], values[COMMON_INDEX["card taken"]], values[WINDOW_INDEX[turn.window]] = (
        state.water_tiles,
        turn.card,
        1,
    )
    if turn.action:
        values[ACTION_INDEX[turn.action]] = 1
    for name in turn.used:
        values[USED_INDEX[name]] = 1
    for craftsman in state.craftsmen[: turn.stood]:
        values[STOOD_INDEX[craftsman.type]] = 1
    for god in state.adores.values():
        values[FREE_INDEX[god]] = 0
    for name, owner in state.specialists.items():
        if owner:
            values[FREE_INDEX[name]] = 0
    if state.plaques and state.plaques[0] in GODS:
        values[COMMON_INDEX["god's plaque"]] = 1


def _fill_seats(state: State, first_index: Mapping[Seat, int], row: list[float]) -> None:
    """Fills in the figures of each seat from its index in `first_index`; zeros are there already."""
    highest_levels = dict.fromkeys(first_index, 0)
    for monument in state.monuments.values():
        highest_levels[monument.owner] = max(monument.level, highest_levels[monument.owner])
    actor = state.actor
    for seat, index in first_index.items():
        first_values = (
            seat == actor,
            state.vp[seat],
            state.vr[seat],
            state.cattle[seat],
            0,
            state.queue.index(seat) + 1,
            0,
        )
        row[index : index + len(first_values)] = first_values
        row[index + SEAT_INDEX["highest"]] = highest_levels[seat]
    for place, seat in enumerate(state.order, 1):
        row[first_index[seat] + SEAT_INDEX["place in the order"]] = place
    for place, seat in enumerate(state.passed_seats, 1):
        row[first_index[seat] + SEAT_INDEX["passed"]] = place
    for seat in state.givers:
        row[first_index[seat] + SEAT_INDEX["given"]] = 1
    if state.bidder:
        row[first_index[state.bidder] + SEAT_INDEX["bid last"]] = 1
    for seat, god in state.adores.items():
        row[first_index[seat] + SEAT_INDEX[f"adores {god}"]] = 1
    for name, owner in state.specialists.items():
        if owner:
            row[first_index[owner] + SEAT_INDEX[f"has {name}"]] = 1
    for card, technology in state.technologies.items():
        seat, _, type_ = card.partition("/")
        row[first_index[seat] + SEAT_INDEX[f"VR of {type_}"]] = technology.vr
        row[first_index[seat] + SEAT_INDEX[f"price of {type_}"]] = technology.price
    for type_ in state.turn.taken:
        row[first_index[state.turn.seat] + SEAT_INDEX[f"took {type_}"]] = 1
    for account, amount in state.cattle.items():
        if amount and "/" in account:
            _fill_account(account, amount, first_index, row)


def _fill_account(account: Account, amount: int, first_index: Mapping[Seat, int], values: list[float]) -> None:
    """Fills in cattle on a card or plaque.

    Accounts are `kilwa/potter`, `kilwa/gu`, `plaque/kilwa`, `plaque/shadipinyi` or `card/qamata`.
    """
    owner, _, card = account.partition("/")
    if owner in first_index:
        values[first_index[owner] + SEAT_INDEX["god's cattle" if card in GODS else f"cattle on {card}"]] = amount
    elif card in first_index:
        values[first_index[card] + SEAT_INDEX["cattle on the plaque"]] = amount
    else:
        values[
            COMMON_INDEX["cattle on the god's plaque"] if owner == "plaque" else COMMON_INDEX[f"cattle on {card}"]
        ] = amount
