"""What a bot is: it is shown a position as its seat may see it, and says what to play, and why."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple, Protocol, runtime_checkable

import msgspec

from zimcore.game import Command, Game, Seat


class View(msgspec.Struct, frozen=True):
    """A position as a seat knows it."""

    game: Game
    state: Any
    seat: Seat


class Choice(msgspec.Struct, frozen=True):
    """What a bot plays next, and how it was found: `best of 24`. `zimcore.reasons` says what it brings."""

    command: Command
    why: str = ""


class Bot(Protocol):
    """A program that plays. It has no state of its own: the same view, budget and chance give the same choice."""

    def choose(self, view: View, nodes: int, rng: Random) -> Choice:
        """The next command of a seat that is to move, found by looking at about so many positions: what was begun, such
        as a playout, is brought to its end.

        Chance comes from `rng` alone, so that a match is the same again on any machine.
        """
        ...


class ThinkingProgress(NamedTuple):
    """How far a bot is, in positions that it has looked at, of so many (0 if unknown); and what it would choose now."""

    looked: int
    of: int
    choice: Choice


@runtime_checkable
class Thinker(Bot, Protocol):
    """A bot that thinks for long and reports its progress: the caller may show it, or stop."""

    def thinking(self, view: View, nodes: int, rng: Random) -> Iterator[ThinkingProgress]:
        """What it would choose, again and again; what it says last is what `choose` gives."""
        ...


def view_for(game: Game, state: Any, seat: Seat) -> View:
    """A position as a seat may see it."""
    return View(game, game.secrets.conceal(state, seat) if game.secrets else game.evolution.copy(state), seat)
