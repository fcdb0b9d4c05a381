"""A league's year as one Python file (docs/league_year.py); shell and pipe give the same documents."""

from __future__ import annotations

import json
import runpy
import shlex
from pathlib import Path
from typing import Any

import msgspec
import pytest

import zimcore as zim
from tests.cli.commands import run_command
from tests.test_library_and_shell import LABELS, MEASURED, without
from tests.test_pipe_and_http import UNLIKE, request_of

pytest.importorskip("duckdb")
PROGRAM = Path(__file__).parents[1] / "docs" / "league_year.py"
UNLIKE_HERE = {*UNLIKE, *LABELS, *MEASURED, "stream"}
"""What each store has of its own, and what a later analysis finds already judged."""


@pytest.fixture(scope="module")
def year(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A folder with two short games, as clubs send them, and what the program found."""
    folder = tmp_path_factory.mktemp("league")
    with zim.open("memory:", by="club") as club:
        for number in (1, 2):
            game = f"g{number}"
            club.new("zimbabwe", name=game, players=2, seed=number, max_rounds=2)
            moves = [position.commit for position in club.bot(game, "peer", to_end=True)]
            log = [f"new players=2 seed={number} max_rounds=2", *(f"{each.seat}: {each.text}" for each in moves)]
            (folder / f"{game}.cert").write_bytes(club.certificate(game))
            (folder / f"{game}.log").write_text("\n".join(log) + "\n")
    return folder, runpy.run_path(str(PROGRAM))["run_year"](folder, 12, 2)


def test_the_program_is_short_and_starts_no_other() -> None:
    text = PROGRAM.read_text("utf-8")
    assert len(text.splitlines()) <= 80
    assert "subprocess" not in text


def test_shell_and_pipe_give_the_same_documents(
    year: tuple[Path, dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, documents = year
    monkeypatch.chdir(folder)
    what_if_count = 0
    for game, found in documents.items():
        store = f"sqlite:///{tmp_path}/{game}.db"
        assert run_command("--store", store, "import", f"{game}.cert").returncode == 0
        lines = {
            f"verify {game}": {"audit": found["verify"]},
            f"audit {game}.log": found["audit"],
            f"analyse {game} --nodes 12": found["analyse"],
            f"bisect {game} 'leader() == winner'": found["leader"],
        }
        for place, answer in found["whatif"].items():
            turns = [shlex.quote("; ".join(each.commands)) for each in answer.alternatives]
            lines[f"whatif {place} {' '.join(turns)} --games 2 --then random --workers 1"] = answer
            what_if_count += 1
        for line, document in lines.items():
            expected = without(json.loads(msgspec.json.encode(document)), UNLIKE_HERE)
            shell = run_command("--store", store, "--json", *shlex.split(line))
            pipe = run_command("--store", store, "pipe", stdin=json.dumps(request_of(line)))
            for text in (shell.stdout, json.dumps(json.loads(pipe.stdout)["answer"])):
                assert {
                    key: value for key, value in without(json.loads(text), UNLIKE_HERE).items() if key in expected
                } == expected, line
    assert what_if_count


def test_tables_and_certificates_are_kept(year: tuple[Path, dict[str, Any]]) -> None:
    import duckdb

    folder, documents = year
    with duckdb.connect(str(folder / "year" / "year.duckdb")) as database:
        assert database.execute("SELECT count(*) FROM games").fetchall() == [(2,)]
        rows = sum(len(each.alternatives) for found in documents.values() for each in found["whatif"].values())
        assert database.execute("SELECT count(*) FROM whatifs").fetchall() == [(rows,)]
    certificates = sorted((folder / "year").glob("*.cert"))
    assert len(certificates) == len(documents) + sum(len(found["whatif"]) for found in documents.values())
    assert run_command("verify", *map(str, certificates)).returncode == 0
