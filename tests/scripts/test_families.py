"""A net for each family of styles is trained, and the factors that are best for families that no net has met."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from scripts.research import families
from scripts.research.learn import Matches
from scripts.research.nets import Numbers, stack_samples
from scripts.research.selfplay import STYLE_PREFIX, Record
from scripts.research.styles import HELD_OUT, STYLES
from zimcore.chances import Model, chance_features, load_model
from zimcore.games.zimbabwe import GAME

TRAINED_FAMILIES = ("cards", "simple")
"""The families that are trained here, for speed."""


def loss_curve(best_factor: float) -> Numbers:
    """The losses of a family by factor, least at one."""
    return (families.FACTORS - best_factor) ** 2


def map_here(function: Callable[[Any], Any], arguments: Sequence[Any]) -> Iterator[Any]:
    """Applies a function without other processes."""
    return map(function, arguments)


@pytest.fixture
def few_families(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few families, with two players at each table."""
    monkeypatch.setattr(families, "FAMILIES", {name: families.FAMILIES[name] for name in TRAINED_FAMILIES})
    monkeypatch.setattr(families, "PLAYER_COUNTS", (2,))


def test_the_factor_is_the_best_for_all_families_alike() -> None:
    losses_by_family = {"a": loss_curve(0.2), "b": loss_curve(0.4), "c": loss_curve(0.9)}
    assert families.FACTORS[families.best_factor_index(losses_by_family)] == pytest.approx(0.5)
    assert families.FACTORS[families.best_factor_index(losses_by_family, excluded="c")] == pytest.approx(0.3)
    losses_by_tier = {(2, tier): {"a": loss_curve(tier / 4)} for tier in set(families.TIERS)}
    assert families.choose_factors(losses_by_tier) == {2: [0.1, 0.1, 0.25, 0.25, 0.5, 0.75, 1]}


def test_each_table_has_bots_of_one_style_of_the_family() -> None:
    for name, styles in families.FAMILIES.items():
        tables = [families.draw_family_table(name, 1, number)[1] for number in range(40)]
        assert {len(kinds) for kinds in tables} == {2, 3, 4, 5}
        assert all(len({*kinds}) == 1 for kinds in tables)
        assert {kinds[0] for kinds in tables} == {STYLE_PREFIX + style for style in styles}


def test_each_style_is_in_one_family_but_for_those_held_out() -> None:
    assert sorted(style for styles in families.FAMILIES.values() for style in styles) == sorted(STYLES)
    assert not {*STYLES} & {*HELD_OUT}


@pytest.mark.usefixtures("few_families")
def test_training_adds_a_net_for_each_family_and_goes_on_where_it_stopped(tmp_path: Path) -> None:
    games_file, arguments_mapped = tmp_path / "games.jsonl", list[Any]()

    def map_and_count(function: Callable[[Any], Any], arguments: Sequence[Any]) -> Iterator[Any]:
        arguments_mapped.extend(arguments)
        return map(function, arguments)

    model_before = load_model(chance_features(GAME))
    trained_model = families.train_families(model_before, 2, 5, Matches(map_and_count, games_file))
    assert trained_model.nets == model_before.nets
    assert len(trained_model.family_nets) == len(TRAINED_FAMILIES)
    assert {*trained_model.score_factors} == {2}
    assert all(0.1 <= factor <= 1.5 for factor in trained_model.score_factors[2])
    assert "; families --games 2 --seed 5: games " in trained_model.made_by
    first_line = games_file.read_bytes().splitlines(keepends=True)[0]
    games_file.write_bytes(first_line)
    games_before = [argument for argument in arguments_mapped if isinstance(argument, int)]
    arguments_mapped.clear()
    assert families.train_families(model_before, 2, 5, Matches(map_and_count, games_file)) == trained_model
    assert len([argument for argument in arguments_mapped if isinstance(argument, int)]) == len(games_before) - 1
    other_model = families.train_families(trained_model, 2, 6, Matches(map_here, None))
    assert other_model.made_by.count("families") == 1, "trained anew, it names the new run alone"
    assert other_model.made_by != trained_model.made_by
    assert msgspec.json.decode(msgspec.json.encode(trained_model), type=Model) == trained_model


def test_losses_count_games_alike_and_near_even_chances_come_first() -> None:
    record_json = families.play_family_game("simple", 2, 6)
    players = len(msgspec.json.decode(record_json, type=Record).bots)
    positions = stack_samples([families.game_positions(record_json)])
    shipped_model = load_model(chance_features(GAME))
    net = (
        np.array(shipped_model.nets[0].into),
        np.array(shipped_model.nets[0].bias),
        np.array(shipped_model.nets[0].out),
    )
    losses_by_tier = families.losses_of_family(shipped_model, "simple", [net], positions)
    assert {player_count for player_count, _ in losses_by_tier} == {players}
    for losses_by_family in losses_by_tier.values():
        assert losses_by_family["simple"][0] == pytest.approx(np.log(players), abs=0.4)
    losses = np.array([[1.0, 3.0, 5.0]])
    assert families.mean_over_matches(losses, np.array([0, 0, 4])).tolist() == [3.5]
