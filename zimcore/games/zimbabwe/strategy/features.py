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
from zimcore.games.zimbabwe.rules.rituals import find_obsolete_types
from zimcore.games.zimbabwe.state import Craftsman, State

MAX_HUBS = 3
"""Ways over this many hubs or more are left out: players seldom pay for them."""
MAX_CUSTOMERS = 6
"""The most that a craftsman's customers count, each by its level over the hubs on the way."""

TAPERED_FEATURES = ("vp", "vr", "cattle", "on_cards", "on_plaques", "place")
"""Features with another weight at the end than at the beginning. Cattle on own cards come back."""
STANDING_FEATURES = ("reached", "behind", "income", "paid_others")
"""Whether the VR is reached, how far others lead at the end, income in cattle, and cattle on other players' cards."""
BOARD_FEATURES = (
    *("monuments", "rising", "height", "types", "hubs"),
    *("customers", "earning", "own_goods", "technologies", "craftsmen", "resources"),
)
"""Monuments; the VP of the next level of those with enough goods in reach, and their levels; the types in reach, and
over how many hubs; customers of the seat's craftsmen, and these times the prices; its own goods in reach of its
monuments; technologies, craftsmen, and resources of these."""
CARDS = (*GODS, *SPECIALISTS)
FEATURES: Sequence[str] = (
    *TAPERED_FEATURES,
    *(f"{name}_late" for name in TAPERED_FEATURES),
    *STANDING_FEATURES,
    *BOARD_FEATURES,
    *CARDS,
)
"""The names of a seat's features, in their order."""


def progress(state: State) -> float:
    """The progress of the match from 0 to 1, where a seat has reached its VR."""
    return max(0.0, min(1.0, max(state.vp[seat] / max(state.vr[seat], 1) for seat in state.seats)))


def features(state: State, seat: Seat) -> list[float]:
    """The features of a seat, in the order of `FEATURES`."""
    vp, vr, cattle = state.vp[seat], state.vr[seat], state.cattle
    late_weight = 0.0 if state.phase == "setup" else progress(state)
    early_weight = 1 - late_weight
    cattle_on_cards, cattle_on_cards_of_others = _cattle_on_cards(state, seat)
    tapered_values = (vp, vr, cattle[seat], cattle_on_cards, cattle.get(f"plaque/{seat}", 0), _turn_place(state, seat))
    best_rival_gap = max([state.vp[rival] - state.vr[rival] for rival in state.seats if rival != seat])
    standing_values = (
        float(vp >= vr),
        max(best_rival_gap - (vp - vr), 0) * late_weight,
        float(state.income(seat)),
        cattle_on_cards_of_others,
    )
    god, specialists = state.adores.get(seat, ""), state.specialists
    return [
        *[early_weight * value for value in tapered_values],
        *[late_weight * value for value in tapered_values],
        *standing_values,
        *_board_features(state, seat),
        *[early_weight if name == god else 0.0 for name in GODS],
        *[early_weight if specialists.get(name) == seat else 0.0 for name in SPECIALISTS],
    ]


def _turn_place(state: State, seat: Seat) -> float:
    """The place in the order of turns if all others passed now: 1 is first, 0 is last; 0 outside of the bidding."""
    other_count = len(state.seats) - 1
    if state.phase != "bidding":
        return 0.0
    if seat in state.passed_seats:
        return state.passed_seats.index(seat) / other_count
    # The seat that has given most goes first; the others can still pass, and would be behind those who have given.
    return 1.0 if state.bidder == seat and seat in state.givers else (len(state.passed_seats) + 0.5) / (other_count + 1)


def _cattle_on_cards(state: State, seat: Seat) -> tuple[float, float]:
    """Cattle on the seat's own cards, which come back, and on another player's on average."""
    own_cattle = cattle_of_others = 0
    for account, amount in state.cattle.items():
        if amount and "/" in account:
            owner = account[: account.index("/")]
            if owner == seat:
                own_cattle += amount
            elif owner in state.vp:
                cattle_of_others += amount
    return own_cattle, cattle_of_others / max(len(state.seats) - 1, 1)


@lru_cache(maxsize=4096)
def _hubs_to_zone(
    board: Board, steps: int, monument_names: tuple[Square, ...], monument_squares: Squares, zone: Squares
) -> tuple[int, ...]:
    """The fewest hubs from each monument to a zone; `MAX_HUBS` for as many or more, or if there is no way.

    A cache helps: most commands tried change no monument and few zones.
    """
    hub_counts = []
    for square in monument_names:
        rings = board.hub_rings(board.square[square], steps, monument_squares)
        hub_counts.append(next((hubs for hubs, ring in enumerate(islice(rings, MAX_HUBS)) if ring & zone), MAX_HUBS))
    return tuple(hub_counts)


def _board_features(state: State, seat: Seat) -> tuple[float, ...]:
    """The features of `BOARD_FEATURES`."""
    board, steps = state.board, state.god_modifiers(seat).range
    monument_squares, monument_names = state.monument_squares, tuple(state.monuments)
    obsolete_types = find_obsolete_types(state)
    own_craftsmen: list[Craftsman] = []
    zone_by_type: dict[str, Squares] = {}
    for maker in state.craftsmen:
        if maker.type not in obsolete_types:
            zone_by_type[maker.type] = zone_by_type.get(maker.type, 0) | maker.zone
            if maker.owner == seat:
                own_craftsmen.append(maker)
    prices = {type_: technology.price or 1 for type_, technology in state.technologies_of(seat).items()}
    may_repeat = state.god_modifiers(seat).goods_may_repeat
    monument_count = rising_vp = level_sum = reachable_types = hubs = customers_served = earnings = own_goods = 0.0
    monuments_of_others: list[tuple[int, int]] = []
    own_monuments: list[tuple[int, int]] = []
    for index, monument in enumerate(state.monuments.values()):
        is_own, level = monument.owner == seat, monument.level
        monument_count += is_own
        if level < CONSTANTS.max_level:
            (own_monuments if is_own else monuments_of_others).append((index, level))
    if own_monuments:
        hubs_by_type = [
            _hubs_to_zone(board, steps, monument_names, monument_squares, zone) for zone in zone_by_type.values()
        ]
        hubs_to_own_makers = [
            hub_counts for type_, hub_counts in zip(zone_by_type, hubs_by_type, strict=True) if type_ in prices
        ]
        for index, level in own_monuments:
            hubs_to_near_makers = [hub_counts[index] for hub_counts in hubs_by_type if hub_counts[index] < MAX_HUBS]
            if len(hubs_to_near_makers) >= level or (may_repeat and hubs_to_near_makers):
                rising_vp += CONSTANTS.level_vp[level + 1] - CONSTANTS.level_vp[level]
                level_sum += level
            reachable_types += min(len(hubs_to_near_makers), CONSTANTS.max_level)
            hubs += sum(hubs_to_near_makers) / max(len(hubs_to_near_makers), 1)
            own_goods += sum([hub_counts[index] < MAX_HUBS for hub_counts in hubs_to_own_makers])
    for maker in own_craftsmen:
        hub_counts = _hubs_to_zone(board, steps, monument_names, monument_squares, maker.zone)
        customers = min(
            sum(
                [
                    level / (1 + hub_counts[index])
                    for index, level in monuments_of_others
                    if hub_counts[index] < MAX_HUBS
                ]
            ),
            MAX_CUSTOMERS,
        )
        customers_served += customers
        earnings += prices.get(maker.type, 1) * customers
    craft_counts = (len(prices), len(own_craftsmen), _possible_uses(state, own_craftsmen))
    return (
        monument_count,
        rising_vp,
        level_sum,
        reachable_types,
        hubs,
        customers_served,
        earnings,
        own_goods,
        *craft_counts,
    )


def _possible_uses(state: State, own_craftsmen: Sequence[Craftsman]) -> float:
    """How often the seat's craftsmen can work in a round, at most 4 times each."""
    return sum(
        [
            min(state.resources_near(craftsman.zone, CRAFTSMEN[craftsman.type].resource).bit_count(), 4)
            for craftsman in own_craftsmen
        ]
    )
