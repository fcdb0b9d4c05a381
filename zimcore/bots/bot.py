"""The interface of bots: a bot gets a position as its seat may see it, and returns a command and how it found it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Any, NamedTuple, Protocol, runtime_checkable

import msgspec

from zimcore.game import Command, Game, Seat

FAILURE_HINTS = ("legal", "bot quick")
"""What to type in a game after a bot has failed: play yourself, or let another bot play."""


class View(msgspec.Struct, frozen=True):
    """A position as a seat knows it."""

    game: Game
    state: Any
    seat: Seat


class Choice(msgspec.Struct, frozen=True):
    """The command that a bot plays next; `why` says how the bot found it: `best of 24`.

    `zimcore.reasons` explains what the command brings.
    """

    command: Command
    why: str = ""


class Bot(Protocol):
    """A program that plays. It keeps no state: the same view, budget and random numbers give the same choice."""

    def choose(self, view: View, nodes: int, rng: Random) -> Choice:
        """The next command of the seat to move.

        `nodes` is the budget: search about that many positions. You may finish a playout that you have begun.

        Take random numbers only from `rng`, so that a match can be repeated on any machine.
        """
        ...


class ThinkingProgress(NamedTuple):
    """How many positions a bot has searched, how many it will search (0 if unknown), and what it would choose now."""

    nodes_searched: int
    nodes_planned: int
    choice: Choice


@runtime_checkable
class Thinker(Bot, Protocol):
    """A bot that thinks for a long time and reports its progress: the caller can show that, or stop the bot."""

    def search_steps(self, view: View, nodes: int, rng: Random) -> Iterator[ThinkingProgress]:
        """Yields the choice so far, again and again; the last one is the result of `choose`."""
        ...


@runtime_checkable
class Waiter(Bot, Protocol):
    """A bot that thinks elsewhere. It calls `on_wait` again and again until it has the choice."""

    on_wait: Callable[[], None]
    """An exception from it stops the bot."""


def view_for(game: Game, state: Any, seat: Seat) -> View:
    """A position as a seat may see it."""
    return View(game, game.secrets.conceal(state, seat) if game.secrets else game.evolution.copy(state), seat)
