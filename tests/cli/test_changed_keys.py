"""Changing a key at the terminal: Zim keeps the old key, and signs the new one with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.commands import run_command


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setenv("ZIM_STORE", f"sqlite:///{tmp_path}/games.db")
    monkeypatch.delenv("ZIM_KEY_PASSPHRASE", raising=False)
    monkeypatch.chdir(tmp_path)
    zim_output("new", "k", "players=2", "seed=7", "order=kilwa,mutapa")
    zim_output("seat", "k", "kilwa")
    return tmp_path


def zim_output(*words: str, by: str = "ann", exit_code: int = 0) -> str:
    """The output of a command, whose exit code must be the expected one."""
    result = run_command("--by", by, *words)
    assert result.returncode == exit_code, result.stdout + result.stderr
    return result.stdout + result.stderr


def public_key(by: str = "ann") -> str:
    return zim_output("key", by=by).split()[2]


def test_a_seat_goes_on_with_another_key(home: Path) -> None:
    old_key = public_key()
    zim_output("do", "k", "start a1")
    new_key = zim_output("key", "--new").split()[2]
    assert new_key == public_key() != old_key
    assert (home / "zim" / "keys" / f"ann.{old_key[:16]}.key").stat().st_mode & 0o777 == 0o600
    zim_output("do", "k", "mutapa: start d1", "mutapa: bid 1", by="ben")
    zim_output("do", "k", "bid 2")  # with the old key, which the seat still has
    zim_output("seat", "k", "kilwa")
    zim_output("do", "k", "adore anansi")
    verify_output = zim_output("verify", "k")
    assert f"signed by ann for kilwa, key {old_key} (signed by the key that this name had before)" in verify_output
    assert f"signed by ann for kilwa, key {new_key} (trusted)" in verify_output
    key_list = zim_output("key", "list")
    assert old_key not in key_list, "no check notes a key"
    assert new_key in key_list
    assert f"{old_key} (signed by the key that this name had before)" in zim_output("verify", "k")


def test_verify_reports_a_seat_bound_anew_after_a_lost_key(home: Path) -> None:
    zim_output("do", "k", "start a1")
    (home / "zim" / "keys" / "ann.key").unlink()
    zim_output("key", "trust", "ann", "11" * 32, "--replace")
    zim_output("seat", "k", "kilwa", public_key("ben"), by="ben", exit_code=1)
    zim_output("seat", "k", "kilwa", public_key("ben"), "--lost", by="ben")
    zim_output("do", "k", "mutapa: start d1", "mutapa: bid 1", "kilwa: bid 2", by="ben")
    assert "! k/main: kilwa was bound anew: the key" in zim_output("verify", "k", exit_code=1)


def test_a_client_that_knows_the_old_key_accepts_the_new_one(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    zim_output("do", "k", "start a1")
    zim_output("export", "k", "--certificate", "one.cert")
    zim_output("key", "--new")
    zim_output("seat", "k", "kilwa")
    zim_output("do", "k", "mutapa: start d1", "mutapa: bid 1", by="ben")
    zim_output("do", "k", "bid 2")
    zim_output("export", "k", "--certificate", "two.cert")
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "elsewhere"))
    assert "(not trusted)" in zim_output("verify", "one.cert", by="ben")
    verify_output = zim_output("verify", "two.cert", by="ben")
    assert "(not trusted)" in verify_output
    assert "(signed by the key that this name had before)" in verify_output
