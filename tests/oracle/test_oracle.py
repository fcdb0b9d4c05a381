"""The engine against a second simulator of each game: a short run with a new seed each time (see `scripts/oracle`)."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.oracle.compare import run_campaign, shrink
from tests.oracle.planted_faults import faults, try_fault
from tests.oracle.tables import TABLES
from tests.oracle.zimbabwe import Game
from zimcore.games import registry

ORACLE_FOLDER = Path(__file__).parent
ROOT = ORACLE_FOLDER.parent.parent
DECISIONS = 6000
"""Of each game: some ten seconds on a machine of our kind. The number is what ends a run, never the clock."""


@pytest.mark.parametrize("game", TABLES)
def test_random_games_agree_in_all_that_both_say(game: str) -> None:
    seed = int(os.environ["ORACLE_SEED"])
    tally = run_campaign(TABLES[game], seed, is_enough=lambda tally: tally.decisions >= DECISIONS, listing_share=0.01)
    differences = [shrink(TABLES[game], difference, 20) for difference in tally.differences]
    assert not differences, f"ORACLE_SEED={seed} repeats it: {game} --repeat {differences[0].seed}\n{differences[0]}"
    assert tally.decisions == tally.positions >= DECISIONS
    assert tally.legal_candidates > tally.decisions, "there was hardly ever anything to choose"
    assert tally.candidates > 1.3 * tally.legal_candidates, "hardly anything illegal was asked about"
    assert tally.complete_lists


@pytest.mark.parametrize("game", TABLES)
def test_the_same_seed_plays_the_same_games(game: str) -> None:
    """In another process too, where sets of words have another order."""
    code = (
        "from tests.oracle.compare import run_campaign; from tests.oracle.tables import TABLES;"
        f"print(run_campaign(TABLES['{game}'], 5, is_enough=lambda tally: tally.decisions >= 300))"
    )
    outputs = []
    for hash_seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        process = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, check=True
        )
        outputs.append(process.stdout)
    assert outputs[0] == outputs[1] != b""


@pytest.mark.parametrize("game", TABLES)
def test_an_oracle_imports_only_the_standard_library(game: str) -> None:
    tree = ast.parse((ORACLE_FOLDER / f"{game}.py").read_text("utf-8"))
    modules = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {alias.name.split(".")[0] for alias in node.names}
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0
            modules.add((node.module or "").split(".")[0])
    assert modules <= sys.stdlib_module_names
    assert not modules & {"importlib", "runpy"}, "nor in another way"
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert not names & {"__import__", "exec", "eval"}


@pytest.mark.parametrize("game", TABLES)
def test_all_options_are_played(game: str) -> None:
    """For a new option teach the oracle its rule, and let its `random_recipe` draw it."""
    assert set(registry.game(game).rules.OPTIONS) == set(TABLES[game].OPTIONS)


# --- its own faults: see planted_faults.py


@pytest.mark.parametrize("game", TABLES)
def test_each_planted_fault_changes_one_text_of_the_engine(game: str) -> None:
    all_faults = faults(game)
    assert len(all_faults) >= 20
    for fault in all_faults:
        compile(fault.source_with_fault(), str(fault.path), "exec")
    assert len({(fault.original, fault.replacement) for fault in all_faults}) == len(all_faults)


@pytest.mark.parametrize("topic", ["payments", "ranges", "VR", "prices", "moving", "expeditions", "limits", "joining"])
def test_planted_faults_are_found(topic: str) -> None:
    """One fault of each kind; `scripts/oracle --planted` tries them all."""
    (fault, *_) = (
        candidate for game in TABLES for candidate in faults(game) if candidate.description.startswith(f"{topic}:")
    )
    result = try_fault(fault, seed=7)
    assert result.is_found, fault.description
    assert result.difference


def test_an_error_of_one_side_is_a_difference_that_names_its_game(monkeypatch: pytest.MonkeyPatch) -> None:
    def raise_error(game: Game, seat: str) -> None:
        raise IndexError("out of range")

    monkeypatch.setattr(Game, "play_pass", raise_error)
    [difference] = run_campaign(TABLES["zimbabwe"], 5, is_enough=lambda tally: tally.decisions >= 100).differences
    assert difference.subject.startswith("an error")
    assert "in raise_error" in str(difference.engine_answer)
    assert "IndexError: out of range" in str(difference.engine_answer)
    assert difference.seed
    assert difference.moves


def test_a_difference_is_shrunk_and_says_how_to_repeat_it() -> None:
    code = (
        "import sys; from tests.oracle import zimbabwe; from tests.oracle.compare import *;"
        "from tests.oracle.zimbabwe_table import ZimbabweTable as T;"
        "zimbabwe.VP_FOR_LEVEL[2] = 3;"
        "difference = run_campaign(T, 1, is_enough=lambda tally: tally.decisions > 5000).differences[0];"
        "print(len(difference.moves)); shrunk_difference = shrink(T, difference, 20);"
        "print(len(shrunk_difference.moves)); print(shrunk_difference)"
    )
    process = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    moves_before, moves_after, recipe, *last_lines = process.stdout.splitlines()
    assert int(moves_after) <= int(moves_before)
    assert recipe.startswith("new seed=")
    assert [line.split()[0] for line in last_lines[-2:]] == ["oracle:", "engine:"]
    assert "vp" in last_lines[-1]
    assert "raise" in last_lines[-4], "the last command is the one that differs"
