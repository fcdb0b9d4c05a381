"""Applies events to a position. It checks no rules and never refuses: stored events have happened.

Copies of a state share their tables, so a table is replaced here, never changed. The accounts of cattle are copied
instead, since nearly every command changes them often.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from zimcore.game import Event
from zimcore.games.zimbabwe import events as e
from zimcore.games.zimbabwe.board import Board, parse_map
from zimcore.games.zimbabwe.commands import Square
from zimcore.games.zimbabwe.components import CONSTANTS, RESOURCES
from zimcore.games.zimbabwe.state import NO_TURN, Craftsman, Monument, State, Technology, Turn


def evolve(state: State, event: Event) -> None:
    """Applies an event to a state. Raises `KeyError` for an event of another game."""
    APPLIERS[type(event)](state, event)


def command_played(state: State, event: e.Played) -> None:
    """Does nothing: only the events that follow a command change the state."""


def game_set_up(state: State, event: e.GameSetUp) -> None:
    state.setup = event
    state.phase = "setup"
    state.board = Board.from_rows(event.rows)
    state.vp = dict.fromkeys(event.seats, 0)
    state.vr = dict.fromkeys(event.seats, CONSTANTS.start_vr)
    state.cattle = {e.STOCK: 0, **dict.fromkeys(event.seats, 0)}
    state.queue = event.order[::-1]
    state.specialists = dict.fromkeys(event.specialists)
    state.tiles = {name: kind.tiles for name, kind in RESOURCES.items()}
    state.water_tiles = CONSTANTS.water_tiles
    state.resources = {name: parse_map(event.rows, kind.letter) for name, kind in RESOURCES.items()}
    state.start_areas = parse_map(event.rows, "S")
    state.empty_land = (
        state.board.existing_squares & ~state.board.water & ~state.start_areas & ~sum(state.resources.values())
    )


def house_rules_chosen(state: State, event: e.HouseRulesChosen) -> None:
    state.house = event.rules


def round_begun(state: State, event: e.RoundBegun) -> None:
    state.phase = "bidding"
    state.round = event.round
    state.plaques = event.plaques
    state.cattle_given = state.gift = 0
    state.givers = state.passed_seats = state.order = state.seats_at_vr = ()
    state.bidder = ""
    state.turn = NO_TURN
    state.used_markers = {}
    state.used_markers_by_seat = {}


def gift_given(state: State, event: e.GiftGiven) -> None:
    state.gift = event.amount
    state.cattle_given += event.amount
    state.givers = (*state.givers, event.seat)
    state.bidder = event.seat


def cattle_paid(state: State, event: e.CattlePaid) -> None:
    cattle = state.cattle
    cattle[event.payer] -= event.amount
    cattle[event.payee] = cattle.get(event.payee, 0) + event.amount


def seat_passed(state: State, event: e.Passed) -> None:
    state.passed_seats = (*state.passed_seats, event.seat)
    state.bidder = event.seat


def order_set(state: State, event: e.OrderSet) -> None:
    state.phase = "actions"
    state.order = event.order


def turn_begun(state: State, event: e.TurnBegun) -> None:
    state.turn = Turn(event.seat, len(state.craftsmen))
    state.prices_raised = False


def turn_ended(state: State, event: e.TurnEnded) -> None:
    state.turn = NO_TURN


def action_taken(state: State, event: e.ActionTaken) -> None:
    window = "craftsmen" if event.action == "craft" else "monuments"
    state.turn = replace(state.turn, action=event.action, window=window)


def god_adored(state: State, event: e.GodAdored) -> None:
    state.adores = {**state.adores, event.seat: event.god}
    state.turn = replace(state.turn, card=True, window="prices")


def specialist_hired(state: State, event: e.SpecialistHired) -> None:
    other_specialists = {name: owner for name, owner in state.specialists.items() if name != event.specialist}
    state.specialists = {**other_specialists, event.specialist: event.seat}
    state.turn = replace(state.turn, card=True, window="")


def specialist_used(state: State, event: e.SpecialistUsed) -> None:
    state.turn = replace(state.turn, used=(*state.turn.used, event.specialist), window="")


def resource_placed(state: State, event: e.ResourcePlaced) -> None:
    square = state.board.square[event.square]
    state.resources = {**state.resources, event.resource: state.resources[event.resource] | square}
    state.empty_land &= ~square
    state.tiles = {**state.tiles, event.resource: state.tiles[event.resource] - 1}


def water_placed(state: State, event: e.WaterPlaced) -> None:
    state.board = state.board.with_water(event.squares)
    state.empty_land &= ~state.board.water
    state.water_tiles -= 1


def monument_built(state: State, event: e.MonumentBuilt) -> None:
    square = state.board.square[event.square]
    state.monuments = {**state.monuments, event.square: Monument(event.seat, 1)}
    state.monument_squares |= square
    state.empty_land &= ~square
    _record_monument_of_action(state, event.square)


def _record_monument_of_action(state: State, square: Square) -> None:
    """Records a monument that the turn's action has built or raised; first monuments belong to no turn."""
    if state.turn.action:
        state.turn = replace(state.turn, monuments=(*state.turn.monuments, square))


def technology_taken(state: State, event: e.TechnologyTaken) -> None:
    technology = Technology(event.card, event.vr)
    state.technologies = {**state.technologies, f"{event.seat}/{event.type}": technology}
    state.turn = replace(state.turn, taken=(*state.turn.taken, event.type))


def technology_rebated(state: State, event: e.TechnologyRebated) -> None:
    card = f"{event.seat}/{event.type}"
    state.technologies = {**state.technologies, card: replace(state.technologies[card], vr=event.vr)}


def craftsman_placed(state: State, event: e.CraftsmanPlaced) -> None:
    zone = state.board.mask(event.squares)
    state.craftsmen = (*state.craftsmen, Craftsman(event.type, event.seat, event.squares, zone))
    state.empty_land &= ~zone
    state.turn = replace(state.turn, window="craftsmen")


def price_set(state: State, event: e.PriceSet) -> None:
    card = f"{event.seat}/{event.type}"
    technology = state.technologies[card]
    state.technologies = {**state.technologies, card: replace(technology, price=event.price)}
    # A first price is part of placing; prices set earlier are raised after it (R-PRI-01).
    if technology.price and state.turn.action == "craft" and not state.may_price_freely(event.seat):
        state.turn = replace(state.turn, window="raising")
        state.prices_raised = True


def good_made(state: State, event: e.GoodMade) -> None:
    state.used_markers = {**state.used_markers, event.resource: state.used_markers.get(event.resource, 0) + 1}
    if state.has_house_rule("atete"):
        own_markers = state.used_markers_by_seat.get(event.seat, {})
        own_markers = {**own_markers, event.resource: own_markers.get(event.resource, 0) + 1}
        state.used_markers_by_seat = {**state.used_markers_by_seat, event.seat: own_markers}


def monument_raised(state: State, event: e.MonumentRaised) -> None:
    state.monuments = {**state.monuments, event.square: Monument(event.seat, event.level)}
    _record_monument_of_action(state, event.square)


def vp_scored(state: State, event: e.VPScored) -> None:
    state.vp = {**state.vp, event.seat: state.vp[event.seat] + event.points}


def vr_changed(state: State, event: e.VRChanged) -> None:
    vr = state.vr = {**state.vr, event.seat: state.vr[event.seat] + event.by}
    other_seats = [seat for seat in state.queue if seat != event.seat]
    queue_index = sum(vr[seat] >= vr[event.seat] for seat in other_seats)
    if vr[event.seat] == CONSTANTS.start_vr and state.has_house_rule("start_stack"):
        queue_index -= sum(not state.has_moved_vr(seat) for seat in other_seats)
    state.queue = (*other_seats[:queue_index], event.seat, *other_seats[queue_index:])


def mythologies_compared(state: State, event: e.MythologiesCompared) -> None:
    state.seats_at_vr = event.reached
    state.winner = event.winner
    if event.winner:
        state.phase = "over"


APPLIERS: dict[type[Event], Callable[[State, Any], None]] = {
    e.Played: command_played,
    e.GameSetUp: game_set_up,
    e.HouseRulesChosen: house_rules_chosen,
    e.RoundBegun: round_begun,
    e.GiftGiven: gift_given,
    e.CattlePaid: cattle_paid,
    e.Passed: seat_passed,
    e.OrderSet: order_set,
    e.TurnBegun: turn_begun,
    e.TurnEnded: turn_ended,
    e.ActionTaken: action_taken,
    e.GodAdored: god_adored,
    e.SpecialistHired: specialist_hired,
    e.SpecialistUsed: specialist_used,
    e.ResourcePlaced: resource_placed,
    e.WaterPlaced: water_placed,
    e.MonumentBuilt: monument_built,
    e.TechnologyTaken: technology_taken,
    e.TechnologyRebated: technology_rebated,
    e.CraftsmanPlaced: craftsman_placed,
    e.PriceSet: price_set,
    e.GoodMade: good_made,
    e.MonumentRaised: monument_raised,
    e.VPScored: vp_scored,
    e.VRChanged: vr_changed,
    e.MythologiesCompared: mythologies_compared,
}
