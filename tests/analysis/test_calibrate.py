"""A model is tempered so far that families of styles that it has not met lose least by it."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.append(str(Path(__file__).parents[2] / "scripts"))

import calibrate
import selfplay
from nets import Numbers

from zimcore.chances import chance_features, load_model
from zimcore.games.zimbabwe import GAME


def loss_curve(best_factor: float) -> Numbers:
    """The losses of a family by factor, least at one."""
    return (calibrate.FACTORS - best_factor) ** 2


def test_the_factor_is_the_best_for_all_families_alike() -> None:
    curves_by_family = {"a": loss_curve(0.2), "b": loss_curve(0.4), "c": loss_curve(0.9)}
    assert calibrate.FACTORS[calibrate.best_factor(curves_by_family)] == pytest.approx(0.5)
    assert calibrate.FACTORS[calibrate.best_factor(curves_by_family, excluded="c")] == pytest.approx(0.3)
    curves_by_tier = {(2, tier): {"a": loss_curve(tier / 4)} for tier in set(calibrate.TIERS)}
    assert calibrate.tempers_of(curves_by_tier) == {2: [0.1, 0.1, 0.25, 0.25, 0.5, 0.75, 1]}


def test_the_losses_of_a_game_are_by_tier_and_family() -> None:
    record = selfplay.play_game("zimbabwe", "one-style", 6, 2)
    assert record
    (style,) = {*record.bots}
    curves = calibrate.loss_curves([calibrate.game_losses(load_model(chance_features(GAME)), record)])
    assert {players for players, _ in curves} == {len(record.bots)}
    for families in curves.values():
        assert [*families] == [style]
        assert families[style][0] == pytest.approx(np.log(len(record.bots)), abs=0.25), "almost even chances"


def test_styles_that_are_held_out_temper_nothing() -> None:
    record = selfplay.Record("zimbabwe", {"players": "2"}, 1, ("style:plain",) * 2, (), ())
    with pytest.raises(SystemExit, match="style:plain: this style is to measure with only"):
        calibrate.game_losses(load_model(chance_features(GAME)), record)
