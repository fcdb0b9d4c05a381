"""Positions and commands as numbers, for games without an encoding of their own: made from the fields.

The types of the fields don't say which values occur. These are learned from some games at random: the longest tuple,
the keys of a dict, the words of a text, the greatest number, and the legal commands. A command is one action; the
numbers in it may be any between the least and the greatest that was seen. What was never seen has no number: a legal
command without one is not in the mask, and a word without one is encoded as 0.

In other words: featurization.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations, product
from math import comb, prod
from random import Random
from typing import Any

import msgspec

from zimcore.game import Command, Encoded, Game, GameError, Seat
from zimcore.toolkit.cards import Hand, Pile, card_order
from zimcore.toolkit.unknown import UNKNOWN, is_unknown

MATCHES, MAX_COMMANDS = 24, 400
"""How many games are played at random to learn which values occur, and the most commands in each."""
MAX_ACTIONS, MAX_FIGURES = 20_000, 20_000
"""The most actions, and the most figures, of a useful environment."""
SEAT_WORD = "seat"
"""The word for a seat among the values; the number after it counts from the seat that observes."""


class ValueDomain:
    """The values that a field can have. They may be of several types: words and numbers, for example.

    Each of the `words` has a figure of its own; all numbers share one. `entries` has the domains of the values inside a
    dict, by key, or a tuple, by place.
    """

    def __init__(self) -> None:
        self.words: set[str] = set()
        self.greatest_number = 0.0
        self.is_number = self.is_hidden = False
        self.entries: dict[str, ValueDomain] = {}
        self.greatest_length = 0

    def learn(self, value: Any, seats: Sequence[Seat]) -> None:
        """Takes in a value."""
        match value:
            case None:
                pass
            case _ if value is UNKNOWN:
                self.is_hidden = True
            case bool() | int() | float():
                self.is_number, self.greatest_number = True, max(self.greatest_number, abs(float(value)))
            case str():
                self.words.add(relative_word(value, seats))
            case _:
                entries = list(entries_of(value, seats))
                self.greatest_length = max(
                    self.greatest_length, 0 if isinstance(value, (Mapping, msgspec.Struct)) else len(entries)
                )
                for key, entry in entries:
                    self.entries.setdefault(key, ValueDomain()).learn(entry, seats)

    def figure_names(self, name: str) -> Iterator[str]:
        """The names of the figures of a field: `hands 0 coins`, `words = pass`."""
        if self.is_number:
            yield name
        yield from (f"{name} = {word}" for word in sorted(self.words))
        if self.is_hidden:
            yield f"{name} is hidden"
        if self.greatest_length:
            yield f"{name} length"
        for key in sorted(self.entries):
            yield from self.entries[key].figure_names(f"{name} {key}".strip())

    def encode(self, value: Any, seats: Sequence[Seat]) -> Iterator[float]:
        """The figures of a value, in the order of `figure_names`: numbers as a share of the greatest that was seen."""
        is_number = isinstance(value, (bool, int, float))
        if self.is_number:
            yield float(value) / (self.greatest_number or 1) if is_number else 0.0
        if self.words:
            value_word = relative_word(value, seats) if isinstance(value, str) else None
            yield from (float(word == value_word) for word in sorted(self.words))
        if self.is_hidden:
            yield float(value is UNKNOWN)
        is_plain = value is None or value is UNKNOWN or is_number or isinstance(value, str)
        entries = {} if is_plain else dict(entries_of(value, seats))
        if self.greatest_length:
            yield len(entries) / self.greatest_length
        for key in sorted(self.entries):
            yield from self.entries[key].encode(entries.get(key), seats)


def relative_word(text: str, seats: Sequence[Seat]) -> str:
    """A text as it is encoded. A seat becomes its number, counted from the seat that observes."""
    return f"{SEAT_WORD} {seats.index(text)}" if text in seats else text


def entries_of(value: Any, seats: Sequence[Seat]) -> Iterator[tuple[str, Any]]:
    """The entries of a dict by key, of a Struct by field, of a tuple by place, and of a set by what is in it."""
    if isinstance(value, (Hand, Pile)):
        yield from ((card, True) for card in value if not is_unknown(card))
        yield "hidden cards", sum(map(is_unknown, value))
    elif isinstance(value, msgspec.Struct):
        yield from msgspec.structs.asdict(value).items()
    elif isinstance(value, Mapping):
        yield from ((relative_word(str(key), seats), item) for key, item in value.items())
    elif isinstance(value, (set, frozenset)):
        yield from ((relative_word(str(item), seats), True) for item in value)
    else:
        yield from ((f"{index:03}", item) for index, item in enumerate(value))


class LearnedEncoding(msgspec.Struct, frozen=True):
    """What was learned for a number of players: the domain of states, its figures, and the commands by action."""

    state_domain: ValueDomain
    figure_names: tuple[str, ...]
    commands: tuple[Command, ...]
    number_by_command: Mapping[Command, int]
    count_by_kind: Mapping[str, int]


class FieldEncoding:
    """The part `encoding` of a game whose package has none. All its methods raise `GameError` if there are too many
    commands, or states that can't be written as numbers.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        self._encoding_for = cache(self._learn_encoding)

    def shape(self, players: int) -> tuple[int, ...]:
        """The shape of a plane, though there are none."""
        return (1,)

    def planes(self, players: int) -> Sequence[str]:
        """Returns none: all is in the figures."""
        return ()

    def figures(self, players: int) -> Sequence[str]:
        """The fields of the state, by their names."""
        return self._encoding_for(players).figure_names

    def actions(self, players: int) -> Mapping[str, int]:
        """The commands by their tags, with the number of each."""
        return self._encoding_for(players).count_by_kind

    def observe(self, state: Any, seat: Seat, begun: Sequence[int] = ()) -> Encoded:
        """The fields of a position as a seat sees it, in the order of the seats from that seat on."""
        seats = self.game.evolution.seats(state)
        return Encoded((), [*self._encoding_for(len(seats)).state_domain.encode(state, seats_from(seat, seats))])

    def mask(self, state: Any, seat: Seat, begun: Sequence[int] = ()) -> int:
        """The legal commands that have a number."""
        if seat not in self.game.evolution.to_move(state):
            return 0
        number_by_command = self._encoding_for(len(self.game.evolution.seats(state))).number_by_command
        legal_commands = self.game.rules.legal(state, seat)
        mask_bits = sum(1 << number_by_command[command] for command in legal_commands if command in number_by_command)
        if not mask_bits and legal_commands:
            reason = "no legal command was seen in games with its usual options"
            raise GameError(f"{self.game.title} can't be encoded here", reason, ["write a module `encoding`"])
        return mask_bits

    def command(self, state: Any, seat: Seat, actions: Sequence[int]) -> Command | None:
        """The command of an action: one action is a whole command."""
        return self._encoding_for(len(self.game.evolution.seats(state))).commands[actions[0]]

    def _learn_encoding(self, players: int) -> LearnedEncoding:
        state_domain, commands = ValueDomain(), set[Command]()
        conceal = self.game.secrets.conceal if self.game.secrets else lambda state, seat: state
        for state in self._positions(players):
            seats = self.game.evolution.seats(state)
            for seat in seats:
                state_domain.learn(conceal(state, seat), seats_from(seat, seats))
            for seat in self.game.evolution.to_move(state):
                commands.update(self.game.rules.legal(state, seat))
                self._check_count(len(commands), MAX_ACTIONS, "legal commands")
        figure_names = tuple(state_domain.figure_names(""))
        self._check_count(len(figure_names), MAX_FIGURES, "figures")
        all_commands = [*self._fill_number_gaps(commands)]
        count_by_kind = dict[str, int]()
        for command in all_commands:
            tag = tag_of(command)
            count_by_kind[tag] = count_by_kind.get(tag, 0) + 1
        return LearnedEncoding(
            state_domain,
            figure_names,
            tuple(all_commands),
            {command: number for number, command in enumerate(all_commands)},
            count_by_kind,
        )

    def _check_count(self, count: int, limit: int, noun: str) -> None:
        if count > limit:
            reason = f"there are more than {limit:,} {noun}: write a module `encoding`"
            raise GameError(f"{self.game.title} can't be used as an environment", reason, [])

    def _positions(self, players: int) -> Iterator[Any]:
        """The positions of games at random."""
        rules, evolution = self.game.rules, self.game.evolution
        options = {"players": str(players)} if "players" in rules.OPTIONS else {}
        for seed in range(MATCHES):
            state, rng = rules.apply(evolution.initial(), "", rules.set_up(options, seed)).state, Random(seed)
            yield state
            for _ in range(MAX_COMMANDS):
                seat = next(iter(evolution.to_move(state)), "")
                command = rules.legal(state, seat).sample(rng) if seat else None
                if command is None:
                    break
                state = rules.apply(state, seat, command).state
                yield state

    def _fill_number_gaps(self, commands: Iterable[Command]) -> Iterator[Command]:
        """The commands sorted by their types, with those added whose numbers lie between numbers that were seen."""
        commands_by_type: dict[type[Command], list[Command]] = {}
        for command in commands:
            commands_by_type.setdefault(type(command), []).append(command)
        for command_type in sorted(commands_by_type, key=lambda each_type: str(each_type.__struct_config__.tag)):
            value_rows = [msgspec.structs.astuple(command) for command in commands_by_type[command_type]]
            choices = [
                _choices({values[index] for values in value_rows})
                for index in range(len(command_type.__struct_fields__))
            ]
            has_cards = any(isinstance(value, tuple) for values in value_rows for value in values)
            limit = MAX_ACTIONS // 4 if has_cards else max(4 * len(value_rows), 200)
            if all(choices) and prod(map(len, choices)) <= limit:
                yield from (command_type(*values) for values in product(*choices))
            else:
                yield from sorted(commands_by_type[command_type], key=msgspec.json.encode)


def _choices(values: set[Any]) -> list[Any]:
    """What a field of a command can be: whole numbers in between too, and all combinations of cards as many as seen.

    Empty for values that have no order.
    """
    if values and all(isinstance(value, tuple) for value in values):
        return _combinations(values)
    if values and all(isinstance(value, int) and not isinstance(value, bool) for value in values):
        return [*range(min(values), max(values) + 1)] if max(values) - min(values) <= MAX_ACTIONS else []
    return sorted(values) if all(isinstance(value, str) for value in values) else []


def _combinations(values: set[Any]) -> list[Any]:
    """All tuples of the texts in some tuples, in the order of cards; none if these have another order."""
    texts = sorted({text for value in values for text in value if isinstance(text, str)}, key=card_order)
    if any([*value] != sorted({*value} & {*texts}, key=card_order) for value in values):
        return []
    counts = sorted({len(value) for value in values})
    if sum(comb(len(texts), count) for count in counts) > MAX_ACTIONS:
        return []
    return [combination for count in counts for combination in combinations(texts, count)]


def seats_from(seat: Seat, seats: Sequence[Seat]) -> tuple[Seat, ...]:
    """The seats in their order, beginning with one.

    >>> seats_from("ben", ("ann", "ben", "cid"))
    ('ben', 'cid', 'ann')
    """
    index = seats.index(seat) if seat in seats else 0
    return (*seats[index:], *seats[:index])


def tag_of(command: Command) -> str:
    """The name of a command: its tag without the version."""
    return str(command.__struct_config__.tag).rpartition(".")[0]
