"""The rulebook in which this package's modules register their rules, and the drafts that they work on."""

from __future__ import annotations

from zimcore.game import Seat
from zimcore.games.zimbabwe.events import Account, CattlePaid
from zimcore.games.zimbabwe.evolve import APPLIERS
from zimcore.games.zimbabwe.state import State
from zimcore.toolkit.rulebook import Draft as AnyDraft
from zimcore.toolkit.rulebook import Rulebook, Stage

__all__ = ["GUARDS", "RULEBOOK", "Draft", "Stage", "decides", "guard", "is_legal"]


class Draft(AnyDraft[State]):
    """A position of this game while a command is decided."""

    __slots__ = ()
    apply = APPLIERS

    def pay(self, payer: Account, payee: Account, amount: int, reason: str) -> None:
        """Moves cattle between accounts; adds no event for an amount of 0."""
        if amount:
            self.happen(CattlePaid(payer, payee, amount, reason))


def position_in_turn(state: State, seat: Seat) -> State | None:
    """The position by which other rules judge a command out of turn; None if there is none."""
    return state.in_turn_of(seat) if state.phase == "actions" and seat in state.vp else None


RULEBOOK = Rulebook[State, Draft](Draft, position_in_turn)
GUARDS = RULEBOOK.guards
guard, decides, is_legal = RULEBOOK.guard, RULEBOOK.decides, RULEBOOK.is_legal
