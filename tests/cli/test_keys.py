"""Key files: readable by their owner only, and protected by a passphrase on request."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from subprocess import CompletedProcess

import pexpect
import pytest

from tests.cli.commands import run_command
from tests.timeouts import PATIENCE

HEX_KEY = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"
PUBLIC_KEY = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
PASSPHRASE = "four words as they say"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in {"XDG_DATA_HOME": tmp_path, "HOME": tmp_path, "ZIM_BY": "ann"}.items():
        monkeypatch.setenv(name, str(value))
    monkeypatch.delenv("ZIM_KEY_PASSPHRASE", raising=False)
    monkeypatch.chdir(tmp_path)
    zim("--store", "sqlite:///games.db", "new", "kilwa-7", "seed=7")
    zim("--store", "sqlite:///games.db", "export", "kilwa-7", "--certificate", "k.cert")
    return tmp_path


def zim(*words: str, passphrase: str = "") -> CompletedProcess[str]:
    return run_command(*words, environment={"ZIM_KEY_PASSPHRASE": passphrase})


def spawn_zim(*words: str) -> pexpect.spawn[str]:
    return pexpect.spawn(
        sys.executable, ["-m", "zimcli", *words], encoding="utf-8", timeout=PATIENCE, dimensions=(40, 200)
    )


def answer_prompts(terminal: pexpect.spawn[str], *answers: str) -> tuple[int | None, str]:
    """Answers the prompts; returns the exit code and all that was on the screen."""
    output = ""
    for answer in answers:
        terminal.expect(r"assphrase.*: |Repeat.*: ")
        output += f"{terminal.before}{terminal.after}"
        terminal.sendline(answer)
    terminal.expect(pexpect.EOF)
    terminal.close()
    return terminal.exitstatus, f"{output}{terminal.before}"


def show_key(**settings: str) -> dict[str, str]:
    answer: dict[str, str] = json.loads(zim("key", "--json", **settings).stdout)
    return answer


def test_a_key_is_a_pem_file_that_other_users_can_t_read() -> None:
    file = Path(show_key()["file"])
    assert file.read_text().startswith("-----BEGIN PRIVATE KEY-----\n")
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert [path.name for path in file.parent.iterdir()] == ["ann.key"]


def test_a_key_that_was_kept_as_hex_signs_and_can_be_given_a_passphrase(home: Path) -> None:
    (home / "zim/keys").mkdir(parents=True)
    file = home / "zim/keys/ann.key"
    file.write_text(HEX_KEY)
    assert show_key()["key"] == PUBLIC_KEY
    assert zim("sign", "k.cert").returncode == 0
    assert file.read_text() == HEX_KEY
    assert zim("key", "--passphrase", passphrase=PASSPHRASE).returncode == 0
    assert file.read_text().startswith("-----BEGIN ENCRYPTED PRIVATE KEY-----\n")
    assert file.stat().st_mode & 0o777 == 0o600
    assert show_key(passphrase=PASSPHRASE)["key"] == PUBLIC_KEY


def test_a_passphrase_is_read_from_the_environment() -> None:
    key = json.loads(zim("key", "--passphrase", "--json", passphrase=PASSPHRASE).stdout)
    assert show_key(passphrase=PASSPHRASE) == key
    assert zim("sign", "k.cert", passphrase=PASSPHRASE).returncode == 0
    assert f"signed by ann, key {key['key']} (trusted)" in zim("verify", "k.cert").stdout


def test_without_the_passphrase_a_hint_says_how_to_give_it() -> None:
    zim("key", "--passphrase", passphrase=PASSPHRASE)
    for passphrase, message in (("", "a passphrase is needed"), ("wrong", "this is not the passphrase of ")):
        for words in (("sign", "k.cert"), ("key",), ("key", "--passphrase")):
            result = zim(*words, passphrase=passphrase)
            assert (result.returncode, result.stdout) == (1, "")
            assert message in result.stderr
            assert "try: type it again at a terminal, or with the passphrase in the variable ZIM_KEY_PASSPHRASE" in (
                result.stderr
            )
    assert "signed by" not in zim("verify", "k.cert").stdout


def test_a_new_passphrase_needs_a_terminal() -> None:
    result = zim("key", "--passphrase")
    assert (result.returncode, result.stdout) == (1, "")
    assert "there is no terminal to ask at" in result.stderr
    assert not Path("zim/keys/ann.key").exists()


def test_a_passphrase_is_asked_for_and_not_shown() -> None:
    exit_code, output = answer_prompts(spawn_zim("key", "--passphrase"), PASSPHRASE, "a typo", PASSPHRASE, PASSPHRASE)
    assert (exit_code, PASSPHRASE in output) == (0, False)
    assert show_key(passphrase=PASSPHRASE)["key"] in output
    assert answer_prompts(spawn_zim("sign", "k.cert"), PASSPHRASE)[0] == 0
    exit_code, output = answer_prompts(spawn_zim("sign", "k.cert"), "wrong")
    assert (exit_code, "this is not the passphrase of" in output) == (1, True)
    result = answer_prompts(spawn_zim("key", "--passphrase"), PASSPHRASE, "another", "another")
    assert result[0] == 0
    assert zim("sign", "k.cert", passphrase=PASSPHRASE).returncode == 1
    assert zim("sign", "k.cert", passphrase="another").returncode == 0


def test_an_invalid_key_is_an_error(home: Path) -> None:
    Path("no.key").write_text("-----BEGIN PRIVATE KEY-----\nno\n")
    result = zim("sign", "k.cert", "--key", "no.key")
    assert (result.returncode, result.stdout) == (1, "")
    assert "no.key is no key" in result.stderr
