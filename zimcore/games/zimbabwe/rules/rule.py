"""The rulebook that the modules of this package bind their rules to, and how facts follow."""

from __future__ import annotations

from zimcore.game import Seat
from zimcore.games.zimbabwe.events import Account, CattlePaid
from zimcore.games.zimbabwe.evolve import APPLY
from zimcore.games.zimbabwe.state import State
from zimcore.toolkit.rulebook import Draft as AnyDraft
from zimcore.toolkit.rulebook import Rulebook, Stage

__all__ = ["GUARDS", "RULEBOOK", "Draft", "Stage", "broken", "decides", "guard", "stands"]


class Draft(AnyDraft[State]):
    """A position of this game on the way."""

    __slots__ = ()
    apply = APPLY

    def pay(self, payer: Account, payee: Account, amount: int, reason: str) -> None:
        """Moves that many cattle; nothing is said where nothing is paid."""
        if amount:
            self.happen(CattlePaid(payer, payee, amount, reason))


def in_turn(state: State, seat: Seat) -> State | None:
    """For a command out of turn: the position by which the other rules judge it."""
    return state.in_turn_of(seat) if state.phase == "actions" and seat in state.vp else None


RULEBOOK = Rulebook[State, Draft](Draft, in_turn)
GUARDS = RULEBOOK.guards
guard, decides, broken, stands = RULEBOOK.guard, RULEBOOK.decides, RULEBOOK.broken, RULEBOOK.stands
