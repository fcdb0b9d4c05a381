"""Raising monuments: players buy ritual goods from craftsmen, over hubs, and use up resources."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from zimcore.game import Seat
from zimcore.games.zimbabwe.board import Squares
from zimcore.games.zimbabwe.commands import Good, Raise, Ritual, Square, Supply
from zimcore.games.zimbabwe.components import CONSTANTS, CRAFTSMEN, NO_GOD, SECONDARY_BY_PRIMARY, CraftsmanType
from zimcore.games.zimbabwe.events import STOCK, Account, ActionTaken, GoodMade, MonumentRaised, VPScored
from zimcore.games.zimbabwe.rules.cards import waiting_account
from zimcore.games.zimbabwe.rules.rule import Draft, Stage, decides, guard
from zimcore.games.zimbabwe.state import Craftsman, State
from zimcore.toolkit.words import an, numbered


class Purchase(NamedTuple):
    """A purchase: a craftsman's good for a monument, or a primary good for the maker of a secondary one.

    `zone` is its destination, the monument or a craftsman; `maker` is None if there is no such craftsman.
    """

    monument: Square
    supply: Supply
    zone: Squares
    maker: Craftsman | None
    is_for_monument: bool


def hubs_to(state: State, zone: Squares, craftsman: Craftsman) -> int | None:
    """The fewest hubs from a zone to a craftsman (R-HUB-01, R-HUB-06); None if no chain of hubs leads there."""
    return state.board.hubs(zone, craftsman.zone, state.range_in_steps, state.monument_squares)


def toll(state: State) -> int:
    """The hubs that the monument being raised adds to the way of each good (R-HUB-04): 1 under a house rule, else 0."""
    return int(state.has_house_rule("raised_hub"))


def hubs_to_pay(state: State, purchase: Purchase) -> int | None:
    """The hubs to pay for a purchase (R-HUB-05); None if there is no way."""
    hubs = hubs_to(state, purchase.zone, purchase.maker) if purchase.maker else None
    return None if hubs is None else hubs + (toll(state) if purchase.is_for_monument else 0)


def purchases(state: State, ritual: Ritual) -> Iterator[Purchase]:
    """Yields all purchases of a ritual: for a secondary good its own, then its primary's (R-RAI-05, R-RAI-06)."""
    for good in ritual.goods:
        maker = _find_maker(state, good.maker)
        yield Purchase(ritual.monument, good.maker, state.board.square[ritual.monument], maker, is_for_monument=True)
        if good.primary:
            zone, primary_maker = maker.zone if maker else 0, _find_maker(state, good.primary)
            yield Purchase(ritual.monument, good.primary, zone, primary_maker, is_for_monument=False)


def _find_maker(state: State, supply: Supply) -> Craftsman | None:
    for craftsman in state.craftsmen:
        if craftsman.squares[0] == supply.craftsman and craftsman.type == supply.type:
            return craftsman
    return None


def price_for(state: State, seat: Seat, craftsman: Craftsman) -> int:
    """The price of a craftsman's good for a player (R-RAI-08), in cattle: 1 until its price is set."""
    god_price = state.god_modifiers(seat).good_price
    return state.technologies[f"{craftsman.owner}/{craftsman.type}"].price or 1 if god_price is None else god_price


def markers_left(state: State, seat: Seat, resource: Square) -> int:
    """How many more used markers a player may put on a resource (R-RAI-07)."""
    return state.god_modifiers(seat).markers - markers_that_count(state, seat).get(resource, 0)


def markers_that_count(state: State, seat: Seat) -> Mapping[Square, int]:
    """The used markers that limit a player: those of all players, or under a house rule only their own."""
    if state.has_house_rule("atete") and state.god_modifiers(seat).markers > NO_GOD.markers:
        return state.used_markers_by_seat.get(seat, {})
    return state.used_markers


def find_obsolete_types(state: State) -> set[CraftsmanType | None]:
    """The primary goods that no longer count in rituals, as their secondary craftsman is on the board (R-RAI-04)."""
    return {CRAFTSMEN[craftsman.type].needs for craftsman in state.craftsmen}


def hub_payee(state: State) -> Account:
    """The account that hub payments go to (R-HUB-08)."""
    god_and_adorer = state.god_and_adorer("collects_hubs")
    if god_and_adorer:
        return f"{god_and_adorer[1]}/{god_and_adorer[0]}"
    waiting_god = state.unadored_god("collects_hubs", state.setup.qamata)
    return waiting_account(waiting_god) if waiting_god else STOCK


@guard("R-RAI-01", Raise, stage=Stage.WORDS)
def monuments_are_own(state: State, seat: Seat, command: Raise) -> str | None:
    """A player raises their own monuments, each once."""
    squares = [ritual.monument for ritual in command.rituals]
    foreign_squares = [
        square for square in squares if square not in state.monuments or state.monuments[square].owner != seat
    ]
    if foreign_squares:
        return f"{seat} has no monument on {', '.join(foreign_squares)}"
    if not squares:
        return "name a monument to raise"
    return "each monument can be raised once in a turn" if len(set(squares)) < len(squares) else None


@guard("R-GEO-01", Raise, stage=Stage.WORDS)
def squares_are_on_the_board(state: State, seat: Seat, command: Raise) -> str | None:
    """Craftsmen and resources must be named by squares of the board."""
    squares = {square for supply in _supplies(command) for square in (supply.craftsman, supply.resource)}
    unknown_squares = sorted(square for square in squares if square not in state.board.square)
    return f"there is no square {', '.join(unknown_squares)} on this board" if unknown_squares else None


def _supplies(command: Raise) -> Iterator[Supply]:
    goods = (good for ritual in command.rituals for good in ritual.goods)
    return (supply for good in goods for supply in (good.maker, good.primary) if supply)


def growing_monuments(state: State, seat: Seat) -> list[Square]:
    """A player's monuments that can still be raised; in a turn that raises, without those it has raised."""
    raised_squares = state.turn.monuments if state.turn.action == "raise" else ()
    own_monuments = [square for square, monument in state.monuments.items() if monument.owner == seat]
    return [
        square
        for square in own_monuments
        if state.monuments[square].level < CONSTANTS.max_level and square not in raised_squares
    ]


@guard("R-RAI-01", Raise)
def monuments_have_not_risen(state: State, seat: Seat, command: Raise) -> str | None:
    """A monument is raised once a turn, even if the action takes several commands."""
    raised_squares = [ritual.monument for ritual in command.rituals if ritual.monument in state.turn.monuments]
    if not raised_squares or state.turn.action != "raise":
        return None
    return f"{seat} has raised {', '.join(raised_squares)} in this turn"


@guard("R-RAI-01", Raise)
def monuments_can_grow(state: State, seat: Seat, command: Raise) -> str | None:
    """A monument can't go above level 5."""
    squares_at_top = [ritual.monument for ritual in command.rituals if _level(state, ritual) >= CONSTANTS.max_level]
    return f"{', '.join(squares_at_top)} has level {CONSTANTS.max_level}, the highest" if squares_at_top else None


def _level(state: State, ritual: Ritual) -> int:
    return state.monuments[ritual.monument].level


@guard("R-RAI-02", Raise)
def goods_are_as_many_as_levels(state: State, seat: Seat, command: Raise) -> str | None:
    """Raising from level L takes exactly L goods."""
    growing_squares = growing_monuments(state, seat)
    for ritual in command.rituals:
        level, goods_count = _level(state, ritual), len(ritual.goods)
        if goods_count != level and ritual.monument in growing_squares:
            goods_text = numbered(level, "ritual good")
            return f"raising {ritual.monument} from level {level} takes {goods_text}, not {goods_count}"
    return None


@guard("R-RAI-03", Raise)
def goods_differ(state: State, seat: Seat, command: Raise) -> str | None:
    """The goods of one raise must differ in type, unless the god allows repeats."""
    if state.god_modifiers(seat).goods_may_repeat:
        return None
    for ritual in command.rituals:
        types = [good.maker.type for good in ritual.goods]
        if len(set(types)) < len(types):
            [(type_, goods_count)] = Counter(types).most_common(1)
            return f"{ritual.monument} would get {goods_count} goods of the {type_}: they have to differ"
    return None


@guard("R-RAI-04", Raise)
def goods_are_not_obsolete(state: State, seat: Seat, command: Raise) -> str | None:
    """A primary good counts in rituals only until its secondary craftsman is on the board."""
    obsolete_types = find_obsolete_types(state)
    for type_ in _good_types(command):
        if type_ in obsolete_types:
            return f"goods of the {type_} count no more, as {an(SECONDARY_BY_PRIMARY[type_])} is on the board"
    return None


def _good_types(command: Raise) -> list[CraftsmanType]:
    return [good.maker.type for ritual in command.rituals for good in ritual.goods]


@guard("R-RAI-05", Raise)
def makers_are_reachable(state: State, seat: Seat, command: Raise) -> str | None:
    """Each craftsman must be where the command says, and within reach of a chain of hubs."""
    for ritual in command.rituals:
        for purchase in purchases(state, ritual):
            if purchase.maker is None:
                return f"there is no {_maker_text(purchase)}"
            if hubs_to(state, purchase.zone, purchase.maker) is None:
                return f"the {_maker_text(purchase)} can't be reached for {purchase.monument}"
    return None


def _maker_text(purchase: Purchase) -> str:
    return f"{purchase.supply.type} at {purchase.supply.craftsman}"


@guard("R-RAI-05", Raise)
def resources_are_within_range(state: State, seat: Seat, command: Raise) -> str | None:
    """Each craftsman uses a resource of its kind within its range."""
    for ritual in command.rituals:
        for _, supply, _, maker, _ in purchases(state, ritual):
            kind = CRAFTSMEN[supply.type].resource if supply.type in CRAFTSMEN else ""
            if maker and not state.resources_near(maker.zone, kind) & state.board.square[supply.resource]:
                range_text = f"within {state.range_in_steps} steps{state.resource_range_note}"
                return f"the {maker.type} at {maker.at} has no {kind} on {supply.resource} {range_text}"
    return None


@guard("R-RAI-06", Raise)
def secondary_goods_have_a_primary(state: State, seat: Seat, command: Raise) -> str | None:
    """A secondary good needs a primary good of the right type; a primary good needs none."""
    reasons = (_primary_fault(good) for ritual in command.rituals for good in ritual.goods)
    return next((reason for reason in reasons if reason), None)


def _primary_fault(good: Good) -> str | None:
    craftsman = CRAFTSMEN.get(good.maker.type)
    primary_type = craftsman.needs if craftsman else None
    given_type = good.primary.type if good.primary else None
    if given_type == primary_type:
        return None
    if primary_type is None:
        return f"{an(good.maker.type)} does not work on another craftsman's good"
    given_text = f"not of {an(given_type)}" if given_type else "and none is named"
    return f"{an(good.maker.type)} works on the good of {an(primary_type)}, {given_text}"


@guard("R-RAI-07", Raise)
def resources_are_not_used_up(state: State, seat: Seat, command: Raise) -> str | None:
    """A resource takes one marker a round, or two if the god allows it."""
    uses_by_square = Counter(supply.resource for supply in _supplies(command))
    for square, uses in uses_by_square.items():
        uses_left = max(markers_left(state, seat, square), 0)
        if uses > uses_left:
            if not uses_left:
                return f"{square} is used up in this round"
            more_uses = numbered(uses_left, "more use")
            return f"{square} is good for {more_uses} in this round, not for {uses}"
    return None


def raise_cost(state: State, seat: Seat, command: Raise) -> int:
    """The cattle that a raise costs its player: hubs and prices (R-HUB-05, R-RAI-08)."""
    return sum(
        (hubs_to_pay(state, purchase) or 0) * CONSTANTS.hub_cost + price_for(state, seat, purchase.maker)
        for ritual in command.rituals
        for purchase in purchases(state, ritual)
        if purchase.maker
    )


@guard("R-RAI-10", Raise)
def goods_can_be_paid(state: State, seat: Seat, command: Raise) -> str | None:
    """The player must have the cattle for all goods and hubs."""
    cost, cattle = raise_cost(state, seat, command), state.cattle[seat]
    return f"the goods and hubs cost {cost} cattle and {seat} has {cattle}" if cost > cattle else None


@decides(Raise)
def raise_(draft: Draft, seat: Seat, command: Raise) -> None:
    """For each monument: pays hubs and goods, places used markers, then raises and scores."""
    if draft.state.turn.action is None:
        draft.happen(ActionTaken(seat, "raise"))
    for ritual in command.rituals:
        for purchase in purchases(draft.state, ritual):
            _buy_good(draft, seat, purchase)
        _raise_monument(draft, seat, ritual.monument)


def _buy_good(draft: Draft, seat: Seat, purchase: Purchase) -> None:
    state, maker = draft.state, purchase.maker
    if maker is None:
        return
    hubs = hubs_to_pay(state, purchase)
    if hubs:
        draft.pay(seat, hub_payee(state), hubs * CONSTANTS.hub_cost, "hubs")
    draft.pay(seat, f"{maker.owner}/{maker.type}", price_for(state, seat, maker), maker.type)
    draft.happen(GoodMade(seat, maker.type, maker.at, purchase.supply.resource))


def _raise_monument(draft: Draft, seat: Seat, square: Square) -> None:
    level = draft.state.monuments[square].level
    level_vp = CONSTANTS.level_vp
    draft.happen(MonumentRaised(seat, square, level + 1))
    draft.happen(VPScored(seat, level_vp[level + 1] - level_vp[level], f"monument {square}"))
