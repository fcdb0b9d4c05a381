"""Tests worlds that programs imagine: whole positions that look like one to a seat. The match could have led there.

Nothing in the position may speak against a world (see `zimcore.toolkit.worlds`). And there must be a match that leads
to it: the values of the world are put back to where they come from, by their labels, and the match is played again. If
the seat is shown something else on the way, the world can't be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from random import Random
from typing import Any

import msgspec

from zimcore.game import Accepted, Game, Seat
from zimcore.toolkit.cards import Hand, Pile, card_order
from zimcore.toolkit.check.comparison import Turn
from zimcore.toolkit.check.tags import (
    Deal,
    TaggedBool,
    TaggedFloat,
    TaggedInt,
    TaggedStr,
    difference,
    map_items,
    map_tagged,
    same_but_for_order,
)
from zimcore.toolkit.redeal import leaves
from zimcore.toolkit.worlds import world_fault

MAX_COMMANDS = 400
"""Among how many legal commands one is looked for."""
WAYS = 12
"""In how many ways the values of a hand are put back to where its cards come from."""
TAGGED = (TaggedInt, TaggedStr, TaggedFloat, TaggedBool)


class WorldTest:
    """Tests worlds of one match. `tagged_turns` are its turns with labels on what is hidden."""

    def __init__(self, game: Game, tagged_turns: Sequence[Turn], marks: Mapping[type, Mapping[str, str]]) -> None:
        assert game.secrets
        self.game, self.secrets, self.marks, self.tagged_turns = game, game.secrets, marks, tagged_turns

    def fault(self, turn_number: int, viewer: Seat, state: Any, world: Any, rng: Random) -> str:
        """Why a world can't be, at the position after a turn; "" if it can."""
        evolution = self.game.evolution
        visible_state = self.secrets.conceal(state, viewer)
        fault = world_fault(self.game, visible_state, world, viewer, self.marks.get(type(state), {}))
        if fault or evolution.to_move(world) != evolution.to_move(state):
            return fault
        return self._log_fault(turn_number, viewer, world, rng)

    def _log_fault(self, turn_number: int, viewer: Seat, world: Any, rng: Random) -> str:
        """Whether a match that looks the same to the viewer leads to a world."""
        containers = [*self._containers(self.tagged_turns[turn_number].state, world)]
        tagged_leaves = [leaf for old_values, _ in containers for leaf in old_values]
        if not all(isinstance(leaf, TAGGED) for leaf in tagged_leaves):
            return ""  # a value that carries no label, so that nobody can tell where it comes from
        fault = ""
        for way in range(WAYS):
            new_values: Deal = {}
            for old_values, world_values in containers:
                is_sorted = len(old_values) > 1 and old_values == sorted(old_values, key=_card_order)
                new_values |= _put_back(old_values, world_values, way == 0 or not is_sorted, rng)
            fault = self._replay_fault(turn_number, viewer, world, new_values, rng)
            if not fault:
                return ""
        return fault

    def _containers(self, state: Any, world: Any) -> Iterator[tuple[list[Any], list[Any]]]:
        """The hidden values of the match, with their labels, and of the world, by what holds them."""
        for name in self.marks.get(type(state), {}):
            yield from _paired(getattr(state, name), getattr(world, name))

    def _replay_fault(self, turn_number: int, viewer: Seat, world: Any, new_values: Deal, rng: Random) -> str:
        """What the viewer would have been shown otherwise; "" if the match leads to the world."""
        state = self.game.evolution.initial()
        for turn in self.tagged_turns[: turn_number + 1]:
            command = self._command(turn, viewer, state, new_values, rng)
            decision = self.game.rules.decide(state, turn.seat, command)
            text = self.game.notation.format(turn.command)
            if not isinstance(decision, Accepted):
                return f"{turn.seat} could not have played {text}"
            shown, shown_there = (
                [self.secrets.redact(event, viewer) for event in events]
                for events in (turn.events[1:], decision.events)
            )
            if difference(shown, shown_there):
                return f"{viewer or 'a spectator'} would have been shown something else after {text}"
            state = decision.state
        hidden_values, hidden_there = (
            [[*leaves(getattr(each, name))] for name in self.marks.get(type(world), {})] for each in (state, world)
        )
        return "" if hidden_values == hidden_there else "no match that looks the same leads to it"

    def _command(self, turn: Turn, viewer: Seat, state: Any, new_values: Deal, rng: Random) -> Any:
        """The command with the values of the world; where that is illegal, one that looks the same to the viewer."""
        if turn.seat:
            command, redacted_event = map_tagged(turn.command, new_values), self.secrets.redact(turn.events[0], viewer)
            if command == turn.command and difference(turn.events[0], redacted_event) is None:
                return command
            legal_commands = [*islice(self.game.rules.legal(state, turn.seat), MAX_COMMANDS)]
            if (same_command := same_but_for_order(legal_commands, command)) is not None:
                return same_command
            events = [msgspec.structs.replace(turn.events[0], command=each) for each in legal_commands]
            looks = [difference(self.secrets.redact(event, viewer), redacted_event) for event in events]
            similar_commands = [each for each, look in zip(legal_commands, looks, strict=True) if look is None]
            return rng.choice(similar_commands) if similar_commands else command
        names = self.marks.get(type(turn.command), {})
        fields = {
            name: map_items(getattr(turn.command, name), lambda _, item: map_tagged(item, new_values), f"0:{name}")
            for name in names
        }
        return msgspec.structs.replace(turn.command, **fields)


def _paired(value: Any, world_value: Any) -> Iterator[tuple[list[Any], list[Any]]]:
    """The innermost containers of two values of the same form, each with its single values."""
    if isinstance(value, (Hand, Pile)):
        yield from _paired(value.cards, world_value.cards)
    elif isinstance(value, Mapping):
        for key in value.keys() & world_value.keys():
            yield from _paired(value[key], world_value[key])
    elif isinstance(value, (tuple, list)) and any(isinstance(item, (tuple, list, Hand, Pile)) for item in value):
        for item, world_item in zip(value, world_value, strict=False):
            yield from _paired(item, world_item)
    else:
        yield [*leaves(value)], [*leaves(world_value)]


def _card_order(value: Any) -> tuple[str, Any]:
    return type(value).__name__, card_order(value) if isinstance(value, str) else value


def _put_back(old_values: Sequence[Any], world_values: Sequence[Any], is_ordered: bool, rng: Random) -> Deal:
    """The world's value for each label of a container: in their order, or the same values first, the others anyhow."""
    if is_ordered:
        return {old_value.tag: value for old_value, value in zip(old_values, world_values, strict=False)}
    remaining_values, new_values, moved_values = list(world_values), Deal(), list[Any]()
    for old_value in old_values:
        if old_value in remaining_values:
            remaining_values.remove(old_value)
            new_values[old_value.tag] = old_value
        else:
            moved_values.append(old_value)
    rng.shuffle(remaining_values)
    return new_values | {old_value.tag: value for old_value, value in zip(moved_values, remaining_values, strict=False)}
