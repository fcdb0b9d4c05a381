"""Who paid whom: cattle that pass between players, or between a player and the supply."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from zimcore.game import Arrow, Event, Seat, Transfer
from zimcore.games.zimbabwe.commands import Square
from zimcore.games.zimbabwe.events import STOCK, Account, CattlePaid, GoodMade, MonumentRaised

POOLS = (STOCK, "plaque", "card")
"""The accounts that no player owns, by their first word."""

Way = tuple[Seat, Seat, tuple[Square, Square] | None]


def transfers(events: Sequence[Event]) -> Sequence[Transfer]:
    """The payments of a commit, those on the same way added up."""
    sums = Counter[Way]()
    for at, event in enumerate(events):
        if isinstance(event, CattlePaid):
            payer, payee = owner(event.payer), owner(event.payee)
            if payer != payee:
                sums[payer, payee, squares_of(event, events[at + 1 :])] += event.amount
    return tuple(
        Transfer(payer, payee, amount, "cattle", Arrow(*way, f"+{amount}", payee) if way else None)
        for (payer, payee, way), amount in sums.items()
    )


def owner(account: Account) -> Seat:
    """The player of an account, hand or card; "" for a pool."""
    first = account.partition("/")[0]
    return "" if first in POOLS else first


def squares_of(payment: CattlePaid, after: Sequence[Event]) -> tuple[Square, Square] | None:
    """The monument for which a ritual good is paid, and the craftsman that makes it; None for other payments."""
    good = after[0] if after else None
    if "/" not in payment.payee or not isinstance(good, GoodMade):
        return None
    raised = next(event for event in after if isinstance(event, MonumentRaised))
    return raised.square, good.craftsman
