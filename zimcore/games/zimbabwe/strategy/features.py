"""The features of a position for a seat, each in terms that a player would recognise.

Some features count more at the beginning or at the end: these come twice, such as `cattle` and `cattle_late`, each
scaled by the progress of the match.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import islice

from zimcore.game import Seat
from zimcore.games.zimbabwe.board import Board, Squares
from zimcore.games.zimbabwe.commands import Square
from zimcore.games.zimbabwe.components import CONSTANTS, CRAFTSMEN, GODS, SPECIALISTS
from zimcore.games.zimbabwe.rules.rituals import obsolete
from zimcore.games.zimbabwe.state import Craftsman, State

HUBS = 3
"""Ways over this many hubs or more are left out: players seldom pay for them."""
CUSTOMERS = 6
"""The most that a craftsman's customers count, each by its level over the hubs on the way."""

TAPERED = ("vp", "vr", "cattle", "on_cards", "on_plaques", "place")
"""Features with another weight at the end than at the beginning. Cattle on own cards come back."""
STANDING = ("reached", "behind", "income", "paid_others")
"""Whether the VR is reached, how far others lead at the end, income in cattle, and cattle on other players' cards."""
GROUND = (
    *("monuments", "rising", "height", "types", "hubs"),
    *("customers", "earning", "own_goods", "technologies", "craftsmen", "resources"),
)
"""Monuments; the VP of the next level of those with enough goods in reach, and their levels; the types in reach, and
over how many hubs; customers of the seat's craftsmen, and these times the prices; its own goods in reach of its
monuments; technologies, craftsmen, and resources of these."""
CARDS = (*GODS, *SPECIALISTS)
FEATURES: Sequence[str] = (*TAPERED, *(f"{name}_late" for name in TAPERED), *STANDING, *GROUND, *CARDS)
"""The names of a seat's features, in their order."""


def progress(state: State) -> float:
    """The progress of the match from 0 to 1, where a seat has reached its VR."""
    return max(0.0, min(1.0, max(state.vp[seat] / max(state.vr[seat], 1) for seat in state.seats)))


def features(state: State, seat: Seat) -> list[float]:
    """The features of a seat, in the order of `FEATURES`."""
    vp, vr, cattle = state.vp[seat], state.vr[seat], state.cattle
    late = 0.0 if state.phase == "setup" else progress(state)
    early = 1 - late
    on_cards, on_others = _on_cards(state, seat)
    tapered = (vp, vr, cattle[seat], on_cards, cattle.get(f"plaque/{seat}", 0), _place(state, seat))
    rivals = max([state.vp[each] - state.vr[each] for each in state.seats if each != seat])
    standing = (float(vp >= vr), max(rivals - (vp - vr), 0) * late, float(state.income(seat)), on_others)
    god, specialists = state.adores.get(seat, ""), state.specialists
    return [
        *[early * each for each in tapered],
        *[late * each for each in tapered],
        *standing,
        *_ground(state, seat),
        *[early if name == god else 0.0 for name in GODS],
        *[early if specialists.get(name) == seat else 0.0 for name in SPECIALISTS],
    ]


def _place(state: State, seat: Seat) -> float:
    """The place in the order of turns if all others passed now: 1 is first, 0 is last; 0 outside of the bidding."""
    others = len(state.seats) - 1
    if state.phase != "bidding":
        return 0.0
    if seat in state.passed:
        return state.passed.index(seat) / others
    # The seat that has given most goes first; the others can still pass, and would be behind those who have given.
    return 1.0 if state.bidder == seat and seat in state.givers else (len(state.passed) + 0.5) / (others + 1)


def _on_cards(state: State, seat: Seat) -> tuple[float, float]:
    """Cattle on the seat's own cards, which come back, and on another player's on average."""
    own = others = 0
    for account, amount in state.cattle.items():
        if amount and "/" in account:
            owner = account[: account.index("/")]
            if owner == seat:
                own += amount
            elif owner in state.vp:
                others += amount
    return own, others / max(len(state.seats) - 1, 1)


@lru_cache(maxsize=4096)
def _ways(board: Board, steps: int, squares: tuple[Square, ...], standing: Squares, zone: Squares) -> tuple[int, ...]:
    """The fewest hubs from each monument to a zone; `HUBS` for as many or more, or if there is no way.

    A cache helps: most commands tried change no monument and few zones.
    """
    rows = []
    for square in squares:
        rings = board.hub_rings(board.square[square], steps, standing)
        rows.append(next((way for way, ring in enumerate(islice(rings, HUBS)) if ring & zone), HUBS))
    return tuple(rows)


def _ground(state: State, seat: Seat) -> tuple[float, ...]:
    """The features of `GROUND`."""
    board, steps = state.board, state.god_modifiers(seat).range
    standing, squares = state.monument_squares, tuple(state.monuments)
    obsolete_types = obsolete(state)
    own: list[Craftsman] = []
    zones: dict[str, Squares] = {}
    for maker in state.craftsmen:
        if maker.type not in obsolete_types:
            zones[maker.type] = zones.get(maker.type, 0) | maker.zone
            if maker.owner == seat:
                own.append(maker)
    prices = {type_: technology.price or 1 for type_, technology in state.technologies_of(seat).items()}
    may_repeat = state.god_modifiers(seat).goods_may_repeat
    count = rising = height = types = hubs = served = earning = own_goods = 0.0
    theirs: list[tuple[int, int]] = []
    mine: list[tuple[int, int]] = []
    for place, monument in enumerate(state.monuments.values()):
        owned, level = monument.owner == seat, monument.level
        count += owned
        if level < CONSTANTS.max_level:
            (mine if owned else theirs).append((place, level))
    if mine:
        ways = [_ways(board, steps, squares, standing, zone) for zone in zones.values()]
        sold = [column for type_, column in zip(zones, ways, strict=True) if type_ in prices]
        for place, level in mine:
            near = [column[place] for column in ways if column[place] < HUBS]
            if len(near) >= level or (may_repeat and near):
                rising += CONSTANTS.level_vp[level + 1] - CONSTANTS.level_vp[level]
                height += level
            types += min(len(near), CONSTANTS.max_level)
            hubs += sum(near) / max(len(near), 1)
            own_goods += sum([column[place] < HUBS for column in sold])
    for maker in own:
        column = _ways(board, steps, squares, standing, maker.zone)
        customers = min(
            sum([level / (1 + column[place]) for place, level in theirs if column[place] < HUBS]), CUSTOMERS
        )
        served += customers
        earning += prices.get(maker.type, 1) * customers
    counts = (len(prices), len(own), _resources(state, own))
    return (count, rising, height, types, hubs, served, earning, own_goods, *counts)


def _resources(state: State, own: Sequence[Craftsman]) -> float:
    """How often the seat's craftsmen can work in a round, at most 4 times each."""
    return sum([min(state.resources_near(each.zone, CRAFTSMEN[each.type].resource).bit_count(), 4) for each in own])
