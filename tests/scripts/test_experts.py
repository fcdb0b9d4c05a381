"""Steps of expert iteration: what the nets learn from games of strong play, and the gate that they must pass."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from scripts.research import experts
from scripts.research.learn import Matches
from scripts.research.nets import stack_samples
from scripts.research.selfplay import PositionSample
from tests.scripts.test_families import map_here
from zimcore.bots.bot_match import play_bots
from zimcore.bots.levels import QuickBot, SlippingBot, StrongBot
from zimcore.chances import Model, chance_features, load_model
from zimcore.games.zimbabwe import GAME


@pytest.fixture
def model() -> Model:
    """The model of the game, as it was before the first step."""
    return msgspec.structs.replace(load_model(chance_features(GAME)), expert_nets=[])


def test_a_target_is_the_winner_mixed_with_the_old_chances_of_later_positions() -> None:
    zeros = [[0.0], [0.0]]
    positions = stack_samples(
        [[PositionSample(zeros, 1, 1), PositionSample(zeros, 1, 2)], [PositionSample(zeros, 0, 1)]]
    )
    old_chances = np.array([[0.5, 0.5, 0, 0, 0], [0.8, 0.2, 0, 0, 0], [0.5, 0.5, 0, 0, 0]])
    decay = experts.TRACE_DECAY
    targets = experts.td_targets(positions, old_chances)[:, :2]
    assert targets == pytest.approx(np.array([[(1 - decay) * 0.8, decay + (1 - decay) * 0.2], [0, 1], [1, 0]]))


def test_an_expert_with_the_nets_of_the_model_plays_like_strong(model: Model) -> None:
    shipped_model = load_model(chance_features(GAME))
    model_json = experts.playing_model(shipped_model, shipped_model.expert_nets or shipped_model.nets)
    indifferent_nets = [msgspec.structs.replace(net, out=[0.0] * len(net.out)) for net in model.nets]
    bots = (
        StrongBot(),
        experts.ExpertBot(model_json),
        experts.ExpertBot(experts.playing_model(model, indifferent_nets)),
    )
    moves, expert_moves, other_moves = (
        play_bots(GAME, [(bot, 0)] * 2, {"players": "2"}, 7, max_commands=12).moves for bot in bots
    )
    assert moves == expert_moves != other_moves


@pytest.fixture
def quick_experts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Experts that play like `quick`, or at random with the model `b"bad"`, at tables of two."""
    monkeypatch.setattr(
        experts, "ExpertBot", lambda model_json: SlippingBot(QuickBot(), 0.9) if model_json == b"bad" else QuickBot()
    )
    monkeypatch.setattr(experts, "PLAYER_COUNTS", (2,))
    monkeypatch.setattr(experts, "GATE_PLAYERS", (2,))


@pytest.mark.usefixtures("quick_experts")
@pytest.mark.parametrize("passes", [True, False])
def test_a_step_changes_the_nets_of_bots_only_if_they_pass_the_gate(
    model: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, passes: bool
) -> None:
    monkeypatch.setattr(experts, "passes_gate", lambda *_: passes)
    games_file, numbers_played = tmp_path / "games.jsonl", list[Any]()

    def map_and_count(function: Callable[[Any], Any], arguments: Sequence[Any]) -> Iterator[Any]:
        numbers_played.extend(each for each in arguments if isinstance(each, int))
        return map(function, arguments)

    improved_model = experts.train_experts(model, 5, 3, Matches(map_and_count, games_file))
    assert numbers_played == [0, 1, 2, 3, 4]
    assert (improved_model.expert_nets != model.expert_nets) == passes
    assert ("; experts --games 5 --seed 3: games " in improved_model.made_by) == passes
    assert (improved_model.nets, improved_model.family_nets) == (model.nets, model.family_nets)
    numbers_played.clear()
    assert experts.train_experts(model, 5, 3, Matches(map_and_count, games_file)) == improved_model
    assert not numbers_played


@pytest.mark.usefixtures("quick_experts")
def test_the_gate_is_for_nets_that_win_more_than_the_old_ones() -> None:
    def passes(new_json: bytes, old_json: bytes) -> bool:
        return experts.passes_gate(new_json, old_json, 3, Matches(map_here, None))

    assert passes(b"good", b"bad")
    assert not passes(b"bad", b"good")
    assert not passes(b"good", b"good")  # just their share
