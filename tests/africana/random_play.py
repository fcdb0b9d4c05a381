"""Random legal games, to the end."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

from hypothesis import strategies as st

from zimcore.game import Accepted
from zimcore.games.africana import GAME
from zimcore.games.africana.commands import AnyCommand
from zimcore.games.africana.house import HOUSE_RULES
from zimcore.games.africana.state import State

VERB_WEIGHTS = {"draw": 4, "turn": 1, "buy": 10, "move": 6, "join": 20, "end": 40, "discard": 1}
"""How readily a kind of command is chosen; ending a turn less so than ending an expedition."""


class Recipe(NamedTuple):
    """A game that can be played again."""

    players: int
    seed: int
    house_rules: frozenset[str] = frozenset()


class Move(NamedTuple):
    """A command, the position before it, and its outcome."""

    state_before: State
    command: Any
    outcome: Accepted


recipes = st.builds(
    Recipe, st.integers(2, 4), st.integers(0, 2**32), st.frozensets(st.sampled_from(sorted(HOUSE_RULES)))
)


def set_up(recipe: Recipe) -> Move:
    """The first commit of a game."""
    options = {"players": str(recipe.players), **{option: HOUSE_RULES[option].other for option in recipe.house_rules}}
    command = GAME.rules.set_up(options, recipe.seed)
    outcome = GAME.rules.decide(GAME.evolution.initial(), "", command)
    assert isinstance(outcome, Accepted)
    return Move(GAME.evolution.initial(), command, outcome)


def play(recipe: Recipe, move_count: int = 100_000) -> Iterator[Move]:
    """The moves of a random game, to its end if there are enough of them."""
    state, rng = set_up(recipe).outcome.state, Random(recipe.seed)
    for _ in range(move_count):
        commands = list(GAME.rules.legal(state, state.actor or ""))
        if not commands:
            return
        (command,) = rng.choices(commands, [weight(command) for command in commands])
        outcome = GAME.rules.decide(state, state.actor or "", command)
        assert isinstance(outcome, Accepted), (GAME.notation.format(command), outcome)
        yield Move(state, command, outcome)
        state = outcome.state


def weight(command: AnyCommand) -> int:
    text = GAME.notation.format(command)
    return 1 if text == "end" else VERB_WEIGHTS[text.partition(" ")[0]]
