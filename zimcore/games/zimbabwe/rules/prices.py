"""Prices of ritual goods: raised at the end of the craftsmen action, or set freely if the god allows it."""

from __future__ import annotations

from zimcore.game import Command, Seat
from zimcore.games.zimbabwe.commands import Adore, EndTurn, Hire, SetPrices, Use
from zimcore.games.zimbabwe.components import CONSTANTS, CraftsmanType
from zimcore.games.zimbabwe.events import ActionTaken, PriceSet
from zimcore.games.zimbabwe.rules.cards import prices_come_first
from zimcore.games.zimbabwe.rules.craftsmen import price_is_possible
from zimcore.games.zimbabwe.rules.rule import Draft, Stage, decides, guard
from zimcore.games.zimbabwe.state import State


@guard("R-PRI-02", SetPrices, stage=Stage.WORDS)
def technologies_are_owned(state: State, seat: Seat, command: SetPrices) -> str | None:
    """Prices can be set only for technologies of your own."""
    if not command.prices:
        return "name a technology and its new price"
    foreign_types = dict.fromkeys(type_ for type_, _ in command.prices if f"{seat}/{type_}" not in state.technologies)
    return f"{seat} has no technology {', '.join(foreign_types)}" if foreign_types else None


@guard("R-PRI-03", SetPrices, stage=Stage.WORDS)
def one_price_a_card(state: State, seat: Seat, command: SetPrices) -> str | None:
    """Each card has one price."""
    return "a technology is named twice" if len(dict(command.prices)) < len(command.prices) else None


@guard("R-PRI-03", SetPrices)
def prices_are_open(state: State, seat: Seat, command: SetPrices) -> str | None:
    """Prices can be set in the craftsmen action, which may be for prices alone (R-PRI-02), or freely with a god."""
    action, window = state.turn.action, state.turn.window
    if action is None or (action == "craft" and window in ("craftsmen", "raising")) or state.may_price_freely(seat):
        return None
    if action == "craft" and (state.has_house_rule("main_action") or _may_all_wait(state, seat, command)):
        return None
    if action == "craft":
        return "prices change right after placing craftsmen, and something else was done since"
    return f"{seat} has taken another main action in this turn"


def _may_all_wait(state: State, seat: Seat, command: SetPrices) -> bool:
    """Whether all of these are prices of new technologies that a house rule lets wait for the end of the turn."""
    unpriced_types = state.unpriced_technologies(seat) if state.has_house_rule("new_prices") else ()
    return bool(command.prices) and all(type_ in unpriced_types for type_, _ in command.prices)


@guard("R-PRI-01", Adore, Hire, Use, EndTurn)
def new_technologies_have_prices(state: State, seat: Seat, command: Command) -> str | None:
    """A player who has taken a technology must set its price within the action, before anything else."""
    unpriced_types = state.unpriced_technologies(seat)
    if not unpriced_types or (not isinstance(command, EndTurn) and not prices_come_first(state, seat)):
        return None
    lower_prices = ", ".join(map(str, range(1, CONSTANTS.max_price)))
    return f"set the price first: price {unpriced_types[0]} {lower_prices} or {CONSTANTS.max_price}"


def may_end(state: State, seat: Seat) -> bool:
    """Whether a player may end the turn."""
    return new_technologies_have_prices(state, seat, EndTurn()) is None


@guard("R-PRI-01", SetPrices)
def prices_are_new(state: State, seat: Seat, command: SetPrices) -> str | None:
    """Prices are 1 to 3 cattle and can't be lowered; those of technologies taken in this turn are set once."""
    reasons = (_price_reason(state, seat, type_, price) for type_, price in command.prices)
    return next((reason for reason in reasons if reason), None)


def _price_reason(state: State, seat: Seat, type_: CraftsmanType, price: int) -> str | None:
    current_price = state.technologies[f"{seat}/{type_}"].price
    if reason := price_is_possible(price):
        return reason
    if not current_price:
        return None
    if price == current_price:
        return f"the price of the {type_} is {current_price} already"
    if state.may_price_freely(seat):
        return None
    if state.has_house_rule("dziva_crafting") and state.god_modifiers(seat).any_price:
        return None
    if type_ in state.turn.taken:
        return f"the price of the {type_} was set in this turn, when its technology was taken"
    return f"the price of the {type_} is {current_price} and can't be lowered" if price < current_price else None


def new_prices(state: State, seat: Seat) -> dict[CraftsmanType, list[int]]:
    """The prices that each of a player's technologies can get now; they are independent of each other."""
    possible_prices = range(1, CONSTANTS.max_price + 1)
    technologies = state.technologies_of(seat)
    if prices_are_open(state, seat, SetPrices(())):
        technologies = {
            type_: technology
            for type_, technology in technologies.items()
            if not prices_are_open(state, seat, SetPrices(((type_, 1),)))
        }
    return {
        type_: [price for price in possible_prices if not _price_reason(state, seat, type_, price)]
        for type_ in technologies
    }


@decides(SetPrices)
def set_prices(draft: Draft, seat: Seat, command: SetPrices) -> None:
    """Sets prices; this is the main action or a part of it, unless the god lets prices be set freely."""
    if not draft.state.may_price_freely(seat) and draft.state.turn.action is None:
        draft.happen(ActionTaken(seat, "craft"))
    for type_, price in command.prices:
        draft.happen(PriceSet(seat, type_, price))
