"""Phase III: players collect the cattle on their cards, and an income."""

from __future__ import annotations

from collections.abc import Iterator

from zimcore.game import Seat
from zimcore.games.zimbabwe.events import STOCK, Account
from zimcore.games.zimbabwe.rules.rule import Draft
from zimcore.games.zimbabwe.state import State


def revenues(state: State, seat: Seat) -> Iterator[tuple[Account, int, str]]:
    """The revenues of a player, as payer, cattle and reason.

    Cattle from their cards (R-REV-01), then income by their highest monument and from their god (R-REV-02).
    """
    prefix = f"{seat}/"
    # A list, because every payment changes the accounts.
    for card in [account for account, amount in state.cattle.items() if amount and account.startswith(prefix)]:
        yield card, state.cattle[card], "revenue"
    yield STOCK, state.income(seat), "income"
    yield STOCK, state.god_modifiers(seat).income, state.adores.get(seat, "")


def collect_revenues(draft: Draft) -> None:
    """Pays all players their revenues, in the order of play."""
    for seat in draft.state.order:
        for payer, amount, reason in revenues(draft.state, seat):
            draft.pay(payer, seat, amount, reason)
