"""Who paid whom: cattle that pass between players, or between a player and the supply."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from zimcore.game import Arrow, Event, Seat, Transfer
from zimcore.games.zimbabwe.commands import Square
from zimcore.games.zimbabwe.events import STOCK, Account, CattlePaid, GoodMade, MonumentRaised

POOLS = (STOCK, "plaque", "card")
"""The accounts that no player owns, by their first word."""

PaymentKey = tuple[Seat, Seat, tuple[Square, Square] | None]


def transfers(events: Sequence[Event]) -> Sequence[Transfer]:
    """The payments of a commit. Those with the same payer, payee and arrow are added up."""
    amount_by_payment = Counter[PaymentKey]()
    for index, event in enumerate(events):
        if isinstance(event, CattlePaid):
            payer, payee = owner(event.payer), owner(event.payee)
            if payer != payee:
                amount_by_payment[payer, payee, ritual_route(event, events[index + 1 :])] += event.amount
    return tuple(
        Transfer(payer, payee, amount, "cattle", Arrow(*route, f"+{amount}", payee) if route else None)
        for (payer, payee, route), amount in amount_by_payment.items()
    )


def owner(account: Account) -> Seat:
    """The player of an account, hand or card; "" for a pool."""
    first_word = account.partition("/")[0]
    return "" if first_word in POOLS else first_word


def ritual_route(payment: CattlePaid, later_events: Sequence[Event]) -> tuple[Square, Square] | None:
    """The monument for which a ritual good is paid, and the craftsman that makes it; None for other payments.

    The event after the payment says which good was made.
    """
    next_event = later_events[0] if later_events else None
    pays_craftsman = "/" in payment.payee
    if not pays_craftsman or not isinstance(next_event, GoodMade):
        return None
    raise_event = next(event for event in later_events if isinstance(event, MonumentRaised))
    return raise_event.square, next_event.craftsman
