"""Finds the monuments that can each be raised alone, for all at once: it searches from the craftsmen."""

from __future__ import annotations

from zimcore.game import Seat
from zimcore.games.zimbabwe.board import Squares, bits
from zimcore.games.zimbabwe.commands import Square
from zimcore.games.zimbabwe.planner.demands import are_disjoint, price_of_offer
from zimcore.games.zimbabwe.planner.offers import Market, Offer
from zimcore.games.zimbabwe.planner.raises import Planner
from zimcore.games.zimbabwe.rules.monuments import may_raise
from zimcore.games.zimbabwe.rules.rituals import growing_monuments
from zimcore.games.zimbabwe.state import State


def affordable_monuments(state: State, seat: Seat) -> list[Square]:
    """The player's monuments that can grow and whose goods the player could pay at one cattle each (R-PRI-01)."""
    cattle, monuments = state.cattle[seat], state.monuments
    return [square for square in growing_monuments(state, seat) if monuments[square].level <= cattle]


def raisable_monuments(state: State, seat: Seat) -> Squares:
    """The monuments of a player that can each be raised and paid for now."""
    affordable_squares = affordable_monuments(state, seat) if may_raise(state, seat) else []
    if not affordable_squares:
        return 0
    planner = Planner(state, seat, state.cattle[seat])
    sufficiency, may_repeat, raisable_squares = planner.sufficiency, state.god_modifiers(seat).goods_may_repeat, 0
    offers = _cheapest_offers(planner.market, state.board.mask(affordable_squares))
    for square in affordable_squares:
        square_bit, goods_needed = state.board.square[square], state.monuments[square].level
        cheapest_goods = sorted(offers[square_bit].values(), key=price_of_offer)
        chosen_offers = cheapest_goods[:1] * goods_needed if may_repeat else cheapest_goods[:goods_needed]
        if len(chosen_offers) == goods_needed and sum([price for price, _ in chosen_offers]) < planner.market.bound:
            # If the cheapest goods have their resources, no other goods are needed.
            chains = tuple([chain for _, chain in chosen_offers])
            if are_disjoint((chains,)) or sufficiency[sum(map(sufficiency.usage, chains))] or planner.plan((square,)):
                raisable_squares |= square_bit
    return raisable_squares


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
        for ring in state.board.hub_rings(maker.zone, market.steps, state.monument_squares):
            for monument in bits(ring & monuments_left):
                cheapest_offer = offers_by_monument[monument].get(chain.type)
                if cheapest_offer is None or price < cheapest_offer[0]:
                    offers_by_monument[monument][chain.type] = (price, chain)
            monuments_left &= ~ring
            price += market.hub_price
            if not monuments_left or price >= market.bound:
                break
    return offers_by_monument
