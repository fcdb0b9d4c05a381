"""A game in one piece, for tests: it is all of its own parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Self

from zimcore.game import (
    Accepted,
    Advice,
    Arrow,
    Art,
    Board,
    Event,
    NotationError,
    Overlay,
    Played,
    Refused,
    Rule,
    Seat,
    Secrets,
    Step,
    Table,
    Upcaster,
)


class WholeTexts:
    """Little to read."""

    def rules(self) -> Sequence[Rule]:
        return ()

    def demo(self) -> str:
        return ""

    def tutorial(self) -> str:
        return ""


class Whole:
    """What a small game need not say."""

    name = ""
    title = ""
    version = "1"
    UPCASTERS: Mapping[str, Upcaster] = {}
    MONEY: Sequence[str] = ()
    SERIES: Sequence[str] = ()
    OVERLAYS: Mapping[str, str] = {}
    SYNTAX: Mapping[str, str] = {}
    QUESTIONS: Mapping[str, str] = {}
    secrets: Secrets | None = None
    texts: WholeTexts = WholeTexts()
    art: Art | None = None

    @property
    def evolution(self) -> Self:
        return self

    @property
    def rules(self) -> Self:
        return self

    @property
    def notation(self) -> Self:
        return self

    @property
    def display(self) -> Self:
        return self

    @property
    def questions(self) -> Self:
        return self

    def apply(self, state: Any, seat: Seat, command: Any) -> Accepted:
        answer = self.decide(state, seat, command)
        assert isinstance(answer, Accepted)
        return answer

    def decide(self, state: Any, seat: Seat, command: Any) -> Accepted | Refused:
        return self.accepted(state)

    def commute(self, state: Any, one: Played, other: Played) -> bool:
        return False

    def accepted(self, state: Any, *facts: Event) -> Accepted:
        after = self.copy(state)
        for fact in facts:
            self.evolve(after, fact)
        return Accepted(facts, after)

    def copy(self, state: Any) -> Any: ...

    def evolve(self, state: Any, event: Event) -> None: ...

    def describe(self, event: Event) -> str:
        return str(event)

    def summary(self, events: Sequence[Event]) -> str:
        return ""

    def continues(self, command: str, part: str) -> bool:
        return False

    def format(self, command: Any) -> str:
        return str(command)

    def tell(self, events: Sequence[Event]) -> str:
        told = ", ".join(self.format(event.command) for event in events if isinstance(event, Played))
        return told + (f" ({self.summary(events)})" if self.summary(events) else "")

    def toolbar(self, state: Any) -> str:
        return ""

    def turn(self, state: Any) -> Sequence[Step]:
        return ()

    def colours(self, state: Any) -> Mapping[Seat, str]:
        return {}

    def names(self, state: Any) -> Mapping[Seat, str]:
        return {}

    def figures(self, state: Any, seat: Seat) -> Mapping[str, Any]:
        return {}

    def tables(self, state: Any) -> Sequence[Table]:
        return ()

    def board(self, state: Any) -> Board | None:
        return None

    def overlay(self, state: Any, name: str, words: Sequence[str]) -> Overlay:
        raise NotationError(name, "there are no overlays")

    def arrows(self, events: Sequence[Event]) -> Sequence[Arrow]:
        return ()

    def ask(self, state: Any, question: str, words: Sequence[str]) -> Sequence[Table]:
        raise NotationError(question, "there are no questions")

    def advice(self, state: Any, seat: Seat, beginning: str = "") -> Sequence[Advice]:
        return ()

    def waste(self, state: Any, seat: Seat, command: Any) -> str:
        return ""

    def hindsight(self, events: Sequence[Event], seat: Seat) -> Mapping[str, str]:
        return {}

    def statistics(self, events: Sequence[Event]) -> Sequence[Table]:
        return ()
