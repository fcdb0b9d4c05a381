"""A third whole game, written from the docs alone, works in every way to play: `tests/plots.py`.

It has an auction with sealed bids, a hidden deck, and secret plans on a board, and no line in the platform.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import numpy as np
import pyspiel
import pytest

import zimcore as zim
from tests import plots
from tests.plots_package import install_plots
from tests.test_docs import ROOT, run_shell_command
from zimcore.envs.aec import env
from zimcore.envs.spiel import register_game
from zimcore.toolkit.check import check
from zimcore.toolkit.defaults import DEFAULT_PARTS, make_part

ROUNDS = 4


@pytest.fixture
def shell_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which the game is installed and a match `k` was begun."""
    monkeypatch.setenv("PYTHONPATH", str(install_plots(tmp_path)))
    run_shell_command(f"zim new k --game plots players=2 plots={ROUNDS} seed=7", tmp_path)
    return tmp_path


@pytest.fixture
def plots_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zimcore.games.registry.installed_games", lambda: {"plots": "tests.plots:GAME"})


def test_the_game_uses_only_what_the_docs_name() -> None:
    syntax_tree = ast.parse((ROOT / "tests/plots.py").read_text("utf-8"))
    page = (ROOT / "docs/new-game.md").read_text("utf-8")
    imports = [node for node in ast.walk(syntax_tree) if isinstance(node, ast.ImportFrom) and "zim" in str(node.module)]
    used_names = {alias.name for node in imports for alias in node.names} | {str(node.module) for node in imports}
    members = {name for part in DEFAULT_PARTS for name in dir(make_part(part, plots.GAME, plots.__name__))}
    used_names |= {name for name in vars(plots) if name in members and not name.startswith("__")}
    assert {"MONEY", "board", "Bundle", "zimcore.toolkit.rules"} <= used_names
    assert sorted(name for name in used_names if not re.search(rf"\b{name}\b", page)) == []


def test_the_game_keeps_the_contract() -> None:
    assert list(check(plots.GAME, matches=2, moves=24)) == []


def test_bots_hints_and_alternatives_work(shell_folder: Path) -> None:
    assert "best of" in run_shell_command("zim hint k --as ann", shell_folder)
    assert "Ben to act" in run_shell_command("zim bot k quick --for ann", shell_folder)
    assert "rule" not in run_shell_command("zim explain k 'ben: bid 99'", shell_folder), "it has no texts"
    assert "bid 3" in run_shell_command(
        "zim whatif k 'ben: bid 3' 'ben: bid 1' --games 2 --workers 1 --open", shell_folder
    )


def test_a_finished_match_is_analysed_audited_certified_and_drawn(shell_folder: Path) -> None:
    for _ in range(ROUNDS):
        run_shell_command("zim do k 'ann: bid 1' 'ben: bid 2'", shell_folder)
    assert "has won" in run_shell_command("zim show k", shell_folder)
    assert "ann" in run_shell_command("zim analyse k --open --nodes 20", shell_folder)
    assert "8 legal" in run_shell_command(
        "zim log k --open --json > k.json; zim audit k.json --game plots", shell_folder
    )
    assert run_shell_command("zim export k --certificate k.cert; zim verify k.cert", shell_folder).count("✓") == 2
    assert run_shell_command("zim board k --svg k.svg; zim replay k --html k.html", shell_folder).count("written") == 2
    assert "K" not in run_shell_command("zim board k", shell_folder).splitlines()[1]


def test_json_names_its_game_by_its_events_and_a_log_without_them_says_how_to(shell_folder: Path) -> None:
    run_shell_command("zim do k 'ann: bid 1' 'ben: bid 2'", shell_folder)
    assert "2 lines: 2 legal" in run_shell_command("zim log k --open --json > k.json; zim audit k.json", shell_folder)
    assert "log PLACE --json" in run_shell_command(
        "zim log k --open > k.log; zim audit k.log --game plots", shell_folder
    )


def test_nothing_secret_is_shown_to_another_seat(shell_folder: Path) -> None:
    run_shell_command("zim do k 'ann: bid 3'", shell_folder)
    plan = re.findall(r'"plans":\{"ann":"(\w)"', run_shell_command("zim --open log k --json", shell_folder))[0]
    for viewer in ("", "--as ben"):
        for words in ("show k", "log k", "log k --json", "events k", "show k --json", "board k", "story k"):
            shown_text = run_shell_command(f"zim {viewer} {words}", shell_folder)
            assert not re.search(rf'ann"?[: ]+"?{plan}\b|ann bids 3|"coins":3\b', shown_text), (
                viewer,
                words,
                shown_text,
            )
    assert "ann bids 3" in run_shell_command("zim --as ann log k", shell_folder), "it would be seen"


@pytest.mark.usefixtures("plots_installed")
def test_the_library_and_both_environments_play_the_game() -> None:
    store = zim.open("memory:")
    store.new("plots", name="k", players=2, seed=7)
    assert store.at("ann").try_("k", "bid 2").positions[0].to_move == ("ben",)
    assert store.at("ann").play("k", "bid 2").to_move == ("ben",)
    environment = env("plots", 3)
    environment.reset(seed=1)
    rng, steps = np.random.default_rng(1), 0
    for _ in environment.agent_iter():
        observation, _, terminated, _, _ = environment.last()
        environment.step(None if terminated else int(rng.choice(np.flatnonzero(observation["action_mask"]))))
        steps += not terminated
    assert steps == 8 * 3
    register_game("plots")
    game = pyspiel.load_game("zim_plots(players=3)")
    pyspiel.random_sim_test(game, num_sims=2, serialize=False, verbose=False)
    state = game.new_initial_state()
    for action in (1, 4):
        state.apply_action(action)
    resampled_state = state.resample_from_infostate(state.current_player(), iter([0.3]).__next__)
    assert resampled_state.information_state_string(1) == state.information_state_string(1)
    assert resampled_state.match.state.plans["ann"] != "" and resampled_state.current_player() == 1  # noqa: PT018
