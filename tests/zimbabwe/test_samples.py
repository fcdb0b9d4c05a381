"""Drawing legal commands, and playing them without guards."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest
from hypothesis import assume, settings
from hypothesis import given as for_all
from hypothesis import strategies as st

from tests.decider_kit import Facts
from tests.zimbabwe.facts import adored_god, cattle, craftsman, hired_specialist, monument, technology, turn_of
from tests.zimbabwe.kit import given
from tests.zimbabwe.random_play import Recipe, recipes, state_after
from tests.zimbabwe.test_perft import positions
from zimcore.game import Accepted
from zimcore.games.zimbabwe import GAME
from zimcore.games.zimbabwe.commands import AnyCommand, Raise
from zimcore.games.zimbabwe.legal import LegalCommands
from zimcore.games.zimbabwe.rules import apply
from zimcore.games.zimbabwe.samples import CHEAPEST_SHARE, SAMPLERS
from zimcore.games.zimbabwe.state import State

GAMES_FOLDER = Path(__file__).parent.parent / "games"
random_seeds = st.integers(0, 2**32)


def raised_monuments(command: Raise) -> frozenset[str]:
    return frozenset(ritual.monument for ritual in command.rituals)


@settings(max_examples=25)
@for_all(recipes(), st.integers(0, 120), random_seeds)
def test_a_drawn_command_is_legal_listed_and_the_same_every_time(recipe: Recipe, move_count: int, seed: int) -> None:
    state, rng, same_rng = state_after(recipe, move_count), Random(seed), Random(seed)
    legal_commands = LegalCommands(state)
    assume(state.actor)
    listed_commands = set(legal_commands)
    raised_sets = {raised_monuments(command) for command in listed_commands if isinstance(command, Raise)}
    for _ in range(40):
        command = legal_commands.sample(rng)
        assert command in legal_commands
        assert command in listed_commands or (isinstance(command, Raise) and raised_monuments(command) in raised_sets)
        assert legal_commands.sample(same_rng) == command
    assert rng.getstate() == same_rng.getstate()


@settings(max_examples=25)
@for_all(recipes(), st.integers(0, 120), random_seeds)
def test_each_kind_with_legal_commands_can_be_drawn(recipe: Recipe, move_count: int, seed: int) -> None:
    state = state_after(recipe, move_count)
    legal_commands = LegalCommands(state)
    for kind in legal_commands.kinds:
        drawn_command = SAMPLERS[kind](state, Random(seed))
        assert (drawn_command is None) == (legal_commands.count(kind) == 0)
        assert drawn_command is None or drawn_command in set(legal_commands.of_kind(kind)) or kind == "raise"


@settings(max_examples=10)
@for_all(recipes(), st.integers(0, 120), random_seeds)
def test_many_draws_have_every_kind(recipe: Recipe, move_count: int, seed: int) -> None:
    legal_commands, rng = LegalCommands(state_after(recipe, move_count)), Random(seed)
    kinds = {
        GAME.notation.format(command).split()[0]
        for command in (legal_commands.sample(rng) for _ in range(300))
        if command
    }
    assert kinds == {kind for kind in legal_commands.kinds if legal_commands.count(kind)}


SMALL_POSITIONS: dict[str, Facts] = {
    "two monuments and a raise": [
        adored_god("kilwa", "obatala"),
        craftsman("zulu", "potter", "b1-c1"),
        cattle(kilwa=9),
    ],
    "new prices": [technology("kilwa", "potter", price=2), technology("kilwa", "wood_carver", price=1, card_number=2)],
    "specialists to use": [
        hired_specialist("kilwa", "shaman"),
        hired_specialist("kilwa", "rain_ceremony"),
        hired_specialist("kilwa", "herd"),
    ],
    "raises of any set": [craftsman("zulu", "potter", "b1-c1"), craftsman("zulu", "ivory_carver", "b2")],
}


@pytest.mark.parametrize("occasion", SMALL_POSITIONS)
def test_everything_that_is_listed_can_be_drawn(occasion: str) -> None:
    monuments = [monument("kilwa", "a3"), monument("kilwa", "d1"), monument("zulu", "d3")]
    state = given("C..CI ..... .....", cattle(kilwa=9), monuments, SMALL_POSITIONS[occasion], turn_of("kilwa")).state
    legal_commands, rng = LegalCommands(state), Random(1)
    for kind in legal_commands.kinds:
        listed_commands = set(legal_commands.of_kind(kind))
        # Of raises the cheapest plans are listed, which are drawn only now and then.
        draw_count = 25 * len(listed_commands) * (round(1 / CHEAPEST_SHARE) if kind == "raise" else 1)
        drawn_commands = {SAMPLERS[kind](state, rng) for _ in range(draw_count)}
        assert drawn_commands >= listed_commands
        assert drawn_commands == listed_commands or (
            kind == "raise" and all(command in legal_commands for command in drawn_commands)
        ), kind


def test_kinds_that_weigh_nothing_are_never_drawn() -> None:
    state = given("C..CI ..... .....", cattle(kilwa=9), turn_of("kilwa")).state
    legal_commands, rng = LegalCommands(state), Random(1)
    weights = dict.fromkeys(legal_commands.kinds, 0) | {"craft": 1}
    drawn_commands = [legal_commands.sample(rng, weights) for _ in range(20)]
    assert {GAME.notation.format(command).split()[0] for command in drawn_commands if command} == {"craft"}
    assert legal_commands.sample(rng, dict.fromkeys(legal_commands.kinds, 0)) is None


def test_nothing_is_drawn_where_nothing_is_legal() -> None:
    assert LegalCommands(GAME.evolution.initial()).sample(Random(1)) is None
    finished_state = given("C..CI ..... .....", turn_of("kilwa")).state.copy()
    finished_state.phase = "over"
    assert LegalCommands(finished_state).sample(Random(1)) is None


def check_apply_agrees_with_decide(state: State, command: AnyCommand) -> None:
    seat, canonical_before = state.actor or "", GAME.evolution.canonical(state)
    decide_outcome, apply_outcome = GAME.rules.decide(state, seat, command), apply(state, seat, command)
    assert isinstance(decide_outcome, Accepted)
    assert apply_outcome.events == decide_outcome.events
    assert GAME.evolution.canonical(apply_outcome.state) == GAME.evolution.canonical(decide_outcome.state)
    assert GAME.evolution.canonical(state) == canonical_before


def sample_of_each_kind(state: State, rng: Random) -> Iterator[AnyCommand]:
    legal_commands = LegalCommands(state)
    for kind in legal_commands.kinds:
        commands = list(legal_commands.of_kind(kind))
        yield from rng.sample(commands, min(len(commands), 25))


@settings(max_examples=25)
@for_all(recipes(), st.integers(0, 120), random_seeds)
def test_apply_agrees_with_decide_in_random_games(recipe: Recipe, move_count: int, seed: int) -> None:
    state = state_after(recipe, move_count)
    for command in sample_of_each_kind(state, Random(seed)):
        check_apply_agrees_with_decide(state, command)


@pytest.mark.parametrize("script", sorted(GAMES_FOLDER.glob("*.zim")), ids=lambda script: script.stem)
def test_apply_agrees_with_decide_in_recorded_games(script: Path) -> None:
    for _, state in positions(script):
        for command in sample_of_each_kind(state, Random(1)):
            check_apply_agrees_with_decide(state, command)
