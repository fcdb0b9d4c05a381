"""The rulebook in which this package's modules register their rules, and the drafts that they work on."""

from __future__ import annotations

from zimcore.games.africana.events import BANK, Account, SilverPaid
from zimcore.games.africana.evolve import APPLIERS
from zimcore.games.africana.state import State
from zimcore.toolkit.rulebook import Draft as AnyDraft
from zimcore.toolkit.rulebook import Rulebook, Stage

__all__ = ["RULEBOOK", "Draft", "Stage", "decides", "guard"]


class Draft(AnyDraft[State]):
    """A position of this game while a command is decided."""

    __slots__ = ()
    apply = APPLIERS

    def pay(self, payer: Account, amount: int, reason: str) -> None:
        """Pays the bank; adds no event for an amount of 0."""
        if amount:
            self.happen(SilverPaid(payer, BANK, amount, reason))

    def earn(self, payee: Account, amount: int, reason: str) -> None:
        """Receives silver from the bank; adds no event for an amount of 0."""
        if amount:
            self.happen(SilverPaid(BANK, payee, amount, reason))


RULEBOOK = Rulebook[State, Draft](Draft)
guard, decides = RULEBOOK.guard, RULEBOOK.decides
