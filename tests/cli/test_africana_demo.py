"""Africana's demonstration from end to end, in a store on disk."""

import json
from pathlib import Path

from click.testing import CliRunner, Result

from zimcli.main import cli


def zim(store: Path, *words: str) -> Result:
    return CliRunner().invoke(cli, ["--store", f"sqlite:///{store / 'games.db'}", "--by", "anna", *words])


def test_the_demonstration_plays_and_verifies(tmp_path: Path) -> None:
    result = zim(tmp_path, "demo", "africana")
    assert result.exit_code == 0, result.stderr
    assert all(f"# round {number}" in result.stdout for number in range(1, 20))
    assert result.stdout.count("is as it was played") == 2

    lines = json.loads(zim(tmp_path, "lines", "--json").stdout)["lines"]
    assert [line["name"] for line in lines] == ["main", "germany-thinks", "what-if-germany-waits"]
    for line in lines:
        assert zim(tmp_path, "verify", f"demo/{line['name']}").exit_code == 0


def test_the_demonstration_shows_what_a_player_sees(tmp_path: Path) -> None:
    section = zim(tmp_path, "demo", "africana").stdout.partition("# What Italy may know")[2].partition("# round 6")[0]
    assert "italy    gray, joker, magenta, violet" in section
    assert "germany  joker, 3 face down" in section
    assert "germany draws 2 face down" in section


def test_every_kind_of_command_is_played(tmp_path: Path) -> None:
    zim(tmp_path, "demo", "africana")
    commits = json.loads(zim(tmp_path, "log", "demo/main", "--json").stdout)["commits"]
    verbs = {commit["text"].partition(" ")[0] for commit in commits}
    assert verbs == {"new", "draw", "turn", "buy", "move", "join", "end", "discard"}
    assert any(commit["text"].endswith("recoloured") for commit in commits)


def test_both_games_are_found_outside_a_session(tmp_path: Path) -> None:
    codes = {rule["code"] for rule in json.loads(zim(tmp_path, "rules", "--json").stdout)["rules"]}
    assert {"R-CRA-06", "A-MOVE-01", "AMB-13"} <= codes
    assert "rulebook: C) Move explorer" in zim(tmp_path, "rules", "A-MOVE-01").stdout
    assert "the games there are" in zim(tmp_path, "--help").stdout
    assert "Options of Africana (--game africana):" in zim(tmp_path, "new", "--help").stdout


def test_in_a_session_the_rules_are_those_of_its_game(tmp_path: Path) -> None:
    result = CliRunner().invoke(cli, ["--store", "memory:", "run", "-"], input="new k --game africana\nrules --json\n")
    assert {rule["code"][0] for rule in json.loads(result.stdout.splitlines()[-1])["rules"]} == {"A"}
