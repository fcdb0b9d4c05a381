"""Random legal games: their options, their moves, and positions on the way."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from random import Random
from typing import NamedTuple

from hypothesis import strategies as st

from zimcore.game import Accepted, Event
from zimcore.games.zimbabwe import GAME
from zimcore.games.zimbabwe.commands import AnyCommand
from zimcore.games.zimbabwe.components import GODS, SPECIALISTS
from zimcore.games.zimbabwe.events import STOCK, CattlePaid
from zimcore.games.zimbabwe.house import HOUSE_RULES
from zimcore.games.zimbabwe.legal import KINDS
from zimcore.games.zimbabwe.state import State

VERB_WEIGHTS = {"start": 1, "bid": 3, "pass": 2, "raise": 24, "craft": 12, "adore": 3, "hire": 3, "use": 6, "build": 4}
CARDS = sorted([*GODS, *SPECIALISTS])
VERB_WEIGHTS |= {"price": 2, "end": 3}
"""How readily a kind of command is tried."""


class Recipe(NamedTuple):
    """A game that can be played again: its options, the cattle that everyone is given to begin with, its chance."""

    options: dict[str, str]
    gift: int
    seed: int


class Move(NamedTuple):
    """A command, the position before it, and its outcome."""

    state_before: State
    command: AnyCommand
    outcome: Accepted


@st.composite
def recipes(draw: st.DrawFn) -> Recipe:
    """Games for 2 to 5 players, of any gods, VR and house rules. Rich players see more of the game."""
    options = {
        "players": str(draw(st.integers(2, 5))),
        "gods": draw(st.sampled_from(["random", "all", "beginner", "0"])),
        **{option: HOUSE_RULES[option].other for option in draw(st.sets(st.sampled_from(sorted(HOUSE_RULES))))},
        "vr": ",".join(f"{card}:{draw(st.integers(-2, 9))}" for card in draw(st.sets(st.sampled_from(CARDS)))),
    }
    return Recipe(options, draw(st.sampled_from([0, 4, 12])), draw(st.integers(0, 2**32)))


def beginning_events(recipe: Recipe) -> tuple[Event, ...]:
    """The events of the deal, and the cattle that each seat is given."""
    setup_outcome = GAME.rules.decide(GAME.evolution.initial(), "", GAME.rules.set_up(recipe.options, recipe.seed))
    assert isinstance(setup_outcome, Accepted)
    gifts = (CattlePaid(STOCK, seat, recipe.gift, "given") for seat in setup_outcome.state.seats)
    return (*setup_outcome.events, *gifts)


def start_position(recipe: Recipe) -> State:
    """The position from which a random game is played."""
    state: State = GAME.evolution.initial()
    for event in beginning_events(recipe):
        GAME.evolution.evolve(state, event)
    return state


def play(recipe: Recipe, move_count: int) -> Iterator[Move]:
    """The first moves of a random game."""
    state, rng = start_position(recipe), Random(recipe.seed)
    for _ in range(move_count):
        command = random_command(state, rng)
        if command is None:
            return
        outcome = GAME.rules.decide(state, state.actor or "", command)
        assert isinstance(outcome, Accepted), (GAME.notation.format(command), outcome)
        yield Move(state, command, outcome)
        state = outcome.state


def state_after(recipe: Recipe, move_count: int) -> State:
    """The position after so many moves of a random game."""
    state = start_position(recipe)
    for move in play(recipe, move_count):
        state = move.outcome.state
    return state


def random_command(state: State, rng: Random) -> AnyCommand | None:
    """A legal command of a random kind, where one is found among a few candidates; None when the game is over."""
    legal_commands, commands_by_verb = GAME.rules.legal(state, state.actor or ""), KINDS.get(state.phase, {})
    for verb in sorted(commands_by_verb, key=lambda verb: rng.random() ** (1 / VERB_WEIGHTS[verb]), reverse=True):
        candidates = list(islice(commands_by_verb[verb](state), 2000))
        for command in rng.sample(candidates, min(len(candidates), 12)):
            if command in legal_commands:
                return command
    return None
