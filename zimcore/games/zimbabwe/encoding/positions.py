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

COMMON = (
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
OWN = (
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

COMMON_AT = {name: place for place, name in enumerate(COMMON)}
OWN_AT = {name: place for place, name in enumerate(OWN)}
PHASE = {phase: COMMON_AT[f"phase {phase}"] for phase in PHASES}
TILES = {name: COMMON_AT[f"tiles of {name}"] for name in (*RESOURCES, "water")}
ACTION = {action: COMMON_AT[f"action {action}"] for action in ACTIONS}
WINDOW = {window: COMMON_AT[f"window {window or 'none'}"] for window in WINDOWS}
USED = {name: COMMON_AT[f"used {name}"] for name in SPECIALISTS}
STOOD = {type_: COMMON_AT[f"stood {type_}"] for type_ in TYPES}
FREE = {card: COMMON_AT[f"free {card}"] for card in CARDS}
CARD_VR = {card: COMMON_AT[f"VR of {card}"] for card in CARDS}
SEATS_OF = {players: (0.0,) * (players * len(OWN)) for players in range(CONSTANTS.players[0], CONSTANTS.players[1] + 1)}
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
    return (*COMMON, *(f"{seat}: {name}" for seat in range(players) for name in OWN))


def observe(state: State, seat: Seat, begun: Sequence[int] = ()) -> Encoded:
    """A position as a seat sees it; only the seed is hidden."""
    place = state.seats.index(seat)
    seats = (*state.seats[place:], *state.seats[:place])
    row = [
        *_fresh_figures(tuple(state.setup.gods.items()), tuple(state.setup.specialists.items())),
        *SEATS_OF[len(seats)],
    ]
    _fill_common(state, row)
    _fill_seats(state, {each: len(COMMON) + number * len(OWN) for number, each in enumerate(seats)}, row)
    return Encoded(_planes(state, seats), row)


def _planes(state: State, seats: Sequence[Seat]) -> list[int]:
    board, square = state.board, state.board.square
    levels, owned_squares = dict.fromkeys(LEVELS, 0), dict.fromkeys(seats, 0)
    for name, monument in state.monuments.items():
        levels[monument.level] |= square[name]
        owned_squares[monument.owner] |= square[name]
    types, planes_by_seat = dict.fromkeys(TYPES, 0), dict.fromkeys(seats, 0)
    for craftsman in state.craftsmen:
        types[craftsman.type] |= craftsman.zone
        planes_by_seat[craftsman.owner] |= craftsman.zone
    used_once = twice = 0
    for name, times in state.used.items():
        used_once |= square[name]
        if times > 1:
            twice |= square[name]
    risen = board.mask(state.turn.monuments)
    free = state.starts & ~state.monument_squares
    land_planes = (board.exists, board.water, state.empty, free, *[state.resources[each] for each in RESOURCES])
    return [
        *land_planes,
        used_once,
        twice,
        risen,
        *levels.values(),
        *owned_squares.values(),
        *types.values(),
        *planes_by_seat.values(),
    ]


@lru_cache(maxsize=16)
def _fresh_figures(gods: tuple[tuple[str, int], ...], specialists: tuple[tuple[str, int], ...]) -> tuple[float, ...]:
    """The common figures with all cards free, and zeros elsewhere; cached, as they are the same throughout a match."""
    row = [0.0] * len(COMMON)
    for card, vr in (*gods, *specialists):
        row[FREE[card]], row[CARD_VR[card]] = 1, vr
    return tuple(row)


def _fill_common(state: State, row: list[float]) -> None:
    turn = state.turn
    row[COMMON_AT["round"]], row[PHASE[state.phase]] = state.round, 1
    row[COMMON_AT["gift"]], row[COMMON_AT["given"]] = state.gift, state.given
    for resource, left in state.tiles.items():
        row[TILES[resource]] = left
    row[TILES["water"]], row[COMMON_AT["card taken"]], row[WINDOW[turn.window]] = state.water_tiles, turn.card, 1
    if turn.action:
        row[ACTION[turn.action]] = 1
    for name in turn.used:
        row[USED[name]] = 1
    for craftsman in state.craftsmen[: turn.stood]:
        row[STOOD[craftsman.type]] = 1
    for god in state.adores.values():
        row[FREE[god]] = 0
    for name, owner in state.specialists.items():
        if owner:
            row[FREE[name]] = 0
    if state.plaques and state.plaques[0] in GODS:
        row[COMMON_AT["god's plaque"]] = 1


def _fill_seats(state: State, begin: Mapping[Seat, int], row: list[float]) -> None:
    """Fills in the figures of each seat from its index in `begin`; zeros are there already."""
    highest = dict.fromkeys(begin, 0)
    for monument in state.monuments.values():
        highest[monument.owner] = max(monument.level, highest[monument.owner])
    actor = state.actor
    for seat, start in begin.items():
        first = (seat == actor, state.vp[seat], state.vr[seat], state.cattle[seat], 0, state.queue.index(seat) + 1, 0)
        row[start : start + len(first)] = first
        row[start + OWN_AT["highest"]] = highest[seat]
    for place, seat in enumerate(state.order, 1):
        row[begin[seat] + OWN_AT["place in the order"]] = place
    for place, seat in enumerate(state.passed, 1):
        row[begin[seat] + OWN_AT["passed"]] = place
    for seat in state.givers:
        row[begin[seat] + OWN_AT["given"]] = 1
    if state.bidder:
        row[begin[state.bidder] + OWN_AT["bid last"]] = 1
    for seat, god in state.adores.items():
        row[begin[seat] + OWN_AT[f"adores {god}"]] = 1
    for name, owner in state.specialists.items():
        if owner:
            row[begin[owner] + OWN_AT[f"has {name}"]] = 1
    for card, technology in state.technologies.items():
        seat, _, type_ = card.partition("/")
        row[begin[seat] + OWN_AT[f"VR of {type_}"]] = technology.vr
        row[begin[seat] + OWN_AT[f"price of {type_}"]] = technology.price
    for type_ in state.turn.taken:
        row[begin[state.turn.seat] + OWN_AT[f"took {type_}"]] = 1
    for account, amount in state.cattle.items():
        if amount and "/" in account:
            _fill_account(account, amount, begin, row)


def _fill_account(account: Account, amount: int, begin: Mapping[Seat, int], row: list[float]) -> None:
    """Fills in cattle on a card or plaque.

    Accounts are `kilwa/potter`, `kilwa/gu`, `plaque/kilwa`, `plaque/shadipinyi` or `card/qamata`.
    """
    owner, _, card = account.partition("/")
    if owner in begin:
        row[begin[owner] + OWN_AT["god's cattle" if card in GODS else f"cattle on {card}"]] = amount
    elif card in begin:
        row[begin[card] + OWN_AT["cattle on the plaque"]] = amount
    else:
        row[COMMON_AT["cattle on the god's plaque"] if owner == "plaque" else COMMON_AT[f"cattle on {card}"]] = amount
