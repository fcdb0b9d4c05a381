"""Rules from an author's two functions: `moves` lists the legal commands, and `follow` makes the events of one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from random import Random
from typing import Any

from zimcore.game import (
    Accepted,
    Command,
    Deal,
    Event,
    Evolution,
    Game,
    OptionError,
    Outcome,
    Played,
    Refusal,
    Refused,
    Seat,
)
from zimcore.toolkit.chance import generator
from zimcore.toolkit.house_rules import require_known_options
from zimcore.toolkit.redeal import Redeal, redeal_event
from zimcore.toolkit.sampling import random_item
from zimcore.toolkit.words import joined, texts_that_begin


class Draft:
    """A position while a command is decided: events are applied to a state, so that each step sees the ones before."""

    __slots__ = ("_evolve", "events", "state")

    def __init__(self, state: Any, evolution: Evolution) -> None:
        self.state = state
        self.events: list[Event] = []
        self._evolve = evolution.evolve

    def happen(self, event: Event) -> None:
        """Adds an event and applies it."""
        self._evolve(self.state, event)
        self.events.append(event)


class Rules:
    """The rules of an author's module, in the form of the contract."""

    def __init__(self, author_module: Any, game: Game) -> None:
        self.author_module = author_module
        self.game = game
        self.evolution = game.evolution
        self.OPTIONS: Mapping[str, str] = getattr(author_module, "OPTIONS", {})

    def set_up(self, options: Mapping[str, str], seed: int) -> Command:
        """The set-up command that the author's `set_up(options, chance)` makes. Raises `OptionError`."""
        require_known_options(options, [*self.OPTIONS])
        command: Command = self.author_module.set_up(options, generator(seed, "set-up"))
        return command

    def decide(self, state: Any, seat: Seat, command: Any) -> Accepted | Refused:
        """Refuses a command that is not among the moves, with the reason of the author's `why_not` if there is one."""
        refusal = self._refusal(state, seat, command)
        if refusal:
            return refusal
        return self.apply(state, seat, command)

    def apply(self, state: Any, seat: Seat, command: Any) -> Accepted:
        """The events and state after a legal command."""
        draft = Draft(self.evolution.copy(state), self.evolution)
        if isinstance(command, Redeal):
            draft.happen(redeal_event(self.game, state, command))
        else:
            self.author_module.follow(draft, seat, command)
        return Accepted(tuple(draft.events), draft.state)

    @property
    def can_play_on(self) -> bool:
        """Whether `play_on` does what `apply` does: the author has written neither `apply` nor `legal`."""
        return not {"apply", "legal"} & {*vars(self)}

    def play_on(self, state: Any, rng: Random, longest: int) -> int:
        """Plays random commands in place, to the end of the match or at most `longest`; returns how many.

        They are the commands that `legal` draws, and the states of `apply`, without copies. For playouts.
        """
        to_move, moves, follow = self.author_module.to_move, self.author_module.moves, self.author_module.follow
        evolution, choose = self.evolution, rng.choice
        for move_count in range(longest):
            seat = random_item(tuple(to_move(state)), rng)
            moves_found = [] if seat is None else list(moves(state, seat))
            if not moves_found:
                return move_count
            follow(Draft(state, evolution), seat, choose(moves_found))
        return longest

    def _refusal(self, state: Any, seat: Seat, command: Any) -> Refused | None:
        if isinstance(command, Redeal):
            return None if self.evolution.seats(state) else Refused((Refusal("SET-UP", "the game is not set up"),))
        if isinstance(command, Deal):
            refusal = Refusal("SET-UP", "the game has begun already")
            return Refused((refusal,)) if self.evolution.seats(state) else None
        seats_to_move = self.evolution.to_move(state)
        if seat not in seats_to_move:
            if not seats_to_move:
                return Refused((Refusal("TURN", "the game is over"),), ("story",))
            turn_text = f"{joined(seats_to_move)} may act now, not {seat or 'nobody'}"
            return Refused((Refusal("TURN", turn_text),), ("legal",))
        legal_moves = list(self.author_module.moves(state, seat))
        if command in legal_moves:
            return None
        why_not = getattr(self.author_module, "why_not", None)
        reason = why_not(state, seat, command) if why_not else None
        hints = [self.game.notation.format(move) for move in legal_moves[:3]]
        return Refused((Refusal("MOVE", reason or "that can't be done now"),), tuple(hints))

    def legal(self, state: Any, seat: Seat) -> Moves:
        """The legal moves of a seat; none if it is not to move."""
        may_act = seat in self.evolution.to_move(state)
        return Moves(self.author_module.moves(state, seat) if may_act else (), self.game.notation.format)

    def flip_house_rule(self, events: Sequence[Event], option: str) -> Sequence[Event]:
        """Returns the events unchanged: an author with house rules overrides it."""
        return events

    def are_independent(self, state: Any, one: Played, other: Played) -> bool:
        """Returns False: only the author can know which commands are independent."""
        return False


class Moves:
    """Legal commands as a list, for games with few."""

    def __init__(self, commands: Iterable[Any], format_: Callable[[Any], str]) -> None:
        self._commands = list(commands)
        self._format = format_

    def __iter__(self) -> Iterator[Any]:
        return iter(self._commands)

    def __contains__(self, command: object) -> bool:
        if isinstance(command, str):
            return command in self.texts(command)
        return command in self._commands

    def __bool__(self) -> bool:
        return bool(self._commands)

    def __repr__(self) -> str:
        return f"<{self.count()} legal commands>"

    def count(self) -> int:
        """The number of commands."""
        return len(self._commands)

    def texts(self, beginning: str = "") -> Iterator[str]:
        """The commands in notation whose words start with these."""
        return texts_that_begin(map(self._format, self._commands), beginning)

    def sample(self, rng: Random) -> Any:
        """A random command, all equally likely; None if there is none."""
        return rng.choice(self._commands) if self._commands else None


def number(options: Mapping[str, str], name: str, default: int, least: int, most: int) -> int:
    """An option that is a number. Raises `OptionError`.

    >>> number({"players": "4"}, "players", 3, least=2, most=6)
    4
    """
    text = options.get(name, str(default))
    if text.isascii() and text.isdigit() and least <= int(text) <= most:
        return int(text)
    raise OptionError(f"{name}={text}", f"{name} is a number from {least} to {most}", [f"{name}={default}"])


def outcome_by_score(over: bool, scores: Mapping[Seat, int]) -> Outcome:
    """The outcome if the highest score wins; seats with the same score are tied.

    >>> outcome_by_score(True, {"ann": 3, "ben": 5, "cid": 3}).ranking
    (('ben',), ('ann', 'cid'))
    """
    scores_in_order = sorted(set(scores.values()), reverse=True)
    return Outcome(
        over, tuple(tuple(seat for seat in scores if scores[seat] == score) for score in scores_in_order), scores
    )
