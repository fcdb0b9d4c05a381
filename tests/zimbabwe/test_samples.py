"""Drawing legal commands, and playing them without guards."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from hypothesis import assume, settings
from hypothesis import given as for_all
from hypothesis import strategies as st

from tests.decider_kit import Facts
from tests.zimbabwe.facts import adores, cattle, craftsman, has, monument, technology, turn_of
from tests.zimbabwe.game_test_kit import given
from tests.zimbabwe.random_play import Recipe, position, recipes
from tests.zimbabwe.test_perft import positions
from zimcore.game import Accepted
from zimcore.games.zimbabwe import GAME
from zimcore.games.zimbabwe.commands import AnyCommand, Raise
from zimcore.games.zimbabwe.legal import LegalCommands
from zimcore.games.zimbabwe.rules import apply
from zimcore.games.zimbabwe.samples import CHEAPEST, SAMPLERS
from zimcore.games.zimbabwe.state import State

GAMES = Path(__file__).parent.parent / "games"
seeds = st.integers(0, 2**32)


def monuments(command: Raise) -> frozenset[str]:
    return frozenset(ritual.monument for ritual in command.rituals)


@settings(max_examples=25)
@for_all(recipes(), st.integers(0, 120), seeds)
def test_what_is_drawn_is_legal_and_listed_and_the_same_every_time(recipe: Recipe, moves: int, seed: int) -> None:
    state, rng, twin = position(recipe, moves), Random(seed), Random(seed)
    legal = LegalCommands(state)
    assume(state.actor)
    listed = set(legal)
    raised = {monuments(command) for command in listed if isinstance(command, Raise)}
    for _ in range(40):
        command = legal.sample(rng)
        assert command in legal
        assert command in listed or (isinstance(command, Raise) and monuments(command) in raised)
        assert legal.sample(twin) == command
    assert rng.getstate() == twin.getstate()


@settings(max_examples=25)
@for_all(recipes(), st.integers(0, 120), seeds)
def test_of_each_kind_something_is_drawn_where_something_is_legal(recipe: Recipe, moves: int, seed: int) -> None:
    state = position(recipe, moves)
    legal = LegalCommands(state)
    for kind in legal.kinds:
        drawn = SAMPLERS[kind](state, Random(seed))
        assert (drawn is None) == (legal.count(kind) == 0)
        assert drawn is None or drawn in set(legal.of_kind(kind)) or kind == "raise"


@settings(max_examples=10)
@for_all(recipes(), st.integers(0, 120), seeds)
def test_over_many_draws_every_kind_comes(recipe: Recipe, moves: int, seed: int) -> None:
    legal, rng = LegalCommands(position(recipe, moves)), Random(seed)
    kinds = {GAME.notation.format(command).split()[0] for command in (legal.sample(rng) for _ in range(300)) if command}
    assert kinds == {kind for kind in legal.kinds if legal.count(kind)}


SMALL: dict[str, Facts] = {
    "two monuments and a raise": [adores("kilwa", "obatala"), craftsman("zulu", "potter", "b1-c1"), cattle(kilwa=9)],
    "new prices": [technology("kilwa", "potter", price=2), technology("kilwa", "wood_carver", price=1, card=2)],
    "specialists to use": [has("kilwa", "shaman"), has("kilwa", "rain_ceremony"), has("kilwa", "herd")],
    "raises of any set": [craftsman("zulu", "potter", "b1-c1"), craftsman("zulu", "ivory_carver", "b2")],
}


@pytest.mark.parametrize("occasion", SMALL)
def test_everything_that_is_listed_can_be_drawn(occasion: str) -> None:
    standing = [monument("kilwa", "a3"), monument("kilwa", "d1"), monument("zulu", "d3")]
    state = given("C..CI ..... .....", cattle(kilwa=9), standing, SMALL[occasion], turn_of("kilwa")).state
    legal, rng = LegalCommands(state), Random(1)
    for kind in legal.kinds:
        listed = set(legal.of_kind(kind))
        # Of raises the cheapest plans are listed, which are drawn only now and then.
        draws = 25 * len(listed) * (round(1 / CHEAPEST) if kind == "raise" else 1)
        drawn = {SAMPLERS[kind](state, rng) for _ in range(draws)}
        assert drawn >= listed
        assert drawn == listed or (kind == "raise" and all(command in legal for command in drawn)), kind


def test_kinds_that_weigh_nothing_are_never_drawn() -> None:
    state = given("C..CI ..... .....", cattle(kilwa=9), turn_of("kilwa")).state
    legal, rng = LegalCommands(state), Random(1)
    only = dict.fromkeys(legal.kinds, 0) | {"craft": 1}
    drawn = [legal.sample(rng, only) for _ in range(20)]
    assert {GAME.notation.format(command).split()[0] for command in drawn if command} == {"craft"}
    assert legal.sample(rng, dict.fromkeys(legal.kinds, 0)) is None


def test_nothing_is_drawn_where_nothing_is_legal() -> None:
    assert LegalCommands(GAME.evolution.initial()).sample(Random(1)) is None
    over = given("C..CI ..... .....", turn_of("kilwa")).state.copy()
    over.phase = "over"
    assert LegalCommands(over).sample(Random(1)) is None


def decided_and_applied_alike(state: State, command: AnyCommand) -> None:
    seat, before = state.actor or "", GAME.evolution.canonical(state)
    decided, applied = GAME.rules.decide(state, seat, command), apply(state, seat, command)
    assert isinstance(decided, Accepted)
    assert applied.events == decided.events
    assert GAME.evolution.canonical(applied.state) == GAME.evolution.canonical(decided.state)
    assert GAME.evolution.canonical(state) == before


def some_of_each_kind(state: State, rng: Random) -> Iterator[AnyCommand]:
    legal = LegalCommands(state)
    for kind in legal.kinds:
        commands = list(legal.of_kind(kind))
        yield from rng.sample(commands, min(len(commands), 25))


@settings(max_examples=25)
@for_all(recipes(), st.integers(0, 120), seeds)
def test_without_guards_the_same_follows_in_random_games(recipe: Recipe, moves: int, seed: int) -> None:
    state = position(recipe, moves)
    for command in some_of_each_kind(state, Random(seed)):
        decided_and_applied_alike(state, command)


@pytest.mark.parametrize("script", sorted(GAMES.glob("*.zim")), ids=lambda script: script.stem)
def test_without_guards_the_same_follows_in_recorded_games(script: Path) -> None:
    for _, state in positions(script):
        for command in some_of_each_kind(state, Random(1)):
            decided_and_applied_alike(state, command)
