"""Given, when, then: how the decider of any game is tested, and the marks that say which rule a test shows.

A game's kit makes a `Position` of its own, with the game in it. Every `when` checks on the side what holds for all
commands of all games: see `Position.decide_and_check`.
"""

from __future__ import annotations

import ast
from collections.abc import Generator, Iterable, Iterator
from typing import Any, ClassVar, Generic, NamedTuple, TypeAlias, TypeVar

import pytest

from zimcore.game import Accepted, Event, Game, Refusal, Refused, Seat

StateT = TypeVar("StateT")
Self = TypeVar("Self", bound="Position[Any]")

Facts: TypeAlias = Event | str | Iterable["Facts"]
"""Events, lines of a script, and any nesting of them."""

refused_codes: set[str] = set()
"""Codes that `Answer.refused` has seen in the running test; the hook below compares them with the test's marks."""


class Position(Generic[StateT]):
    """A position to try commands on."""

    game: ClassVar[Game]

    def __init__(self, state: StateT) -> None:
        self.state = state

    def after(self: Self, facts: Facts) -> Self:
        """The position after more facts. A line of a script among them is played, and has to be legal."""
        if isinstance(facts, str):
            answer = self.when(facts)
            assert not answer.refusals, f"{facts}: {answer.refusals}"
            return type(self)(answer.state)
        if isinstance(facts, Event):
            state = self.game.evolution.copy(self.state)
            self.game.evolution.evolve(state, facts)
            return type(self)(state)
        position = self
        for fact in facts:
            position = position.after(fact)
        return position

    def when(self, *lines: Any) -> Answer[StateT]:
        """The answer to the last of these lines; those before must be legal. A line without a seat is the actor's."""
        *earlier_lines, last_line = lines
        position = self
        for line in earlier_lines:
            answer = position.when(line)
            assert not answer.refusals, f"{line}: {answer.refusals}"
            position = type(self)(answer.state)
        seat, command = (
            self.game.notation.parse(last_line, position.state) if isinstance(last_line, str) else (None, last_line)
        )
        actor = next(iter(self.game.evolution.to_move(position.state)), "")
        return Answer(position.state, position.decide_and_check(seat or actor, command))

    def decide_and_check(self, seat: Seat, command: Any) -> Accepted | Refused:
        """The answer to a command, with checks: deciding changes nothing, evolving the facts gives the
        state of the outcome, and the legal commands know about it."""
        game, state = self.game, self.state
        canonical_before = game.evolution.canonical(state)
        outcome = game.rules.decide(state, seat, command)
        assert game.evolution.canonical(state) == canonical_before, "deciding changed the position"
        if seat in game.evolution.to_move(state):
            assert (command in game.rules.legal(state, seat)) == isinstance(outcome, Accepted)
        if isinstance(outcome, Accepted):
            assert game.evolution.canonical(self.after(outcome.events).state) == game.evolution.canonical(outcome.state)
        return outcome


class Answer(Generic[StateT]):
    """The answer to a command: `events` and the `state` after them, or `refusals`."""

    def __init__(self, state: StateT, outcome: Accepted | Refused) -> None:
        self.events = outcome.events if isinstance(outcome, Accepted) else ()
        self._state: StateT = outcome.state if isinstance(outcome, Accepted) else state
        self.refusals: tuple[Refusal, ...] = outcome.refusals if isinstance(outcome, Refused) else ()

    @property
    def state(self) -> StateT:
        """The state after an accepted command; after a refused one a test would look at the one before it."""
        assert not self.refusals, self.refusals
        return self._state

    def then(self, *events: Event) -> Answer[StateT]:
        """Exactly these facts followed, in this order."""
        assert not self.refusals, self.refusals
        assert list(self.events) == list(events)
        return self

    def then_among(self, *events: Event) -> Answer[StateT]:
        """These facts followed in this order, among others."""
        assert not self.refusals, self.refusals
        remaining_events = iter(self.events)
        missing_events = [event for event in events if event not in remaining_events]
        assert not missing_events, f"{missing_events} not, or not in this order, in {self.events}"
        return self

    def then_no(self, *kinds: type[Event]) -> Answer[StateT]:
        """No fact of these kinds followed."""
        assert not self.refusals, self.refusals
        assert [event for event in self.events if isinstance(event, kinds)] == []
        return self

    def refused(self, *codes: str, because: str = "") -> Answer[StateT]:
        """Exactly these rules forbid it, and one of them for this reason."""
        assert {refusal.code for refusal in self.refusals} == set(codes), self.events or self.refusals
        assert because in "\n".join(refusal.reason for refusal in self.refusals)
        refused_codes.update(codes)
        return self


RULE_MARK = (
    "rule(accepts='R-CRA-06', refuses='R-CRA-06'): the codes, with blanks between them, of rules of the rulebook "
    "that the test shows being kept, and of those that it shows refusing a command"
)


def pytest_configure(config: pytest.Config) -> None:
    """For the conftest of a game's tests: makes the mark known."""
    config.addinivalue_line("markers", RULE_MARK)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """For the conftest of a game's tests: fails a test that is marked as refusing by a rule and saw no such refusal."""
    refused_codes.clear()
    result = yield
    marked_codes = {code for mark in item.iter_markers("rule") for code in mark.kwargs.get("refuses", "").split()}
    missing_codes = marked_codes - refused_codes
    assert not missing_codes, (
        f"marked as refusing by {', '.join(sorted(missing_codes))}, and nothing was refused by that"
    )
    return result


class Mark(NamedTuple):
    """What `@pytest.mark.rule` says of a test: it `shows` that a rule `accepts` or `refuses`."""

    test: str
    shows: str
    code: str


def all_tests(source: str) -> Iterator[ast.FunctionDef]:
    """The tests in a source file. They are read from the source, so a run of some tests reports on all."""
    functions = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef))
    return (function for function in functions if function.name.startswith("test_"))


def marks_in(source: str) -> Iterator[Mark]:
    """What `@pytest.mark.rule(accepts=..., refuses=...)` says of the tests in a source."""
    for test in all_tests(source):
        for decorator in test.decorator_list:
            if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "pytest.mark.rule":
                for keyword in decorator.keywords:
                    yield from (
                        Mark(test.name, keyword.arg or "", code) for code in ast.literal_eval(keyword.value).split()
                    )


def untested_rules(marks: Iterable[Mark], codes: Iterable[str], guarded_codes: Iterable[str]) -> list[str]:
    """The rules without the tests that they need: one that shows each kept, one that shows each guard refusing."""
    rules_shown = {(mark.shows, mark.code) for mark in marks}
    needed_marks = [("accepts", code) for code in sorted(codes)] + [("refuses", code) for code in sorted(guarded_codes)]
    return [f"no test that {shows} by {code}" for shows, code in needed_marks if (shows, code) not in rules_shown]
