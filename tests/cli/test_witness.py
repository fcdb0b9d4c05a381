"""A witness at the terminal: writing and signing it, and finding what was lost since."""

from __future__ import annotations

import json
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.cli.commands import run_command
from tests.cli.conftest import Zim


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    return tmp_path


def test_verify_names_what_is_lost_since_a_witness(zim: Zim, folder: Path) -> None:
    witness_file = str(folder / "friday.witness")
    zim("new", "kilwa-7", "herd=12")
    zim("do", "kilwa-7", "take 2")
    witness_result = zim("witness", witness_file)
    assert (witness_result.exit_code, " records 3 streams, digest " in witness_result.stdout) == (0, True)
    zim("do", "kilwa-7", "take 1")
    result = zim("verify", "--all", "--since", witness_file)
    assert (result.exit_code, f"nothing is lost that {witness_file} recorded on 2024-05-01" in result.stdout) == (
        0,
        True,
    )
    zim("new", "kilwa-8", "herd=12")
    later_witness = zim("witness").stdout
    assert json.loads(later_witness.splitlines()[0])["zim"] == "witness.1"
    (folder / "later.witness").write_text(later_witness.replace('"entries":3', '"entries":4'))
    refusal = zim("verify", "--all", "--since", str(folder / "later.witness"))
    assert (refusal.exit_code, "the witness was altered" in refusal.stderr) == (4, True)


def test_an_older_store_is_reported_stream_by_stream(zim: Zim, folder: Path, other_zim: Zim) -> None:
    witness_file = str(folder / "friday.witness")
    for run_zim in (zim, other_zim):
        run_zim("new", "kilwa-7", "herd=12")
    zim("do", "kilwa-7", "take 2")
    zim("key")
    assert "  signed by anna, key " in zim("witness", witness_file).stdout
    result = other_zim("verify", "--all", "--since", witness_file)
    assert result.exit_code == 1
    assert result.stderr.startswith(f"cut off: 1 of 3 streams lacks entries that {witness_file} records\n")
    assert "cut off: kilwa-7/main: it had 2 entries; at most 1 is left" in result.stderr
    witness_check = json.loads(other_zim("verify", "--all", "--since", witness_file, "--json").stdout)["outside"]
    assert (witness_check["signed"]["by"], witness_check["losses"][0]["name"]) == ("anna", "kilwa-7/main")
    Path(witness_file).write_text(Path(witness_file).read_text().replace('"by":"anna"', '"by":"eve"'))
    refusal = zim("verify", "--all", "--since", witness_file)
    assert (refusal.exit_code, "the signature of eve" in refusal.stderr) == (1, True)


def test_a_line_is_verified_against_a_certificate(zim: Zim, folder: Path, other_zim: Zim) -> None:
    certificate_file = str(folder / "kilwa-7.cert")
    for run_zim in (zim, other_zim):
        run_zim("new", "kilwa-7", "herd=12")
    zim("do", "kilwa-7", "take 2")
    zim("export", "kilwa-7", "--certificate", certificate_file)
    assert zim("verify", "kilwa-7", "--against", certificate_file).exit_code == 0
    result = other_zim("verify", "kilwa-7", "--against", certificate_file)
    assert (result.exit_code, "cut off: kilwa-7/main: it was played to @1 (" in result.stderr) == (1, True)


def test_a_part_of_a_digest_proves_little(zim: Zim) -> None:
    zim("new", "kilwa-7", "herd=12")
    digest = json.loads(zim("show", "kilwa-7", "--json").stdout)["position"]["digest"]
    result = zim("verify", f"kilwa-7@{digest[:6]}")
    assert result.exit_code == 0
    assert (
        "6 of a digest's 32 digits find a position, and prove little: about 2^24 tries find another history"
        in result.stdout
    )
    assert "prove little" not in zim("verify", f"kilwa-7@{digest}").stdout


@pytest.mark.parametrize(
    ("words", "exit_code"),
    [(("kilwa-7", "--since", "x"), 2), (("--all", "--against", "x"), 2), (("--against", "no.cert"), 4)],
)
def test_a_wrong_option_or_a_missing_file_is_an_error(zim: Zim, words: tuple[str, ...], exit_code: int) -> None:
    zim("new", "kilwa-7", "herd=12")
    result = zim("verify", *words)
    assert result.exit_code == exit_code, result.output


def test_clubs_countersign_a_log_of_witnesses(tmp_path: Path) -> None:
    def run(*words: str) -> CompletedProcess[str]:
        return run_command("--store", f"sqlite:///{tmp_path}/games.db", *words)

    log, keys = tmp_path / "games.witnesses", tmp_path / "club.keys"
    assert run("new", "k", "players=2").returncode == 0
    for club in ("north", "south"):
        run("--by", club, "key")
    for club, line_count in (("north", 1), ("north", 1), ("south", 2), ("south", 2), ("north", 2)):
        assert run("--by", club, "witness", "--append", str(log)).returncode == 0
        assert len(log.read_text().splitlines()) == line_count, "a club signs once what is new"
    known = json.loads(run("--json", "key", "list").stdout)["known"]
    keys.write_text("".join(f"{each['by']}:{each['key']}\n" for each in known if each["by"] in ("north", "south")))
    verified = run("verify", "--all", "--since", str(log), "--signed-by", str(keys))
    assert (verified.returncode, "signed by north" in verified.stdout, "signed by south" in verified.stdout) == (
        0,
        True,
        True,
    )
    keys.write_text(keys.read_text().replace("south:", "east:"))
    assert run("verify", "--all", "--since", str(log), "--signed-by", str(keys)).returncode == 1
