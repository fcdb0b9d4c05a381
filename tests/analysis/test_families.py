"""A net for each family of styles is trained, and the factors that are best for families that no net has met."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

sys.path.append(str(Path(__file__).parents[2] / "scripts"))

import families
from learn import Matches
from nets import Numbers, stack_samples
from selfplay import STYLE_PREFIX, Record
from styles import HELD_OUT, STYLES

from zimcore.chances import Model, chance_features, load_model
from zimcore.games.zimbabwe import GAME

TRAINED = ("cards", "simple")
"""The families that are trained here, for speed."""


def loss_curve(best: float) -> Numbers:
    """The losses of a family by factor, least at one."""
    return (families.FACTORS - best) ** 2


def map_here(function: Callable[[Any], Any], arguments: Sequence[Any]) -> Iterator[Any]:
    """Applies a function without other processes."""
    return map(function, arguments)


@pytest.fixture
def few_families(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few families, with two players at each table."""
    monkeypatch.setattr(families, "FAMILIES", {name: families.FAMILIES[name] for name in TRAINED})
    monkeypatch.setattr(families, "PLAYERS", (2,))


def test_the_factor_is_the_best_for_all_families_alike() -> None:
    curves = {"a": loss_curve(0.2), "b": loss_curve(0.4), "c": loss_curve(0.9)}
    assert families.FACTORS[families.best_factor_index(curves)] == pytest.approx(0.5)
    assert families.FACTORS[families.best_factor_index(curves, excluded="c")] == pytest.approx(0.3)
    tiers = {(2, tier): {"a": loss_curve(tier / 4)} for tier in set(families.TIERS)}
    assert families.choose_factors(tiers) == {2: [0.1, 0.1, 0.25, 0.25, 0.5, 0.75, 1]}


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
    games_file, played = tmp_path / "games.jsonl", list[Any]()

    def map_and_count(function: Callable[[Any], Any], arguments: Sequence[Any]) -> Iterator[Any]:
        played.extend(arguments)
        return map(function, arguments)

    before = load_model(chance_features(GAME))
    trained = families.train_families(before, 2, 5, Matches(map_and_count, games_file))
    assert trained.nets == before.nets
    assert len(trained.family_nets) == len(TRAINED)
    assert {*trained.score_factors} == {2}
    assert all(0.1 <= factor <= 1.5 for factor in trained.score_factors[2])
    assert "; families --games 2 --seed 5: games " in trained.made_by
    first_line = games_file.read_bytes().splitlines(keepends=True)[0]
    games_file.write_bytes(first_line)
    games_before = [argument for argument in played if isinstance(argument, int)]
    played.clear()
    assert families.train_families(before, 2, 5, Matches(map_and_count, games_file)) == trained
    assert len([argument for argument in played if isinstance(argument, int)]) == len(games_before) - 1
    other = families.train_families(trained, 2, 6, Matches(map_here, None))
    assert other.made_by.count("families") == 1, "trained anew, it names the new run alone"
    assert other.made_by != trained.made_by
    assert msgspec.json.decode(msgspec.json.encode(trained), type=Model) == trained


def test_losses_count_games_alike_and_near_even_chances_come_first() -> None:
    game = families.play_family_game("simple", 2, 6)
    players = len(msgspec.json.decode(game, type=Record).bots)
    positions = stack_samples([families.game_positions(game)])
    ours = load_model(chance_features(GAME))
    net = (np.array(ours.nets[0].into), np.array(ours.nets[0].bias), np.array(ours.nets[0].out))
    curves = families.losses_of_family(ours, "simple", [net], positions)
    assert {player_count for player_count, _ in curves} == {players}
    for by_family in curves.values():
        assert by_family["simple"][0] == pytest.approx(np.log(players), abs=0.4)
    losses = np.array([[1.0, 3.0, 5.0]])
    assert families.mean_over_matches(losses, np.array([0, 0, 4])).tolist() == [3.5]
