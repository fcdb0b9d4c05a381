"""The rulebook that the modules of this package bind their rules to, and how facts follow."""

from __future__ import annotations

from zimcore.games.africana.events import BANK, Account, SilverPaid
from zimcore.games.africana.evolve import APPLY
from zimcore.games.africana.state import State
from zimcore.toolkit.rulebook import Draft as AnyDraft
from zimcore.toolkit.rulebook import Rulebook, Stage

__all__ = ["RULEBOOK", "Draft", "Stage", "decides", "guard"]


class Draft(AnyDraft[State]):
    """A position of this game on the way."""

    __slots__ = ()
    apply = APPLY

    def pay(self, payer: Account, amount: int, reason: str) -> None:
        """Pays the bank; nothing is said where nothing is paid."""
        if amount:
            self.happen(SilverPaid(payer, BANK, amount, reason))

    def earn(self, payee: Account, amount: int, reason: str) -> None:
        """The bank pays."""
        if amount:
            self.happen(SilverPaid(BANK, payee, amount, reason))


RULEBOOK = Rulebook[State, Draft](Draft)
guard, decides = RULEBOOK.guard, RULEBOOK.decides
