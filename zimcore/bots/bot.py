"""The interface of bots: a bot gets a position as its seat may see it, and returns a command and the reason for it."""

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
    """The command that a bot plays next, and how it found it: `best of 24`. `zimcore.reasons` explains its effect."""

    command: Command
    why: str = ""


class Bot(Protocol):
    """A program that plays. It keeps no state: the same view, budget and random numbers give the same choice."""

    def choose(self, view: View, nodes: int, rng: Random) -> Choice:
        """The next command of the seat to move.

        `nodes` is about how many positions to search: a playout that has begun is finished.

        Take random numbers only from `rng`, so that a match can be repeated on any machine.
        """
        ...


class ThinkingProgress(NamedTuple):
    """The positions that a bot has searched, of how many (0 if unknown), and the command that it would choose now."""

    nodes_searched: int
    total: int
    choice: Choice


@runtime_checkable
class Thinker(Bot, Protocol):
    """A bot that thinks for long and reports its progress: the caller can show it, or stop."""

    def search_steps(self, view: View, nodes: int, rng: Random) -> Iterator[ThinkingProgress]:
        """Yields the choice so far, again and again; the last one is the result of `choose`."""
        ...


def view_for(game: Game, state: Any, seat: Seat) -> View:
    """A position as a seat may see it."""
    return View(game, game.secrets.conceal(state, seat) if game.secrets else game.evolution.copy(state), seat)
