"""Finds the monuments that can each be raised alone, for all at once: it searches from the craftsmen."""

from __future__ import annotations

from operator import itemgetter

from zimcore.game import Seat
from zimcore.games.zimbabwe.board import Squares, bits
from zimcore.games.zimbabwe.commands import Square
from zimcore.games.zimbabwe.planner.demands import are_disjoint
from zimcore.games.zimbabwe.planner.offers import Market, Offer
from zimcore.games.zimbabwe.planner.raises import Planner
from zimcore.games.zimbabwe.rules.monuments import may_raise
from zimcore.games.zimbabwe.rules.rituals import growing_monuments
from zimcore.games.zimbabwe.state import State

BY_PRICE = itemgetter(0)


def affordable_monuments(state: State, seat: Seat) -> list[Square]:
    """The player's monuments that can grow and whose goods the player could pay at one cattle each (R-PRI-01)."""
    cattle, monuments = state.cattle[seat], state.monuments
    return [square for square in growing_monuments(state, seat) if monuments[square].level <= cattle]


def raisable_monuments(state: State, seat: Seat) -> Squares:
    """The monuments of a player that can each be raised and paid for now."""
    candidates = affordable_monuments(state, seat) if may_raise(state, seat) else []
    if not candidates:
        return 0
    planner = Planner(state, seat, state.cattle[seat])
    markers, may_repeat, monuments = planner.markers, state.god_modifiers(seat).goods_may_repeat, 0
    offers = _cheapest_offers(planner.market, state.board.mask(candidates))
    for square in candidates:
        bit, goods = state.board.square[square], state.monuments[square].level
        cheapest_goods = sorted(offers[bit].values(), key=BY_PRICE)
        chosen = cheapest_goods[:1] * goods if may_repeat else cheapest_goods[:goods]
        if len(chosen) == goods and sum([price for price, _ in chosen]) < planner.market.bound:
            # If the cheapest goods have their resources, no other goods are needed.
            chains = tuple([chain for _, chain in chosen])
            if are_disjoint((chains,)) or markers[sum(map(markers.usage, chains))] or planner.plan((square,)):
                monuments |= bit
    return monuments


def _cheapest_offers(market: Market, monuments: Squares) -> dict[Squares, dict[int, Offer]]:
    """The cheapest good of each type for each monument, searched from craftsmen: ways are symmetric (R-RNG-08)."""
    state = market.state
    offers_by_monument: dict[Squares, dict[int, Offer]] = {monument: {} for monument in bits(monuments)}
    for maker in market.eligible_makers:
        source = market.make_source(maker)
        chains = market.chains(source) if source and source.price < market.bound else []
        if not chains:
            continue
        chain, price, monuments_left = chains[0], chains[0].price + market.toll, monuments
        for reached in state.board.hub_rings(maker.zone, market.steps, state.monument_squares):
            for monument in bits(reached & monuments_left):
                cheapest_price = offers_by_monument[monument].get(chain.type)
                if cheapest_price is None or price < cheapest_price[0]:
                    offers_by_monument[monument][chain.type] = (price, chain)
            monuments_left &= ~reached
            price += market.hub
            if not monuments_left or price >= market.bound:
                break
    return offers_by_monument
