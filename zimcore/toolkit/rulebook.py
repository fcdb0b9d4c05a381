"""Guards that refuse illegal commands, and decisions that make the events of legal ones. Any game can use it.

A guard is a predicate under a rule's code: it returns the reason why a command is illegal, or None. Guards have three
stages, each of which can rely on those before it: is it this seat's turn for such a command, do its words name things
of this game, does the position allow it. A refusal names all broken rules that can be checked. If a game provides
`in_turn` (the position as it would be in the seat's turn), refusals out of turn include the later stages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import IntEnum
from itertools import chain
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

from zimcore.game import Accepted, Command, Event, Hidden, Reading, Refusal, Refused, Rule, Seat
from zimcore.toolkit.house_rules import HouseRule, readings

if TYPE_CHECKING:
    from pathlib import Path


class CopyableState(Protocol):
    """A state that can be copied."""

    def copy(self: State) -> State:
        """A copy that can be changed."""
        ...


State = TypeVar("State", bound=CopyableState)
Drafting = TypeVar("Drafting", bound="Draft[Any]")
Check = TypeVar("Check", bound=Callable[..., str | None])
Decision = TypeVar("Decision", bound=Callable[..., None])


class Stage(IntEnum):
    """The stage of a guard, in order."""

    TURN = 0
    WORDS = 1
    POSITION = 2


class Guard(NamedTuple):
    """A predicate, and the code of its rule."""

    code: str
    check: Callable[[Any, Seat, Any], str | None]


class Draft(Generic[State]):
    """A position while a command is decided: events are applied to a copy, so that each step sees the ones before.

    `apply` maps each kind of event to the function that applies it; a game sets it in a subclass.
    """

    __slots__ = ("events", "state")
    apply: Mapping[type[Event], Callable[[Any, Any], None]]

    def __init__(self, state: State) -> None:
        self.state = state.copy()
        self.events: list[Event] = []

    def happen(self, event: Event) -> None:
        """Adds an event and applies it."""
        self.apply[type(event)](self.state, event)
        self.events.append(event)


class Rulebook(Generic[State, Drafting]):
    """The guards and decisions of a game, by command. The game's modules register theirs when they are imported."""

    def __init__(
        self, draft: Callable[[State], Drafting], in_turn: Callable[[State, Seat], State | None] | None = None
    ) -> None:
        self.draft = draft
        self.in_turn = in_turn
        self.guards: dict[type[Command], tuple[list[Guard], list[Guard], list[Guard]]] = {}
        self.decisions: dict[type[Command], Callable[[Drafting, Seat, Any], None]] = {}
        self._checks: dict[type[Command], list[Callable[..., str | None]]] = {}

    def guard(self, code: str, *commands: type[Command], stage: Stage = Stage.POSITION) -> Callable[[Check], Check]:
        """Registers a predicate for commands, under a rule's code."""

        def bind(check: Check) -> Check:
            for command in commands:
                self.guards.setdefault(command, ([], [], []))[stage].append(Guard(code, check))
            return check

        return bind

    def decides(self, *commands: type[Command]) -> Callable[[Decision], Decision]:
        """Registers the function that makes the events of a command."""

        def bind(decision: Decision) -> Decision:
            self.decisions.update(dict.fromkeys(commands, decision))
            return decision

        return bind

    def decide(self, state: State, seat: Seat, command: Command) -> Accepted | Refused:
        """The events and state after a command, or all rules that it breaks. `state` is not changed."""
        if not self.is_legal(state, seat, command):
            refusals = self.broken(state, seat, command)
            return Refused(tuple(refusal for refusal in refusals if not refusal.hidden) or refusals)
        return self.apply(state, seat, command)

    def apply(self, state: State, seat: Seat, command: Command) -> Accepted:
        """The events and state after a command that is known to be legal, without asking guards.

        `state` is not changed.

        The result for an illegal command is undefined: use `decide` for commands from outside.
        """
        draft = self.draft(state)
        self.decisions[type(command)](draft, seat, command)
        return Accepted(tuple(draft.events), draft.state)

    def broken(self, state: State, seat: Seat, command: Command) -> tuple[Refusal, ...]:
        """All rules that a command breaks. Guards of the position are skipped if the words name unknown things."""
        turn, words, position = self.guards[type(command)]
        turn_refusals = tuple(_refusals(turn, state, seat, command))
        if turn_refusals:
            # Show players who plan ahead everything that is wrong, not only that it is not their turn.
            state_in_turn = self.in_turn(state, seat) if self.in_turn else None
            if state_in_turn is None or any(_refusals(turn, state_in_turn, seat, command)):
                return turn_refusals
            state = state_in_turn
        unknown = tuple(_refusals(words, state, seat, command))
        return turn_refusals + (unknown or tuple(_refusals(position, state, seat, command)))

    def is_legal(self, state: State, seat: Seat, command: Command) -> bool:
        """Whether no guard refuses a command. Faster than `broken`, which also collects the reasons."""
        checks = self._checks.get(type(command))
        if checks is None:
            guards = chain.from_iterable(self.guards[type(command)])
            checks = self._checks[type(command)] = [guard.check for guard in guards]
        for check in checks:  # noqa: SIM110 - most checks take no longer than a generator would
            if check(state, seat, command) is not None:
                return False
        return True

    def commands_by_rule(self) -> dict[str, set[str]]:
        """The kinds of command that each rule guards, by the rule's code."""
        kinds: dict[str, set[str]] = {}
        for command, stages in self.guards.items():
            for stage in stages:
                for guard in stage:
                    kinds.setdefault(guard.code, set()).add(str(command.__struct_config__.tag).partition(".")[0])
        return kinds


def _refusals(guards: list[Guard], state: Any, seat: Seat, command: Command) -> Iterator[Refusal]:
    for code, check in guards:
        reason = check(state, seat, command)
        if reason is not None:
            yield Refusal(code, str(reason), isinstance(reason, Hidden))


def read_rules(
    path: Path, guards_by_rule: Mapping[str, set[str]], house: Mapping[str, HouseRule] = {}
) -> Sequence[Rule]:
    """All rules from a TOML file with `text` and `section` by code, with the commands that each guards.

    A rule may have a `source`; the rulebook's `words` with an `other` reading (by default that of its `house` rule);
    and `no_option`, the reason why no option plays the other reading.
    """
    import tomllib  # not needed at every start

    entries, house_by_code = tomllib.loads(path.read_text("utf-8")).items(), readings(house)
    return tuple(
        _rule(code, entry, tuple(sorted(guards_by_rule.get(code, ()))), house_by_code.get(code, {}))
        for code, entry in entries
    )


def _rule(code: str, entry: Mapping[str, str], guards: tuple[str, ...], house: Mapping[str, HouseRule]) -> Rule:
    words = entry.get("words", "")
    other_reading = entry.get("other", "") or " ".join(house_rule.other_reading for house_rule in house.values())
    options = tuple(f"{option}={house_rule.other}" for option, house_rule in house.items())
    usual = tuple(f"{option}={house_rule.usual}" for option, house_rule in house.items())
    reading = Reading(words, other_reading, options, usual, entry.get("no_option", "")) if other_reading else None
    return Rule(code, entry["text"], entry["section"], guards, entry.get("source", "rulebook"), reading, words)
