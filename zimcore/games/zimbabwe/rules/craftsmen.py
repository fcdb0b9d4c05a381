"""Placing craftsmen."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice

from zimcore.game import Seat
from zimcore.games.zimbabwe.board import RectanglePlaces, Squares
from zimcore.games.zimbabwe.commands import PlaceCraftsman, Square
from zimcore.games.zimbabwe.components import CONSTANTS, CRAFTSMEN, CraftsmanType
from zimcore.games.zimbabwe.events import (
    STOCK,
    ActionTaken,
    CraftsmanPlaced,
    PriceSet,
    TechnologyTaken,
    VPScored,
)
from zimcore.games.zimbabwe.rules.cards import change_vr, kept_cattle_by_specialist, vr_limit_reason
from zimcore.games.zimbabwe.rules.rule import Draft, Stage, decides, guard
from zimcore.games.zimbabwe.state import State
from zimcore.toolkit.words import an


@guard("R-CRA-02", PlaceCraftsman, stage=Stage.WORDS)
def type_exists(state: State, seat: Seat, command: PlaceCraftsman) -> str | None:
    """The type must be one of the seven."""
    return None if command.type in CRAFTSMEN else f"there is no craftsman called {command.type}"


@guard("R-TURN-01", PlaceCraftsman)
def craftsmen_are_the_action(state: State, seat: Seat, command: PlaceCraftsman) -> str | None:
    """A turn has one main action."""
    action_words = {"build": "built", "raise": "raised monuments"}.get(state.turn.action or "")
    return f"{seat} has already {action_words} in this turn, and a turn has one main action" if action_words else None


@guard("R-TURN-04", PlaceCraftsman)
def placing_is_open(state: State, seat: Seat, command: PlaceCraftsman) -> str | None:
    """The commands of the main action follow one another; raising prices comes after placing (R-PRI-01)."""
    if state.turn.action != "craft" or state.turn.window == "craftsmen" or action_may_resume(state):
        return None
    reason = "prices were raised" if state.prices_raised else "another command came in between"
    return f"{seat} can place no more craftsmen in this turn: {reason}"


def action_may_resume(state: State) -> bool:
    """Whether a house rule lets the main action go on after something else, until prices are raised."""
    return not state.prices_raised and state.has_house_rule("main_action")


def next_card(state: State, type_: CraftsmanType) -> int | None:
    """The top card of a technology: 1, 2, or None if both are taken."""
    card_count = len(state.owners_of(type_))
    return card_count + 1 if card_count < CONSTANTS.cards_per_type else None


def technology_vr(state: State, seat: Seat, type_: CraftsmanType) -> int:
    """The VR of a technology's next card for a player; 0 if the player has the technology (R-VR-01)."""
    card = None if f"{seat}/{type_}" in state.technologies else next_card(state, type_)
    if card is None:
        return 0
    god_vr = state.god_modifiers(seat).technology_vr
    return CRAFTSMEN[type_].vr[card - 1] if god_vr is None else god_vr


@guard("R-CRA-02", PlaceCraftsman)
def technology_is_available(state: State, seat: Seat, command: PlaceCraftsman) -> str | None:
    """The player must have the technology, or a card of it must be left."""
    if f"{seat}/{command.type}" in state.technologies or next_card(state, command.type):
        return None
    return f"both cards of the {command.type} are taken, by {' and '.join(state.owners_of(command.type))}"


@guard("R-VR-02", PlaceCraftsman)
def technology_is_within_the_limit(state: State, seat: Seat, command: PlaceCraftsman) -> str | None:
    """VR must stay within the limit."""
    return vr_limit_reason(state, seat, technology_vr(state, seat, command.type))


@guard("R-PRI-01", PlaceCraftsman)
def price_goes_with_the_technology(state: State, seat: Seat, command: PlaceCraftsman) -> str | None:
    """A new technology can get its price with a tile or later; an earlier one has its price."""
    technology = state.technologies.get(f"{seat}/{command.type}")
    if command.price is None:
        return None
    if technology and technology.price:
        may_rise = technology.price < command.price <= CONSTANTS.max_price and command.type not in state.turn.taken
        hint = ", raise it afterwards" if may_rise else ""
        return f"{seat}'s {command.type} has its price already, {technology.price}{hint}"
    return price_is_possible(command.price)


def price_is_possible(price: int) -> str | None:
    """The reason why a price is impossible; None for 1 to 3 cattle."""
    max_price = CONSTANTS.max_price
    return None if 1 <= price <= max_price else f"a price is 1 to {max_price} cattle, not {price}"


@guard("R-CRA-03", PlaceCraftsman)
def tiles_are_left(state: State, seat: Seat, command: PlaceCraftsman) -> str | None:
    """There are three tiles of each type, for all players together."""
    tile_count = CONSTANTS.craftsmen_per_type
    return (
        f"all {tile_count} tiles of the {command.type} are placed"
        if len(state.craftsmen_of_type(command.type)) >= tile_count
        else None
    )


@guard("R-CRA-04", PlaceCraftsman)
def footprint_fits(state: State, seat: Seat, command: PlaceCraftsman) -> str | None:
    """The squares must have the tile's form and be empty land."""
    zone = state.board.mask(command.squares)
    orientations = _orientations(command.type)
    if (
        not zone
        or len(command.squares) != zone.bit_count()
        or zone not in (state.board.rectangle_mask(zone & -zone, width, height) for width, height in orientations)
    ):
        width, height = CRAFTSMEN[command.type].size
        return f"the {command.type} covers {width}x{height} squares, not {'-'.join(command.squares) or 'none'}"
    occupied_squares = state.board.names(zone & ~state.empty_land)
    return f"{', '.join(occupied_squares)}: not empty land" if occupied_squares else None


def _orientations(type_: CraftsmanType) -> tuple[tuple[int, int], ...]:
    """Width and height of a tile in both its positions, if these differ."""
    width, height = CRAFTSMEN[type_].size
    return ((width, height),) if width == height else ((width, height), (height, width))


@guard("R-CRA-05", PlaceCraftsman)
def cost_is_at_hand(state: State, seat: Seat, command: PlaceCraftsman) -> str | None:
    """The player must have the full cost of the tile."""
    cost, cattle = CRAFTSMEN[command.type].cost, state.cattle[seat]
    return f"{an(command.type)} costs {cost} cattle and {seat} has {cattle}" if cost > cattle else None


def unclaimed_resources(state: State, type_: CraftsmanType) -> Squares:
    """The resources that no craftsman of a type has within range: a new one needs one of these (R-CRA-06)."""
    resource = CRAFTSMEN[type_].resource
    unclaimed_squares = state.resources[resource]
    for craftsman in state.craftsmen_of_type(type_):
        unclaimed_squares &= ~state.resources_near(craftsman.zone, resource)
    return unclaimed_squares


@guard("R-CRA-06", PlaceCraftsman)
def resource_is_within_range(state: State, seat: Seat, command: PlaceCraftsman) -> str | None:
    """There must be a resource within range that no other craftsman of the type has within range."""
    if not command.squares:
        return None  # without squares, R-CRA-04 refuses it
    resource = CRAFTSMEN[command.type].resource
    squares_text = "-".join(command.squares)
    resources_in_range = state.resources_near(state.board.mask(command.squares), resource)
    if not resources_in_range:
        return f"no {resource} within {state.range_in_steps} steps of {squares_text}{state.resource_range_note}"
    if resources_in_range & unclaimed_resources(state, command.type):
        return None
    rival_squares = ", ".join(
        craftsman.at
        for craftsman in state.craftsmen_of_type(command.type)
        if state.resources_near(craftsman.zone, resource) & resources_in_range
    )
    reach_text = f"all {resource} within {state.range_in_steps} steps of {squares_text}"
    verb = "are" if resource.endswith("s") else "is"
    return f"{reach_text} {verb} within range of the {command.type} at {rival_squares}"


def primary_squares(state: State, type_: CraftsmanType) -> Squares | None:
    """The squares of the primary craftsmen that a secondary type needs; None for a primary type."""
    primary_type = CRAFTSMEN[type_].needs
    return sum(craftsman.zone for craftsman in state.craftsmen_of_type(primary_type)) if primary_type else None


@guard("R-CRA-07", PlaceCraftsman)
def primary_is_reachable(state: State, seat: Seat, command: PlaceCraftsman) -> str | None:
    """A secondary craftsman must reach a primary one, over any number of hubs free of charge (R-HUB-09)."""
    primary_zone = primary_squares(state, command.type)
    if primary_zone is None or not command.squares:
        return None
    primary_type = CRAFTSMEN[command.type].needs
    if not primary_zone:
        return f"no {primary_type} is on the board"
    zone = state.board.mask(command.squares)
    if zone & _within_hubs(state, primary_zone):
        return None
    limit_note = " over one hub: a house rule (secondary_hubs=one)" if state.has_house_rule("secondary_hubs") else ""
    return f"no {primary_type} can be reached from {'-'.join(command.squares)}{limit_note}"


@guard("R-CRA-08", PlaceCraftsman)
def primary_stood_before(state: State, seat: Seat, command: PlaceCraftsman) -> str | None:
    """A craftsman of the primary type must have been on the board before the turn."""
    primary_type = CRAFTSMEN[command.type].needs
    if not primary_type or not state.craftsmen_of_type(primary_type) or _stood_before(state, primary_type):
        return None
    return f"the first {primary_type} was placed in this turn, so its {command.type} has to wait for another turn"


def _stood_before(state: State, type_: CraftsmanType) -> bool:
    return any(craftsman.type == type_ for craftsman in state.craftsmen[: state.turn.stood])


GENERAL_RULES = (craftsmen_are_the_action, placing_is_open)
"""The rules that do not depend on what is placed."""
TYPE_RULES = (cost_is_at_hand, tiles_are_left, technology_is_available, technology_is_within_the_limit)
"""The rules that depend only on the type, not on squares or prices; the fastest checks come first."""


def may_place(state: State, seat: Seat) -> bool:
    """Whether a player may place craftsmen now, before the rules about each type."""
    command = PlaceCraftsman("", ())
    for check in GENERAL_RULES:  # noqa: SIM110 - a generator would cost as much as most checks
        if check(state, seat, command):
            return False
    return True


def may_place_one(state: State, seat: Seat, type_: CraftsmanType) -> bool:
    """Whether a player who may place craftsmen may place one of a type, before the rules about squares."""
    command = PlaceCraftsman(type_, ())
    for check in TYPE_RULES:  # noqa: SIM110 - a generator would cost as much as most checks
        if check(state, seat, command):
            return False
    return True


def craftsman_places(state: State, type_: CraftsmanType) -> tuple[RectanglePlaces, ...]:
    """The places where a craftsman of a type fits: empty land (R-CRA-04), a resource (06), a primary (07, 08)."""
    primary_zone = primary_squares(state, type_)
    primary_type = CRAFTSMEN[type_].needs
    if primary_type and not _stood_before(state, primary_type):
        return ()
    sets_to_touch = [state.squares_in_range(unclaimed_resources(state, type_))]
    if primary_zone is not None:
        sets_to_touch.append(_within_hubs(state, primary_zone))
    return tuple(empty_places_touching(state, width, height, *sets_to_touch) for width, height in _orientations(type_))


def footprints(state: State, type_: CraftsmanType) -> Iterator[tuple[Square, ...]]:
    """Yields the squares of each place where a craftsman of a type fits."""
    return chain.from_iterable(state.board.rectangles(*places) for places in craftsman_places(state, type_))


def _within_hubs(state: State, zone: Squares) -> Squares:
    """All squares that a chain of hubs connects with a zone; ways are symmetric (R-RNG-08)."""
    reached_squares, ring_limit = 0, 2 if state.has_house_rule("secondary_hubs") else None
    for ring in islice(state.board.hub_rings(zone, state.range_in_steps, state.monument_squares), ring_limit):
        reached_squares |= ring
    return reached_squares


def empty_places_touching(state: State, width: int, height: int, *sets_to_touch: Squares) -> RectanglePlaces:
    """The rectangles of a size that are on empty land and touch each of the given sets."""
    corners = state.board.corners_inside(state.empty_land, width, height)
    for squares in sets_to_touch:
        corners &= state.board.corners_touching(squares, width, height)
    return RectanglePlaces(corners, width, height)


@decides(PlaceCraftsman)
def place_craftsman(draft: Draft, seat: Seat, command: PlaceCraftsman) -> None:
    """Takes the technology if needed, pays, places and scores (R-CRA-02, R-CRA-05, R-CRA-10)."""
    state = draft.state
    if state.turn.action is None:
        draft.happen(ActionTaken(seat, "craft"))
    if f"{seat}/{command.type}" not in state.technologies:
        _take_technology(draft, seat, command.type)
    if command.price is not None:
        draft.happen(PriceSet(seat, command.type, command.price))
    craftsman = CRAFTSMEN[command.type]
    unpaid_cost = craftsman.cost
    for name, kept_cattle in kept_cattle_by_specialist(state, craftsman.cost):
        draft.pay(seat, f"{seat}/{name}", kept_cattle, command.type)
        unpaid_cost -= kept_cattle
    draft.pay(seat, STOCK, unpaid_cost, command.type)
    squares = tuple(sorted(command.squares, key=state.board.square.__getitem__))
    draft.happen(CraftsmanPlaced(seat, command.type, squares))
    draft.happen(VPScored(seat, craftsman.vp, command.type))


def _take_technology(draft: Draft, seat: Seat, type_: CraftsmanType) -> None:
    vr = technology_vr(draft.state, seat, type_)
    card = next_card(draft.state, type_) or 0
    draft.happen(TechnologyTaken(seat, type_, card, vr))
    change_vr(draft, seat, vr, type_)
