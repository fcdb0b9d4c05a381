"""Parts that a game does not have, and says so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from zimcore.game import Advice, Directive, GameError, Rule, Seat, Table


class Questions:
    """Nothing can be asked."""

    QUESTIONS: Mapping[str, str] = {}

    def ask(self, state: Any, question: str, words: Sequence[str]) -> Sequence[Table]:
        """Raises `GameError`: this game answers no question."""
        raise GameError(question, "this game does not answer this question", ["legal", "show"])

    def advice(self, state: Any, seat: Seat, beginning: str = "") -> Sequence[Advice]:
        """No advice."""
        return ()

    def brings(self, state: Any, seat: Seat, command: Any) -> tuple[str, ...]:
        """Nothing that is known of."""
        return ()

    def waste(self, state: Any, seat: Seat, command: Any) -> str:
        """Nothing that is known of."""
        return ""

    def hindsight(self, events: Sequence[Any], seat: Seat) -> Mapping[str, str]:
        """Nothing."""
        return {}

    def statistics(self, events: Sequence[Any]) -> Sequence[Table]:
        """Nothing was counted."""
        return ()


class Orders:
    """None but plain commands, which can be ordered in any game."""

    ORDERS: Mapping[str, str] = {}

    def directive(self, text: str, state: Any, seat: Seat, given: int) -> Directive | None:
        """None of this game."""
        return None


class Texts:
    """Nothing is written."""

    def rules(self) -> Sequence[Rule]:
        """No rulebook."""
        return ()

    def demo(self) -> str:
        """No demonstration."""
        return ""

    def tutorial(self) -> str:
        """No tutorial."""
        return ""
