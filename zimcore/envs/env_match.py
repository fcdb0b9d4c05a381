"""A match for learning programs: observations and masks as arrays, actions as numbers."""

from __future__ import annotations

from array import array
from bisect import bisect
from collections.abc import Mapping, Sequence
from copy import deepcopy
from functools import cached_property
from itertools import accumulate
from math import prod
from random import Random
from typing import Any, NamedTuple, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt

from zimcore.game import Encoding, Event, GameError, HiddenError, OptionError, Stock
from zimcore.games.registry import game as game_of

Floats: TypeAlias = npt.NDArray[np.float32]
Bits: TypeAlias = npt.NDArray[np.int8]

Past: TypeAlias = "tuple[Past | None, tuple[Event, ...]]"
"""The past before a command, and its events: a match and its copies share it."""

MAX_ACTIONS = 10_000
"""The most actions in a match; a longer one is cut off, with a return of 0."""


class PlayedCommand(NamedTuple):
    """A command, the position after it, and its events, the command first."""

    command: Any
    state: Any
    events: tuple[Event, ...]


class Setting:
    """What all matches of an environment have in common: the game, the number of players, the options and all shapes.

    An observation is one row of `observation_size` numbers: the planes, place by place, then the figures. A match ends
    after `max_actions`. Raises `GameError` for a game without an encoding, `OptionError` for options that are wrong or
    can't be encoded.
    """

    def __init__(
        self, kind: str, players: int, options: Mapping[str, str] | None = None, max_actions: int = MAX_ACTIONS
    ) -> None:
        self.options = {option: str(value) for option, value in (options or {}).items()}
        self.kind, self.players, self.max_actions = kind, (players := int(players)), max_actions
        self.game = game_of(kind)
        if self.game.encoding is None:
            raise GameError(f"{self.game.title} can't be used as an environment", "it has no encoding")
        if {"players", "seed"} & self.options.keys():
            raise OptionError("players and seed are not options here", "pass them as arguments of the environment")
        if max_actions < 1:
            raise OptionError(f"max_actions={max_actions}", "a match has at least one action")
        self.encoding: Encoding = self.game.encoding
        self.first_position(0)
        self.shape = (len(self.encoding.planes(players)), *self.encoding.shape(players))
        self.place_count = prod(self.shape[1:])
        self.figure_count = len(self.encoding.figures(players))
        self.observation_size = self.shape[0] * self.place_count + self.figure_count
        self.action_kinds = tuple(self.encoding.actions(players))
        self.kind_starts = tuple(accumulate(self.encoding.actions(players).values(), initial=0))
        self.action_count = self.kind_starts[-1]

    def __reduce__(self) -> tuple[type[Setting], tuple[str, int, dict[str, str], int]]:
        return Setting, (self.kind, self.players, self.options, self.max_actions)

    @property
    def seating_option(self) -> dict[str, str]:
        """The option for the number of players, if the game has one."""
        return {"players": str(self.players)} if "players" in self.game.rules.OPTIONS else {}

    def first_position(self, seed: int) -> Any:
        """The position after the set-up with this seed."""
        return self.deal(seed)[0]

    def deal(self, seed: int) -> tuple[Any, tuple[Event, ...]]:
        """The position after the set-up with this seed, and its events."""
        rules = self.game.rules
        command = rules.set_up({**self.options, **self.seating_option}, seed)
        state, events = self.apply(self.game.evolution.initial(), "", command)
        seat = self.game.evolution.to_move(state)[0]
        if (seats := len(self.game.evolution.seats(state))) != self.players:
            raise OptionError(f"players={self.players}", f"{self.game.title} has {seats} players", [f"players={seats}"])
        self.encoding.mask(state, seat)  # raises an error if these options can't be encoded
        return state, events

    def apply(self, state: Any, seat: str, command: Any) -> tuple[Any, tuple[Event, ...]]:
        """The position after a legal command, and its events, the command first."""
        outcome = self.game.rules.apply(state, seat, command)
        return outcome.state, (self.game.evolution.EVENTS[0](seat, command), *outcome.events)

    def observation_row(self, planes: Sequence[int], figures: Sequence[float]) -> Floats:
        """An observation as one row."""
        count = (self.place_count + 7) // 8
        packed_bits = np.frombuffer(b"".join([plane.to_bytes(count, "little") for plane in planes]), np.uint8)
        bits = np.unpackbits(packed_bits.reshape(len(planes), count), axis=1, count=self.place_count, bitorder="little")
        numbers = np.empty(self.observation_size, np.float32)
        numbers[: bits.size] = bits.ravel()
        numbers[bits.size :] = np.frombuffer(array("f", figures), np.float32)  # several times as fast as from a list
        return numbers

    def mask_array(self, mask: int) -> Bits:
        """A mask as an array of 0 and 1, one for each action."""
        packed_bits = np.frombuffer(mask.to_bytes((self.action_count + 7) // 8, "little"), np.uint8)
        return np.unpackbits(packed_bits, count=self.action_count, bitorder="little").view(np.int8)

    def parts_by_name(self, row: Floats) -> dict[str, Floats]:
        """The parts of an observation in their shapes, `planes` and `figures`, as views of its memory."""
        figures_start = row.size - self.figure_count
        return {"planes": row[:figures_start].reshape(self.shape), "figures": row[figures_start:]}

    def kind_of(self, action: int) -> tuple[str, int]:
        """The kind of an action, and its number among those of its kind."""
        kind_index = bisect(self.kind_starts, action) - 1
        return self.action_kinds[kind_index], action - self.kind_starts[kind_index]


class EnvMatch:
    """One match. Its states are never changed, so a copy shares them; a pickle holds the seeds and the actions."""

    def __init__(
        self, setting: Setting, seed: int, taken: Sequence[int] = (), shuffles: Mapping[int, int] | None = None
    ) -> None:
        self.setting, self.seed = setting, seed
        self.state, deal_events = setting.deal(seed)
        self.seats = setting.game.evolution.seats(self.state)
        self._visible_states: tuple[Any, dict[str, Any]] = self.state, {}
        """The position, and what each seat sees of it, as far as it was asked for."""
        self.known_texts: Mapping[str, tuple[str, ...]] = {}
        """By seat, what it knows instead of the events before `past`: see `resample`."""
        self.past: Past = (None, deal_events)
        """What has happened, with the commands."""
        self.actions_taken: tuple[int, ...] = ()
        """All actions so far."""
        self.actions_begun: tuple[int, ...] = ()
        """The actions of a command that is not yet complete."""
        self.player = self._to_move()
        """The index of the seat to move; None at the end."""
        self.shuffles: dict[int, int] = {}
        """Seeds of shuffles, by the number of actions before them."""
        for number, action in enumerate(taken):
            if shuffles and number in shuffles:
                self._shuffle(shuffles[number])
            self._advance(action, self._completed_command(action))

    def __reduce__(self) -> tuple[type[EnvMatch], tuple[Setting, int, tuple[int, ...], dict[int, int]]]:
        return EnvMatch, (self.setting, self.seed, self.actions_taken, self.shuffles)

    def __deepcopy__(self, memo: object) -> EnvMatch:
        copy = object.__new__(EnvMatch)
        copy.__dict__.update(self.__dict__)
        return copy

    @property
    def is_truncated(self) -> bool:
        """Whether the match was cut off: it has `max_actions` and is not over."""
        return len(self.actions_taken) >= self.setting.max_actions and self.player is not None

    @cached_property
    def mask(self) -> int:
        """The legal actions of the seat to move, as the bits of a number."""
        seat = self._seat
        return self.setting.encoding.mask(self._state_for(seat), seat, self.actions_begun) if seat else 0

    def observe(self, player: int, *, public: bool = False) -> Floats:
        """A player's observation; with `public` only what all players see."""
        setting, seat = self.setting, self.seats[player]
        actions_begun = self.actions_begun if player == self.player and not public else ()
        observation = setting.encoding.observe(self._state_for("" if public else seat), seat, actions_begun)
        return setting.observation_row(observation.planes, observation.figures)

    def act(self, action: int) -> None:
        """Plays an action of the seat to move. Raises `GameError` if it is not in the mask."""
        self._check_action(action)
        self._advance(action, self._completed_command(action))

    def act_unless_drawing(self, action: int) -> bool:
        """Plays an action of the seat to move, unless it reveals what no seat knew, such as a drawn card.

        Returns whether it was played. Raises `GameError` if it is not in the mask.
        """
        self._check_action(action)
        played_command = self._completed_command(action)
        if played_command and self._reveals_hidden(played_command):
            return False
        self._advance(action, played_command)
        return True

    def returns(self) -> list[float]:
        """Each player's return, 0 before the end. They add up to 0: a sole winner has 1, and the others share -1."""
        outcome = self.setting.game.evolution.outcome(self.state)
        if not outcome.winners:
            return [0.0] * len(self.seats)
        winner_share, loser_share = 1 / len(outcome.winners), len(self.seats) - 1
        shares = [winner_share if seat in outcome.winners else 0.0 for seat in self.seats]
        return [(share_of_player * (loser_share + 1) - 1) / loser_share for share_of_player in shares]

    def scores(self, player: int) -> dict[int, int | None]:
        """The points of each player, as far as a player knows them."""
        scores = self.setting.game.evolution.outcome(self._state_for(self.seats[player])).scores
        return {index: scores.get(seat) for index, seat in enumerate(self.seats)}

    def information(self, player: int) -> str:
        """All that a player has seen since the deal, as text: equal if, and only if, the player can't tell them apart.

        In other words: information state, with perfect recall.
        """
        seat, secrets = self.seats[player], self.setting.game.secrets
        visible_events = [secrets.redact(event, seat) if secrets else event for event in events_of(self.past)]
        own_actions = self.actions_begun if player == self.player else ()
        return "\n".join(
            [
                *self.known_texts.get(seat, ()),
                *map(event_text, visible_events),
                *(f"action {own_action}" for own_action in own_actions),
            ]
        )

    def resample(self, player: int, rng: Random) -> EnvMatch:
        """Another match that a player can't tell from this one: what the player does not know is dealt again.

        A choice that another seat has sealed is made again, at random. For the others the past is only what they would
        know of the new position. Raises `GameError` if the game can't deal again.
        """
        setting, seat, secrets = self.setting, self.seats[player], self.setting.game.secrets
        match_copy = deepcopy(self)
        if secrets is None:
            return match_copy
        match_copy.state, _ = setting.apply(self.state, "", secrets.redeal(seat, rng.randrange(2**62)))
        while (mover := match_copy._to_move()) is not None and mover != self.player:
            command = setting.game.rules.legal(match_copy._state_for(self.seats[mover]), self.seats[mover]).sample(rng)
            match_copy.state, _ = setting.apply(match_copy.state, self.seats[mover], command)
        match_copy.known_texts = {
            other_seat: (event_text(match_copy._state_for(other_seat)),)
            if other_seat != seat
            else tuple(self.information(player).split("\n"))
            for other_seat in self.seats
        }
        match_copy.past, match_copy.player = (None, ()), match_copy._to_move()
        match_copy.__dict__.pop("mask", None)
        return match_copy

    def shuffled_copy(self, seed: int) -> EnvMatch:
        """A copy in which what no seat knows is dealt again; no seat notices."""
        match_copy = deepcopy(self)
        match_copy._shuffle(seed)
        return match_copy

    def action_text(self, action: int) -> str:
        """An action as text: in the game's notation, or as its kind and number if it is only a part of a command."""
        command = self._command((*self.actions_begun, action)) if not self.actions_begun else None
        kind, number = self.setting.kind_of(action)
        return self.setting.game.notation.format(command) if command else f"{kind} {number}"

    def observation_text(self, player: int, *, public: bool = False) -> str:
        """A player's observation as text: the public position, and all figures that are not 0, with their names."""
        names = self.setting.encoding.figures(self.setting.players)
        figures = self.setting.parts_by_name(self.observe(player, public=public))["figures"]
        parts = [f"{name} {figure:g}" for name, figure in zip(names, figures, strict=True) if figure]
        return f"{self.board_text()}\n{', '.join(parts)}"

    def board_text(self) -> str:
        """The public position as text: its status, and the board."""
        display, state = self.setting.game.display, self._state_for("")
        board = display.board(state)
        rows = ["".join(f"{cell.text:>3}" for cell in row) for row in board.cells] if board else []
        return "\n".join([display.status(state), *rows])

    def all_observations(self) -> Floats:
        """The observations of all players, one after the other."""
        return np.concatenate([self.observe(player) for player in range(len(self.seats))])

    def _shuffle(self, seed: int) -> None:
        if isinstance(secrets := self.setting.game.secrets, Stock):
            self.state = secrets.shuffled(self.state, seed)
        self.shuffles = {**self.shuffles, len(self.actions_taken): seed}

    def _state_for(self, seat: str) -> Any:
        secrets = self.setting.game.secrets
        if secrets is None:
            return self.state
        if self._visible_states[0] is not self.state:
            self._visible_states = self.state, {}  # a new one, since copies share it
        cached_state = self._visible_states[1]
        if seat not in cached_state:
            cached_state[seat] = secrets.conceal(self.state, seat)
        return cached_state[seat]

    def _to_move(self) -> int | None:
        to_move = self.setting.game.evolution.to_move(self.state)
        return self.seats.index(to_move[0]) if to_move else None

    @property
    def _seat(self) -> str:
        player = self.player
        return "" if player is None else self.seats[player]

    def _command(self, actions: Sequence[int]) -> Any:
        return self.setting.encoding.command(self._state_for(self._seat), self._seat, actions)

    def _check_action(self, action: int) -> None:
        if not 0 <= action < self.setting.action_count or not self.mask >> action & 1:
            raise GameError(f"no action now: {action}", "the mask lists the legal ones")

    def _completed_command(self, action: int) -> PlayedCommand | None:
        """The command that an action completes, with the position after it and its events; None if there is none."""
        command = self._command((*self.actions_begun, action))
        return None if command is None else PlayedCommand(command, *self.setting.apply(self.state, self._seat, command))

    def _reveals_hidden(self, played_command: PlayedCommand) -> bool:
        """Whether a command reveals something that no seat knew before.

        What all seats together know decides: either they can't tell what follows from the command, or they know more
        after it than they could tell.
        """
        secrets, setting = self.setting.game.secrets, self.setting
        if not isinstance(secrets, Stock):
            return False
        canonical = setting.game.evolution.canonical
        try:
            expected_state = setting.apply(secrets.known_together(self.state), self._seat, played_command.command)[0]
        except HiddenError:
            return True
        return canonical(expected_state) != canonical(secrets.known_together(played_command.state))

    def _advance(self, action: int, played_command: PlayedCommand | None) -> None:
        self.actions_begun = () if played_command else (*self.actions_begun, action)
        if played_command:
            self.state, self.past = played_command.state, (self.past, played_command.events)
            self.player = self._to_move()
        self.actions_taken += (action,)
        self.__dict__.pop("mask", None)


def events_of(past: Past) -> list[Event]:
    """The events of a past in their order."""
    events_by_move = list[tuple[Event, ...]]()
    remaining: Past | None = past
    while remaining is not None:
        remaining, events = remaining
        events_by_move.append(events)
    return [event for events in reversed(events_by_move) for event in events]


def event_text(value: Any) -> str:
    """An event or a position as one line, with `?` for what is hidden."""
    return msgspec.json.encode(value, enc_hook=str, order="deterministic").decode()
