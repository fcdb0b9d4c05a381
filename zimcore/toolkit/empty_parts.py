"""Empty parts, for games that have no questions, orders or texts of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from zimcore.game import Advice, Consequence, Directive, GameError, Rule, Seat, Table


class Questions:
    """The questions of a game that answers none."""

    QUESTIONS: Mapping[str, str] = {}

    def ask(self, state: Any, question: str, words: Sequence[str]) -> Sequence[Table]:
        """Raises `GameError`: this game answers no question."""
        raise GameError(question, "this game does not answer this question", ["legal", "show"])

    def advice(self, state: Any, seat: Seat, beginning: str = "") -> Sequence[Advice]:
        """Returns no advice."""
        return ()

    def describe_effects(self, state: Any, seat: Seat, command: Any) -> tuple[str, ...]:
        """Returns no effects of the command."""
        return ()

    def consequences(self, state: Any, seat: Seat, command: Any) -> Sequence[Consequence]:
        """Returns no consequences."""
        return ()

    def waste(self, state: Any, seat: Seat, command: Any) -> str:
        """Returns no waste."""
        return ""

    def hindsight(self, events: Sequence[Any], seat: Seat) -> Mapping[str, str]:
        """Returns no hindsight."""
        return {}

    def statistics(self, events: Sequence[Any]) -> Sequence[Table]:
        """Returns no statistics."""
        return ()


class Orders:
    """The orders of a game that adds none: plain commands can be ordered in any game."""

    ORDERS: Mapping[str, str] = {}

    def directive(self, text: str, state: Any, seat: Seat, played_count: int) -> Directive | None:
        """Returns None: no text is a directive."""
        return None


class Texts:
    """The texts of a game that has none."""

    def rules(self) -> Sequence[Rule]:
        """Returns no rules."""
        return ()

    def demo(self) -> str:
        """Returns no demonstration."""
        return ""

    def tutorial(self) -> str:
        """Returns no tutorial."""
        return ""
