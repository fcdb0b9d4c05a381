"""Guards that refuse illegal commands, and decisions that make the events of legal ones. Any game can use it.

A guard is a predicate under a rule's code: it returns the reason why a command is illegal, or None. Guards have three
stages, each of which can rely on those before it: is it this seat's turn for such a command, do its words name things
of this game, does the position allow it. A refusal names all broken rules that can be checked. If a game provides
`in_turn` (the position as it would be in the seat's turn), refusals out of turn include the later stages.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from itertools import chain
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeVar

import msgspec
from msgspec.structs import replace

from zimcore.game import (
    Accepted,
    Command,
    Event,
    Example,
    Hidden,
    PrimerSection,
    Reading,
    Refusal,
    Refused,
    Rule,
    Seat,
    Task,
    Word,
)
from zimcore.toolkit.house_rules import HouseRule, overruled_clauses, readings

if TYPE_CHECKING:
    from pathlib import Path


class CopyableState(Protocol):
    """A state that can be copied."""

    def copy(self: State) -> State:
        """A copy that can be changed."""
        ...


State = TypeVar("State", bound=CopyableState)
DraftType = TypeVar("DraftType", bound="Draft[Any]")
Check = TypeVar("Check", bound=Callable[..., str | None])
Decision = TypeVar("Decision", bound=Callable[..., None])


class Stage(IntEnum):
    """The stage of a guard, in order: the seat's turn, the words of the command, the position."""

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


class Rulebook(Generic[State, DraftType]):
    """The guards and decisions of a game, by command. The game's modules register theirs when they are imported."""

    def __init__(
        self, draft: Callable[[State], DraftType], in_turn: Callable[[State, Seat], State | None] | None = None
    ) -> None:
        self.draft = draft
        self.in_turn = in_turn
        self.guards: dict[type[Command], tuple[list[Guard], list[Guard], list[Guard]]] = {}
        self.decisions: dict[type[Command], Callable[[DraftType, Seat, Any], None]] = {}
        self._checks: dict[type[Command], list[Callable[..., str | None]]] = {}

    def guard(self, code: str, *commands: type[Command], stage: Stage = Stage.POSITION) -> Callable[[Check], Check]:
        """Registers a predicate for commands, under a rule's code."""

        def register(check: Check) -> Check:
            for command in commands:
                self.guards.setdefault(command, ([], [], []))[stage].append(Guard(code, check))
            return check

        return register

    def decides(self, *commands: type[Command]) -> Callable[[Decision], Decision]:
        """Registers the function that makes the events of a command."""

        def register(decision: Decision) -> Decision:
            self.decisions.update(dict.fromkeys(commands, decision))
            return decision

        return register

    def decide(self, state: State, seat: Seat, command: Command) -> Accepted | Refused:
        """The events and state after a command, or all rules that it breaks. `state` is not changed."""
        if not self.is_legal(state, seat, command):
            refusals = self.refusals(state, seat, command)
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

    def refusals(self, state: State, seat: Seat, command: Command) -> tuple[Refusal, ...]:
        """All rules that a command breaks. Guards of the position are skipped if the words name unknown things."""
        turn_guards, word_guards, position_guards = self.guards[type(command)]
        turn_refusals = tuple(_refusals(turn_guards, state, seat, command))
        if turn_refusals:
            # Show players who plan ahead everything that is wrong, not only that it is not their turn.
            state_in_turn = self.in_turn(state, seat) if self.in_turn else None
            if state_in_turn is None or any(_refusals(turn_guards, state_in_turn, seat, command)):
                return turn_refusals
            state = state_in_turn
        word_refusals = tuple(_refusals(word_guards, state, seat, command))
        return turn_refusals + (word_refusals or tuple(_refusals(position_guards, state, seat, command)))

    def is_legal(self, state: State, seat: Seat, command: Command) -> bool:
        """Whether no guard refuses a command. Faster than `refusals`, which also collects the reasons."""
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
        kinds_by_code: dict[str, set[str]] = {}
        for command, stages in self.guards.items():
            for stage in stages:
                for guard in stage:
                    kinds_by_code.setdefault(guard.code, set()).add(
                        str(command.__struct_config__.tag).partition(".")[0]
                    )
        return kinds_by_code


def _refusals(guards: list[Guard], state: Any, seat: Seat, command: Command) -> Iterator[Refusal]:
    for code, check in guards:
        reason = check(state, seat, command)
        if reason is not None:
            yield Refusal(code, str(reason), isinstance(reason, Hidden))


def read_rules(
    path: Path,
    commands_by_rule: Mapping[str, set[str]],
    house_rules: Mapping[str, HouseRule] = {},
    other_rules: Mapping[str, HouseRule] = {},
) -> Sequence[Rule]:
    """All rules from a TOML file with `text` and `section` by code, with the commands that each guards.

    A rule may have a `source`; disputed `words` of the rulebook with an `other` reading (by default that of its house
    rule); and `no_option`, the reason why no option plays the other reading. `other_rules` are options that are no
    readings of the rulebook.
    """
    house_rules_by_code = readings(house_rules)
    clauses_by_code = overruled_clauses({**house_rules, **other_rules})
    rules = (
        _rule(code, entry, tuple(sorted(commands_by_rule.get(code, ()))), house_rules_by_code.get(code, {}))
        for code, entry in _entries(path).items()
    )
    return tuple(replace(rule, overruled=clauses_by_code.get(rule.code, ())) for rule in rules)


def _entries(path: Path) -> dict[str, Any]:
    import tomllib  # not needed at every start

    return tomllib.loads(path.read_text("utf-8"))


def read_words(path: Path) -> Sequence[Word]:
    """All words from a TOML file with `also`, `text` and `rules` by word."""
    return tuple(
        Word(name, tuple(entry["also"]), entry["text"], tuple(entry["rules"])) for name, entry in _entries(path).items()
    )


def by_verb(
    commands_by_rule: Mapping[str, set[str]], verbs: Iterable[str], other_names: Mapping[str, str] = {}
) -> Mapping[str, set[str]]:
    """The verbs of the notation that each rule guards, from kinds of commands such as `end_turn`.

    A kind has the verb with its own name or its first word; `other_names` has the verbs of the others.

    >>> sorted(by_verb({"T-1": {"toss", "end_turn", "give"}}, ("toss", "end"), {"give": "bid"})["T-1"])
    ['bid', 'end', 'toss']
    """
    known_verbs = set(verbs)

    def verb_of(kind: str) -> str:
        first_word = kind.partition("_")[0]
        return other_names.get(kind, kind if kind in known_verbs or first_word not in known_verbs else first_word)

    return {code: set(map(verb_of, kinds)) for code, kinds in commands_by_rule.items()}


def read_primer(path: Path) -> Sequence[PrimerSection]:
    """The sections of a primer from a TOML file, by title; each value is a field of `PrimerSection`."""
    return tuple(
        PrimerSection(title, **{**entry, "text": entry["text"].strip()}) for title, entry in _entries(path).items()
    )


def read_tasks(path: Path) -> Sequence[Task]:
    """The tasks of lessons from a TOML file, each a table `task` with the fields of `Task`."""
    return msgspec.convert(_entries(path)["task"], tuple[Task, ...])


def read_examples(path: Path, demo: str) -> Mapping[str, Example]:
    """The examples of rules from a TOML file, by code: `line` and `look`, and where to try it.

    That is `move`, a number of moves of the demo, or `script`, the name of a script in the table `scripts`.
    """
    entries = _entries(path)
    scripts = entries.pop("scripts", {})
    return {
        code: Example(
            code,
            demo if "move" in entry else scripts[entry["script"]],
            entry["line"],
            entry["look"],
            entry.get("move"),
        )
        for code, entry in entries.items()
    }


def _rule(code: str, entry: Mapping[str, str], commands: tuple[str, ...], house_rules: Mapping[str, HouseRule]) -> Rule:
    words = entry.get("words", "")
    other_reading = entry.get("other", "") or " ".join(house_rule.other_reading for house_rule in house_rules.values())
    options = tuple(f"{option}={house_rule.other}" for option, house_rule in house_rules.items())
    usual_options = tuple(f"{option}={house_rule.usual}" for option, house_rule in house_rules.items())
    reading = (
        Reading(words, other_reading, options, usual_options, entry.get("no_option", "")) if other_reading else None
    )
    return Rule(code, entry["text"], entry["section"], commands, entry.get("source", "rulebook"), reading, words)
