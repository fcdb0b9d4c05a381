"""How many cattle gods and specialists would have brought a player so far, if they had been there from the start.

It counts only cattle that would have come or stayed if everything else had been played as it was.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

from zimcore.game import Event, Seat
from zimcore.games.zimbabwe.components import CRAFTSMEN, GODS, SPECIALISTS, God
from zimcore.games.zimbabwe.events import CattlePaid, CraftsmanPlaced, GiftGiven, MythologiesCompared, RoundBegun


def hindsight(events: Sequence[Event], seat: Seat) -> Mapping[str, str]:
    """What cattle a command would have brought, in words, by its beginning (`adore engai`), where that is known."""
    cattle_by_command = {f"adore {name}": _cattle_brought(god, events, seat) for name, god in GODS.items()}
    for name, specialist in SPECIALISTS.items():
        cattle_kept = [min(specialist.keeps_of_cost, CRAFTSMEN[type_].cost) for type_ in _placed_types(events, seat)]
        cattle_by_command[f"hire {name}"] = sum(cattle_kept) if specialist.keeps_of_cost else None
    return {
        command_words: f"would have brought {cattle} cattle so far"
        for command_words, cattle in cattle_by_command.items()
        if cattle is not None
    }


def _cattle_brought(god: God, events: Sequence[Event], seat: Seat) -> int | None:
    """The cattle that a god would have brought; None if its effects are not in cattle."""
    cattle_by_effect = [count_cattle(events, seat) for count_cattle in _counters(god)]
    return sum(cattle_by_effect) if cattle_by_effect else None


def _counters(god: God) -> Iterator[Callable[[Sequence[Event], Seat], int]]:
    if god.income:
        yield partial(_income_so_far, god.income)
    if god.gift_subsidy:
        yield partial(_subsidies, god.gift_subsidy)
    if god.good_price is not None:
        yield partial(_savings, god.good_price)
    if god.collects_hubs:
        yield _hub_payments


def _income_so_far(cattle: int, events: Sequence[Event], seat: Seat) -> int:
    """The extra income of all revenue phases so far."""
    return cattle * sum(isinstance(event, MythologiesCompared) for event in events)


def _subsidies(limit: int, events: Sequence[Event], seat: Seat) -> int:
    """The subsidies of the player's first gift of each round (R-BID-09)."""
    total, is_paid = 0, False
    for event in events:
        match event:
            case RoundBegun():
                is_paid = False
            case GiftGiven(seat=giver, amount=amount) if giver == seat and not is_paid:
                total, is_paid = total + min(limit, amount), True
    return total


def _savings(price: int, events: Sequence[Event], seat: Seat) -> int:
    """The savings on other players' goods that cost more than `price`."""
    return sum(
        event.amount - price
        for event in events
        if isinstance(event, CattlePaid)
        and event.payer == seat
        and event.reason in CRAFTSMEN
        and "/" in event.payee
        and not event.payee.startswith(f"{seat}/")
    )


def _hub_payments(events: Sequence[Event], seat: Seat) -> int:
    """The cattle that others paid for hubs."""
    return sum(
        event.amount
        for event in events
        if isinstance(event, CattlePaid) and event.reason == "hubs" and event.payer != seat
    )


def _placed_types(events: Sequence[Event], seat: Seat) -> list[str]:
    """The types of all craftsmen that the player has placed."""
    return [event.type for event in events if isinstance(event, CraftsmanPlaced) and event.seat == seat]
